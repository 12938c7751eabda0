import { copyJson } from '../../domain/text/json-copy.ts'
import { isRecord, type Json } from '../../domain/text/json.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'
import { nameList } from '../../domain/permission-request.ts'
import type { EffectContext, RunView } from '../../ports/effect-handler.ts'
import type { PermissionAnswer, PermissionAsk, PermissionContext } from '../../ports/permissions.ts'
import type { AgentParts } from '../agent-parts.ts'
import type { ToolTable } from '../agent-tools.ts'
import { ask } from '../ask-code.ts'

/** A call that somebody may have to authorise. */
export interface AskedCall {
  readonly callId: string
  readonly name: string
  readonly arguments: Json
}

/** The answers by call id, without calls that need no authorisation. */
export type Authorisations = ReadonlyMap<string, PermissionAnswer>

/** Asks who authorises tools about calls of one round together. */
export type Authorise = (calls: readonly AskedCall[]) => Promise<Authorisations>

type AuthorityParts = Pick<AgentParts, 'name' | 'permissions' | 'pluginTimeoutMs'>

/**
 * Asks the policy which tools need authorisation, and the manager about calls of those tools. Undefined if an agent has
 * no policy. A missing, late or unclear answer denies the call.
 */
export function authoriser(parts: AuthorityParts, tools: ToolTable, context: EffectContext): Authorise | undefined {
  const { permissions } = parts
  if (permissions?.policy === undefined) return undefined
  return async (calls) => {
    const governed = await governedTools(parts, tools, context)
    const asked = calls.filter(({ name }) => governed === 'all' || governed.has(name))
    const answers = asked.length === 0 ? {} : await managerAnswers(parts, asksOf(asked), context)
    const found = asked.map(({ callId, name }): [string, PermissionAnswer] => [callId, answerFor(answers, name)])
    remember(context.view, found)
    return new Map(found)
  }
}

/** Authorises one call at its gate. The verdict of its round still counts in this process, except for a replay. */
export function authoriseAtGate(
  parts: AuthorityParts,
  tools: ToolTable,
  call: AskedCall,
  isReplay: boolean,
  context: EffectContext,
): (() => Promise<PermissionAnswer | undefined>) | undefined {
  const authorise = authoriser(parts, tools, context)
  if (authorise === undefined) return undefined
  return async () => {
    const said = isReplay ? undefined : memoryOf(context.view).answers.get(call.callId)
    return said ?? (await authorise([call])).get(call.callId)
  }
}

/** Asks code of the permission manager. The code receives a copy of the question, and the owner of the permissions. */
export function askAuthority<About, Answer>(
  failed: string,
  parts: Pick<AgentParts, 'name' | 'pluginTimeoutMs'>,
  about: About,
  context: EffectContext,
  code: (whose: PermissionContext, about: About) => Answer | Promise<Answer>,
): Promise<Answer> {
  const { name: agent, pluginTimeoutMs } = parts
  const { runId, run } = context
  const { subject, accessControl } = run
  const whose: PermissionContext = { runId, agent, subject, ...(accessControl === undefined ? {} : { accessControl }) }
  const given = structuredClone({ whose, about })
  return ask(failed, { ...context, pluginTimeoutMs }, async ({ shown }) => code(shown.whose, shown.about), given)
}

/** Returns the tools of some calls, each with its calls. */
export function asksOf(calls: readonly AskedCall[]): readonly PermissionAsk[] {
  const names = [...new Set(calls.map(({ name }) => name))]
  return names.map((name) => ({
    name,
    calls: calls
      .filter((call) => call.name === name)
      .map(({ callId, arguments: given }) => ({ callId, arguments: given })),
  }))
}

/** The memory of a process about a run that it drives; a restart asks again. */
interface Memory {
  readonly answers: Map<string, PermissionAnswer>
  governed?: { readonly names: string; readonly found: Promise<ReadonlySet<string> | 'all'> }
}

const memories = new WeakMap<RunView, Memory>()

