import { relative, resolve, sep } from 'node:path'
import { scripted, type ScriptedAnswer } from '../../adapters/providers/scripted.ts'
import { defined, isRecord } from '../../core/domain/text/json.ts'
import {
  checkedElsewhere,
  checkOptions,
  filledText,
  listOf,
  optional,
  text,
} from '../../core/domain/text/option-shape.ts'
import {
  type Agent,
  type AgentOptions,
  createAgent,
  type Model,
  type ModelRequest,
  textOf,
  type Tool,
  type ToolContext,
} from '../../index.ts'
import { type ModelMessage, toolCallsOf } from '../../ports.ts'
import { type CallAnswer, kinds, servingTools } from './foreign-requests.ts'
import { type ForeignProcess, ForeignSession, type TurnState } from './foreign-session.ts'

/** Options of `acpAgent`. */
export interface AcpAgentOptions
  extends ForeignProcess, Pick<AgentOptions, 'name' | 'store' | 'permissions' | 'limits'> {
  /**
   * Tools that perform its requests: `read_file`, `write_file` and `shell`, as `fileTools` and `shellTool` give them. Each
   * request is a call of its tool. Requests without a tool are refused. Default: none.
   */
  readonly tools?: readonly Tool[]
}

/**
 * Returns an agent whose work a foreign agent does, which is started as a process and spoken to over the Agent Client
 * Protocol. Each permission that it asks for is a call of a tool with the name of its kind, such as `execute` or `edit`,
 * which needs an approval. So rules allow or deny it, any process may decide it, and as a sub-agent it is under the rules of
 * its parents. Its requests for files and terminals are calls of `tools`. The costs that it tells are those of its run. After
 * a crash the work is suspended as `interrupted`.
 *
 * @example
 * const coder = acpAgent({ name: 'coder', command: 'opencode', args: ['acp'], cwd: process.cwd() })
 * const boss = createAgent({ name: 'boss', model, tools: [coder.asTool({ description: 'Changes code.' })] })
 */
export function acpAgent(options: AcpAgentOptions): Agent {
  checkOptions('acpAgent', options, {
    name: filledText,
    command: filledText,
    args: optional(listOf(text)),
    env: checkedElsewhere,
    cwd: filledText,
    mode: optional(filledText),
    tools: checkedElsewhere,
    store: checkedElsewhere,
    permissions: checkedElsewhere,
    limits: checkedElsewhere,
  })
  const { name, store, permissions, limits, cwd, tools = [] } = options
  const serving = new Set(tools.map((tool) => tool.name))
  // By the id of the run.
  const sessions = new Map<string, ForeignSession>()
  const toolset = {
    name: `agent "${options.name}" over ACP`,
    tools: async () => [workTool(options, serving, sessions), ...kinds.map((kind) => permissionTool(kind, cwd))],
    close: async () => {
      for (const session of sessions.values()) session.close()
      sessions.clear()
    },
  }
  return createAgent({
    name,
    model: foreignModel,
    tools: [toolset, ...tools],
    // A run that waits for a decision may be cancelled.
    plugins: [{ name: 'foreign process', afterRun: ({ runId }) => endOf(runId, sessions) }],
    // What comes next is told by the whole transcript.
    compaction: false,
    // Each permission takes two turns.
    limits: { maxTurns: 10_000, ...limits },
    ...defined({ store, permissions }),
  })
}

const unpaid = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

/** Answers what comes next. The answer after a step of the work costs what the foreign agent has told since. */
const foreignModel: Model = {
  ...scripted(nextStep, { id: 'acp' }),
  prices: unpaid,
  statesCost: true,
  async *stream(request) {
    for await (const event of scripted(nextStep, { id: 'acp' }).stream(request)) {
      yield event.type === 'finished' ? { ...event, message: { ...event.message, cost: newCost(request) } } : event
    }
  },
}

