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
  type ModelRequest,
  textOf,
  type Tool,
  type ToolContext,
} from '../../index.ts'
import { toolCallsOf } from '../../ports.ts'
import { type ForeignProcess, ForeignSession, type TurnState } from './foreign-session.ts'

/** Options of `acpAgent`. */
export interface AcpAgentOptions
  extends ForeignProcess, Pick<AgentOptions, 'name' | 'store' | 'permissions' | 'limits'> {}

/**
 * Returns an agent whose work a foreign agent does, which is started as a process and spoken to over the Agent Client
 * Protocol. Each permission that it asks for is a call of a tool with the name of its kind, such as `execute` or `edit`,
 * which needs an approval. So rules allow or deny it, any process may decide it, and as a sub-agent it is under the rules of
 * its parents. Its requests for files and terminals are refused. After a crash the work is suspended as `interrupted`.
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
    store: checkedElsewhere,
    permissions: checkedElsewhere,
    limits: checkedElsewhere,
  })
  const { name, store, permissions, limits, cwd } = options
  const sessions = new Map<string, ForeignSession>()
  const toolset = {
    name: `agent "${options.name}" over ACP`,
    tools: async () => [workTool(options, sessions), ...kinds.map((kind) => permissionTool(kind, cwd))],
    close: async () => {
      for (const session of sessions.values()) session.close()
      sessions.clear()
    },
  }
  return createAgent({
    name,
    model: scripted(nextStep, { id: 'acp' }),
    tools: [toolset],
    // Each permission takes two turns.
    limits: { maxTurns: 10_000, ...limits },
    ...defined({ store, permissions }),
  })
}

/** The kinds of calls that the protocol knows. */
const kinds = ['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other']

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
interface Work {
  readonly prompt: string
  readonly sessionId?: string
  /** The permission that is answered. */
  readonly permission?: string
  readonly isAllowed?: boolean
}

function workTool(wanted: ForeignProcess, sessions: Map<string, ForeignSession>): Tool {
  return {
    name: 'work',
    description: 'Has the foreign agent work until it asks for a permission or has ended.',
    input: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
    effects: 'once',
    timeoutMs: Infinity,
    execute: async (given: Work, context: ToolContext) => {
      const { sessionId = '', permission = '', isAllowed = false } = given
      const live = sessions.get(sessionId)
      const session = live?.answer(permission, isAllowed) === true ? live : await takenUp(wanted, given, context)
      if (session === undefined) return context.suspend(interrupted('its process is gone, and it loads no session'))
      sessions.set(session.id, session)
      const state = await session.next(context.signal)
      if ('permission' in state) return { sessionId: session.id, ...state }
      sessions.delete(session.id)
      session.close()
      return 'ended' in state ? context.suspend(interrupted(state.ended)) : { sessionId: session.id, ...state }
    },
  }
}

function interrupted(why: string) {
  const message = `The foreign agent was interrupted: ${why}. Approving has it go on where it can load its session, and begin anew where it cannot.`
  return { reason: 'interrupted' as const, message }
}

/** Starts a process for a step; undefined if the task can only begin anew, and nobody has said that it may. */
async function takenUp(
  wanted: ForeignProcess,
  { prompt, sessionId, permission, isAllowed = false }: Work,
  { step, attempt, suspension }: ToolContext,
): Promise<ForeignSession | undefined> {
  const session = await ForeignSession.start(wanted)
  const known = sessionId ?? (await step('session', () => session.begin()))
  const isRepeated = attempt > 1 || suspension !== undefined
  if (known === session.id) {
    session.prompt(prompt)
  } else if (session.canLoad) {
    await session.load(known)
    const isHeard = permission !== undefined || (isRepeated && session.hasHeard(prompt))
    if (permission !== undefined) session.expect(permission, isAllowed)
    session.prompt(isHeard ? 'You were interrupted. Go on with the task where you left it.' : prompt)
  } else if (suspension?.reason === 'interrupted' || (permission === undefined && !isRepeated)) {
    await session.begin()
    session.prompt(prompt)
  } else {
    session.close()
    return undefined
  }
  return session
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
  if ('permission' in state) {
    const { kind, id: permission, arguments: given } = state.permission
    if (last === result) return { toolCalls: [{ name: kind, arguments: given }] }
    const prompt = promptOf(
      messages
        .slice(0, prompted)
        .filter(({ role }) => role === 'user')
        .slice(-1),
    )
    return work({ prompt, sessionId, permission, isAllowed: last.role === 'toolResult' && !last.isError })
  }
  if (unsaid.length > 0) return work({ prompt: promptOf(unsaid), sessionId })
  if (state.stopReason !== 'end_turn') throw new Error(`The foreign agent has stopped: ${state.stopReason}.`)
  return { text: state.text === '' ? 'Done.' : state.text }
}

/** Returns true for a step that begins a turn, and not for the answer to a permission. */
function isPrompt({ name, arguments: given }: { readonly name: string; readonly arguments: unknown }): boolean {
  return name === 'work' && isRecord(given) && !('permission' in given)
}

type Result = { readonly sessionId: string } & Exclude<TurnState, { readonly ended: string }>

/** Reads the result of a step; undefined for a failed one. */
function stateIn(json: string): Result | undefined {
  try {
    const read: unknown = JSON.parse(json)
    return isRecord(read) && typeof read['sessionId'] === 'string' ? (read as unknown as Result) : undefined
  } catch {
    return undefined
  }
}
