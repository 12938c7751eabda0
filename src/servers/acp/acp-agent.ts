import { fileTools } from '../../adapters/tools/files.ts'
import { defined } from '../../core/domain/text/json.ts'
import {
  checkedElsewhere,
  checkOptions,
  filledText,
  listOf,
  optional,
  text,
} from '../../core/domain/text/option-shape.ts'
import { thrownText } from '../../core/domain/text/thrown-text.ts'
import { type Agent, type AgentOptions, createAgent, type Tool, type ToolContext } from '../../index.ts'
import { foreignModel, type Work } from './foreign-model.ts'
import { kinds } from './foreign-requests.ts'
import type { ForeignProcess } from './foreign-process.ts'
import { ForeignSession } from './foreign-session.ts'

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
 * Returns an agent whose work is done by a foreign agent, a process that communicates over the Agent Client Protocol.
 * Each permission request is a call of a tool with the name of its kind, such as `execute` or `edit`, which needs an
 * approval. So rules allow or deny it, any process may decide it, and as a sub-agent it is under the rules of its
 * parents. Its requests for files and terminals are calls of `tools`. The costs that it reports are those of its run.
 * After a crash the work is suspended as `interrupted`.
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
    tools: async () => {
      // Rules read a path as file tools do, links followed.
      const ruleFields = { command: 'command' as const, ...fileTools({ root: cwd })[0]?.ruleFields }
      return [workTool(options, serving, sessions), ...kinds.map((kind) => permissionTool(kind, ruleFields))]
    },
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
    // The whole transcript determines what comes next.
    compaction: false,
    // Each permission takes two turns.
    limits: { maxTurns: 10_000, ...limits },
    ...defined({ store, permissions }),
  })
}

function permissionTool(kind: string, ruleFields: Tool['ruleFields']): Tool {
  return {
    name: kind,
    description: `The foreign agent asks for a permission: ${kind}.`,
    input: { type: 'object' },
    effects: 'none',
    needs: 'approval',
    ...defined({ ruleFields }),
    execute: () => 'Allowed.',
  }
}

function workTool(wanted: ForeignProcess, tools: ReadonlySet<string>, sessions: Map<string, ForeignSession>): Tool {
  return {
    name: 'work',
    description: 'Makes the foreign agent work until it asks for something or has finished.',
    input: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
    effects: 'once',
    timeoutMs: Infinity,
    execute: async (given: Work, context: ToolContext) => {
      const { sessionId = '', answers = '', isAllowed = false, ended } = given
      const { runId, suspension } = context
      if (ended !== undefined && suspension === undefined) return context.suspend(interrupted(ended))
      const live = sessions.get(runId)
      const isLive = live?.id === sessionId && live.answer(answers, { ...given, isAllowed })
      // A call with which another process has already continued is not asked about again.
      if (!isLive) endOf(runId, sessions)
      const session = isLive ? live : await takenUp(wanted, tools, given, context)
      if (session === undefined) return context.suspend(interrupted('its process is gone, and it cannot load sessions'))
      sessions.set(runId, session)
      const state = await session.next(context.signal)
      if (!('asked' in state)) endOf(runId, sessions)
      const told = { sessionId: session.id, ...defined({ cost: session.cost }), ...state }
      const details = session.process.wrote === '' ? {} : { details: { stderr: session.process.wrote } }
      return { content: [{ type: 'text', text: JSON.stringify(told) }], ...details }
    },
  }
}

/** Ends the process of a run, if there is one. */
function endOf(runId: string, sessions: Map<string, ForeignSession>): void {
  sessions.get(runId)?.close()
  sessions.delete(runId)
}

function interrupted(why: string) {
  const message = `The foreign agent was interrupted: ${why.replace(/\.$/, '')}. If you approve, it continues if it can load its session, or else begins again.`
  return { reason: 'interrupted' as const, message }
}

/** Starts a process for a step; undefined if the task can only be restarted, and that is not approved. */
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
    if (!isAtWork) session.close()
    return isAtWork ? session : undefined
  } catch (error) {
    session.close()
    await session.process.gone
    const { lastWords } = session.process
    throw lastWords === '' ? error : new Error(thrownText(error) + lastWords, { cause: error })
  } finally {
    context.signal.removeEventListener('abort', leave)
  }
}

/** Lets a process continue a step; returns false if the task can only be restarted, and that is not approved. */
async function begun(
  session: ForeignSession,
  { prompt, sessionId, answers, isAllowed = false, ...answer }: Work,
  { step, attempt, suspension }: ToolContext,
): Promise<boolean> {
  const known = sessionId ?? (await step('session', () => session.begin()))
  const isRepeated = attempt > 1 || suspension !== undefined
  let isHeard = false
  if (known !== session.id && session.canLoad) {
    await session.load(known)
    isHeard = answers !== undefined || (isRepeated && session.hasHeard(prompt))
    if (answers !== undefined) session.answer(answers, { ...answer, isAllowed })
  } else if (known !== session.id) {
    if (suspension?.reason !== 'interrupted' && (answers !== undefined || isRepeated)) return false
    await session.begin()
  }
  session.prompt(isHeard ? 'You were interrupted. Continue the task where you left off.' : prompt)
  return true
}