function newCost({ messages }: ModelRequest): number {
  const told = messages.flatMap((message) =>
    message.role === 'toolResult' && message.toolName === 'work' ? (stateIn(textOf(message)) ?? []) : [],
  )
  const last = told.at(-1)
  // Each session counts its own costs.
  const before = told.slice(0, -1).flatMap(({ sessionId, cost = 0 }) => (sessionId === last?.sessionId ? [cost] : []))
  const isNew = messages.findLast(({ role }) => role === 'toolResult' || role === 'user')
  if (isNew?.role !== 'toolResult' || isNew.toolName !== 'work') return 0
  return Math.max(0, (last?.cost ?? 0) - Math.max(0, ...before))
}

function permissionTool(kind: string, cwd: string): Tool {
  return {
    name: kind,
    description: `The foreign agent asks for a permission: ${kind}.`,
    input: { type: 'object' },
    effects: 'none',
    needs: 'approval',
    ruleFields: { command: 'command', path: (path) => relative(cwd, resolve(cwd, path)).replaceAll(sep, '/') },
    execute: () => 'Allowed.',
  }
}

/** The arguments of a step of the work. */
interface Work extends Partial<CallAnswer> {
  readonly prompt: string
  readonly sessionId?: string
  /** The request that is answered. */
  readonly answers?: string
}

function workTool(wanted: ForeignProcess, tools: ReadonlySet<string>, sessions: Map<string, ForeignSession>): Tool {
  return {
    name: 'work',
    description: 'Has the foreign agent work until it asks for something or has ended.',
    input: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
    effects: 'once',
    timeoutMs: Infinity,
    execute: async (given: Work, context: ToolContext) => {
      const { sessionId = '', answers = '', isAllowed = false } = given
      const { runId } = context
      const live = sessions.get(runId)
      const isLive = live?.id === sessionId && live.answer(answers, { ...given, isAllowed })
      // One that another process has gone on without is not asked again.
      if (!isLive) endOf(runId, sessions)
      const session = isLive ? live : await takenUp(wanted, tools, given, context)
      if (session === undefined) return context.suspend(interrupted('its process is gone, and it loads no session'))
      sessions.set(runId, session)
      const state = await session.next(context.signal)
      const told = { sessionId: session.id, ...defined({ cost: session.cost }), ...state }
      if ('asked' in state) return told
      endOf(runId, sessions)
      return 'ended' in state ? context.suspend(interrupted(state.ended)) : told
    },
  }
}

/** Ends the process of a run, if there is one. */
function endOf(runId: string, sessions: Map<string, ForeignSession>): void {
  sessions.get(runId)?.close()
  sessions.delete(runId)
}

function interrupted(why: string) {
  const message = `The foreign agent was interrupted: ${why}. Approving has it go on where it can load its session, and begin anew where it cannot.`
  return { reason: 'interrupted' as const, message }
}

/** Starts a process for a step; undefined if the task can only begin anew, and nobody has said that it may. */
async function takenUp(
  wanted: ForeignProcess,
  tools: ReadonlySet<string>,
  given: Work,
  context: ToolContext,
): Promise<ForeignSession | undefined> {
  context.signal.throwIfAborted()
  const session = new ForeignSession(wanted, tools)
  const leave = () => session.close()
  context.signal.addEventListener('abort', leave, { once: true })
  try {
    await session.connect()
    const isAtWork = await begun(session, given, context)
    context.signal.throwIfAborted()
    if (isAtWork) return session
    session.close()
    return undefined
  } catch (error) {
    session.close()
    throw error
  } finally {
    context.signal.removeEventListener('abort', leave)
  }
}

/** Has a process take up a step; returns false if the task can only begin anew, and nobody has said that it may. */
async function begun(
  session: ForeignSession,
  { prompt, sessionId, answers, isAllowed = false, ...answer }: Work,
  { step, attempt, suspension }: ToolContext,
): Promise<boolean> {
  const known = sessionId ?? (await step('session', () => session.begin()))
  const isRepeated = attempt > 1 || suspension !== undefined
  if (known === session.id) {
    session.prompt(prompt)
  } else if (session.canLoad) {
    await session.load(known)
    const isHeard = answers !== undefined || (isRepeated && session.hasHeard(prompt))
    if (answers !== undefined) session.expect(answers, { ...answer, isAllowed })
    session.prompt(isHeard ? 'You were interrupted. Go on with the task where you left it.' : prompt)
  } else if (suspension?.reason === 'interrupted' || (answers === undefined && !isRepeated)) {
    await session.begin()
    session.prompt(prompt)
  } else {
    return false
  }
  return true
}