function memoryOf(view: RunView): Memory {
  const memory: Memory = memories.get(view) ?? { answers: new Map() }
  memories.set(view, memory)
  return memory
}

/** Forgets earlier rounds. */
function remember(view: RunView, found: readonly (readonly [string, PermissionAnswer])[]): void {
  const { answers } = memoryOf(view)
  if (found.length > 0) answers.clear()
  for (const [callId, answer] of found) answers.set(callId, answer)
}

/** Asks the policy again if the tools have changed. */
function governedTools(parts: AuthorityParts, tools: ToolTable, context: EffectContext) {
  const memory = memoryOf(context.view)
  const names = JSON.stringify([...tools.keys()])
  if (memory.governed?.names !== names) memory.governed = { names, found: askPolicy(parts, tools, context) }
  return memory.governed.found
}

async function askPolicy(
  { permissions, pluginTimeoutMs }: AuthorityParts,
  tools: ToolTable,
  context: EffectContext,
): Promise<ReadonlySet<string> | 'all'> {
  const named = (wanted: string) =>
    [...tools.values()].filter(({ kind = 'tool' }) => kind === wanted).map(({ name }) => name)
  const shown = { services: named('service'), mcp: named('mcp'), tools: named('tool') }
  const all = (why: string) => {
    tell(context, 'policy', [...tools.keys()], `${why} Every tool needs authorisation.`)
    return 'all' as const
  }
  try {
    const given = await ask(
      'The permission policy failed',
      { ...context, pluginTimeoutMs },
      ({ shown: at }) => permissions?.policy?.(at),
      shown,
    )
    const names = nameList(given)
    return names === undefined ? all('The permission policy returned no list of texts.') : new Set(names)
  } catch (error) {
    return all(sentence(error))
  }
}

async function managerAnswers(
  parts: AuthorityParts,
  asked: readonly PermissionAsk[],
  context: EffectContext,
): Promise<unknown> {
  const manager = parts.permissions?.manager
  if (manager === undefined) return {}
  try {
    const failed = 'The permission manager failed'
    const answers: unknown = await askAuthority(failed, parts, asked, context, (whose, shown) =>
      manager.get(whose, shown),
    )
    const copied = copyJson(answers)
    const said = copied.problem === undefined ? copied.value : undefined
    const unread = asked.flatMap(({ name }) => (isRead(said, name) ? [] : name))
    if (unread.length > 0) tell(context, 'manager', unread, `The permission manager ${unreadText(said)}`)
    return said ?? {}
  } catch (error) {
    const names = asked.map(({ name }) => name)
    tell(context, 'manager', names, `${sentence(error)} The calls are denied.`)
    return {}
  }
}

/** A missing answer is a deliberate denial; another word, or a value that is not an object, is a defect. */
function isRead(answers: unknown, name: string): boolean {
  if (!isRecord(answers)) return false
  return !Object.hasOwn(answers, name) || known.some((answer) => answer === answers[name])
}

function unreadText(answers: unknown): string {
  const wish = 'Expected an answer by name of tool: approved, denied or requestable. The calls are denied.'
  return isRecord(answers) ? `returned an unknown word for a tool. ${wish}` : `returned no object. ${wish}`
}

function sentence(error: unknown): string {
  const text = thrownText(error).slice(0, 1_000).toWellFormed()
  return text.endsWith('.') ? text : `${text}.`
}

/** A run that no longer needs an answer receives no event. */
function tell(
  { emit, runId, clock, signal }: EffectContext,
  part: 'policy' | 'manager',
  toolNames: readonly string[],
  message: string,
): void {
  if (!signal.aborted) emit({ type: 'permission.failed', runId, at: clock.now(), part, toolNames, message })
}

const known: readonly PermissionAnswer[] = ['approved', 'denied', 'requestable']

function answerFor(answers: unknown, name: string): PermissionAnswer {
  if (!isRecord(answers) || !Object.hasOwn(answers, name)) return 'denied'
  const given = answers[name]
  return known.find((answer) => answer === given) ?? 'denied'
}