/** Decides what comes next by the transcript alone: a step of the work, a permission, or the answer. */
function nextStep({ messages }: ModelRequest): ScriptedAnswer {
  const last = messages.findLast((message) => message.role === 'toolResult')
  const result = messages.findLast((message) => message.role === 'toolResult' && message.toolName === 'work')
  const state = result === undefined ? undefined : stateIn(textOf(result))
  const prompted = messages.findLastIndex(
    (message) => message.role === 'assistant' && toolCallsOf(message).some(isPrompt),
  )
  const unsaid = messages.slice(prompted + 1).filter(({ role }) => role === 'user')
  const promptOf = (said: readonly (typeof messages)[number][]) => said.map((message) => textOf(message)).join('\n')
  const work = (given: Work): ScriptedAnswer => ({ toolCalls: [{ name: 'work', arguments: { ...given } }] })
  if (last === undefined || state === undefined) {
    if (last !== undefined) throw new Error(textOf(last))
    return work({ prompt: promptOf(unsaid) })
  }
  const { sessionId } = state
  if ('asked' in state) {
    const { tool, id: answers, arguments: given } = state.asked
    if (last === result) return { toolCalls: [{ name: tool, arguments: given }] }
    const prompt = promptOf(
      messages
        .slice(0, prompted)
        .filter(({ role }) => role === 'user')
        .slice(-1),
    )
    return work({ prompt, sessionId, answers, ...answerIn(last) })
  }
  if (unsaid.length > 0) return work({ prompt: promptOf(unsaid), sessionId })
  if (state.stopReason !== 'end_turn') throw new Error(`The foreign agent has stopped: ${state.stopReason}.`)
  return { text: state.text === '' ? 'Done.' : state.text }
}

/** The characters of a result that the foreign agent is told. */
const mostText = 400_000

/** Returns the answer to a request by the result of its call: a permission, the text of a file, or the end of a command. */
function answerIn(result: ModelMessage): CallAnswer {
  if (result.role !== 'toolResult') return { isAllowed: false }
  const { toolName, isError } = result
  const isPermission = kinds.includes(toolName)
  if (isPermission) return { isAllowed: !isError }
  const texts = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const whole = toolName === servingTools.read && !isError ? texts.slice(0, 1).join('') : texts.join('\n')
  const told = whole === '[The file is empty.]' ? '' : whole.slice(0, mostText)
  if (toolName !== servingTools.run) {
    if (whole.length <= mostText) return { isAllowed: !isError, text: told }
    return { isAllowed: false, text: `The file is too large: at most ${mostText} characters are read. Ask for lines.` }
  }
  const noted = (note: RegExp) => texts.map((line) => note.exec(line)?.[1]).findLast((found) => found !== undefined)
  const signal = noted(/^\[Ended by (\w+)\.\]$/)
  if (signal !== undefined) return { isAllowed: !isError, text: told, signal }
  const code = noted(/^\[Exit code (\d+)\.\]$/)
  return { isAllowed: !isError, text: told, ...(isError ? {} : { exitCode: Number(code ?? 0) }) }
}

/** Returns true for a step that begins a turn, and not for the answer to a permission. */
function isPrompt({ name, arguments: given }: { readonly name: string; readonly arguments: unknown }): boolean {
  return name === 'work' && isRecord(given) && !('answers' in given)
}

type Result = { readonly sessionId: string; readonly cost?: number } & Exclude<TurnState, { readonly ended: string }>

/** Reads the result of a step; undefined for a failed one. */
function stateIn(json: string): Result | undefined {
  try {
    const read: unknown = JSON.parse(json)
    return isRecord(read) && typeof read['sessionId'] === 'string' ? (read as unknown as Result) : undefined
  } catch {
    return undefined
  }
}
