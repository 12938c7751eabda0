import type { Performed, RunToolInput } from '../../../../machines/tool-call/tool-call.types.ts'
import { argumentsOf, callOf, type CallRecord } from '../../domain/call.ts'
import type { AgentEvent } from '../../domain/event.ts'
import { frozenCopy, toPlainJson } from '../../domain/text/json.ts'
import { LostStore } from '../../domain/store-error.ts'
import { ignoreRejection } from '../../domain/ignore-throws.ts'
import { inTime } from '../../ports/clock.ts'
import type { EffectHandler, EffectContext, EffectResult } from '../../ports/effect-handler.ts'
import type { Plugin } from '../../ports/plugin.ts'
import type { Tool, ToolContext, ToolReturn } from '../../ports/tool.ts'
import { checkValue } from './check-value.ts'
import type { AgentParts } from '../agent-parts.ts'
import { type Concluded, concluded, failure, interrupted, resultOf } from './conclude.ts'
import { listening } from '../ask-code.ts'
import { heldToOutput, isErrorResult } from './held-to-output.ts'
import { RefusedValue, valueOfResult } from '../plugins/ask-on-tool-value.ts'
import { ToolPerformance } from './tool-performance.ts'
import { retryAtOnce, retryOf } from './tool-retry.ts'
import { errorResult } from './tool-result.ts'

/** Executes one tool once. It returns a result even if the tool throws. */
export function runTool(parts: AgentParts): EffectHandler<RunToolInput, Performed> {
  const plugins = listening(parts.plugins, 'onToolValue')
  return {
    kind: 'recorded',
    perform: async (input, context) => {
      const call = callOf(context.view, input.callId)
      const { runId, emit, clock } = context
      const { callId, toolName } = call
      const head = { runId, callId, toolName }
      const attempt = input.attempt + context.takeovers
      const probing = { ...input, attempt }
      if (context.takeovers > 0) {
        const known = await byProbe(parts, call, probing, context)
        if (known === 'notDone') return resultOf(call, interrupted(call, context, notDoneText))
        // The verdict is committed before the tool runs again.
        if (known === 'runAgain') return { output: runsAgain(clock.now(), { attempt: attempt - 1 }) }
        if (known !== undefined) return known
      }
      const hooks = listening(parts.plugins, 'beforeUpdate').length + listening(parts.plugins, 'afterUpdate').length
      const updates = hooks === 0 ? undefined : await hookedUpdates(parts, call, context)
      const given = argumentsOf(call, context.view)
      emit({ type: 'toolExecution.started', ...head, at: clock.now(), arguments: given, attempt })
      context.ifCancelled({ type: 'toolExecution.ended', ...head, status: 'cancelled', isError: true })
      const performance = new ToolPerformance({ ...input, attempt }, call, context, { plugins, updates })
      const tellRefusal = async (cause: unknown): Promise<never> => {
        const isRefused = cause instanceof RefusedValue && !context.signal.aborted
        if (isRefused) await updates?.end()
        if (isRefused)
          emit({ type: 'toolExecution.ended', ...head, at: clock.now(), status: 'cancelled', isError: true })
        throw cause
      }
      const executed = execute(parts, call, { ...context, signal: performance.signal }, performance)
      const { tool, returned } = await performance.untilRefused(executed).catch(tellRefusal)
      performance.end()
      const hookFailure = updates === undefined ? undefined : await updates.end()
      const isTimedOut = isErrorResult(returned) && Reflect.get(returned as object, 'code') === 'timed_out'
      const timedOut = isTimedOut ? await byProbe(parts, call, probing, context) : undefined
      if (typeof timedOut === 'object') return timedOut
      const conclusion = await concluded(plugins, call, returned, performance, context).catch(tellRefusal)
      const isAgain = timedOut === 'runAgain'
      const retry = isAgain
        ? retryAtOnce(conclusion)
        : tool?.retry && retryOf(tool.retry, input, conclusion, parts.retry.random)
      const { status } = conclusion.output
      const shown = await shownResult(plugins, tool, returned, conclusion)
      const again = retry === undefined ? {} : { retry }
      if (!context.signal.aborted) {
        context.ifCancelled(undefined)
        emit({
          type: 'toolExecution.ended',
          ...head,
          at: clock.now(),
          status,
          isError: status === 'failed',
          ...shown,
          ...again,
        })
      }
      // A performance after others that ended with their processes says which it was.
      const numbered = context.takeovers === 0 ? {} : { attempt }
      const failed = hookFailure === undefined ? {} : { failure: hookFailure }
      if (retry === undefined) return { ...resultOf(call, conclusion, numbered), ...failed }
      const { at } = conclusion.output
      const output = isAgain ? runsAgain(at, numbered) : { status, retryAt: retry.at, ...numbered, at }
      return { output, ...failed }
    },
    recover: ({ callId, effects }, context) => {
      const call = callOf(context.view, callId)
      const tool = knownTool(parts, call, context)
      if (effects !== 'once' && (tool === undefined || !isOnce(tool))) return undefined
      if (tool?.probe !== undefined) return undefined
      return resultOf(call, interrupted(call, context))
    },
  }
}

/** Returns the tool of current code if it is known without opening a toolset. */
function knownTool({ tools }: AgentParts, { toolName }: CallRecord, { view }: EffectContext): Tool | undefined {
  const table = tools.inRound(view)
  ignoreRejection(table)
  return table instanceof Promise ? undefined : table.get(toolName)
}

function isOnce({ effects = 'once' }: Tool): boolean {
  return effects === 'once'
}

const notDoneText = 'The probe says that the call has not acted.'

/** Returns the end of an execution that has not acted, so that the call runs again under any effects policy. */
function runsAgain(at: number, numbered: Pick<Performed, 'attempt'>): Performed {
  return { status: 'failed', isNotDone: true, retryAt: at, ...numbered, at }
}

/** Asks the probe of a `once` tool. Returns undefined if the tool has no probe. */
async function byProbe(
  parts: AgentParts,
  call: CallRecord,
  input: RunToolInput,
  context: EffectContext,
): Promise<EffectResult<Performed> | 'runAgain' | 'notDone' | undefined> {
  const tool = (await parts.tools.inRound(context.view)).get(call.toolName)
  if (tool?.probe === undefined || (input.effects !== 'once' && !isOnce(tool))) return undefined
  const { concludeByProbe } = await import('./conclude-by-probe.ts')
  return concludeByProbe(parts, { ...tool, probe: tool.probe }, call, input, context)
}

async function hookedUpdates({ plugins, pluginTimeoutMs }: AgentParts, call: CallRecord, context: EffectContext) {
  const updates = await import('./hooked-updates.ts')
  return new updates.HookedUpdates({ plugins, pluginTimeoutMs, call, context })
}

/** The fields of the event other than its outcome. */
type ShownResult = Pick<Extract<AgentEvent, { type: 'toolExecution.ended' }>, 'result' | 'output' | 'childRunId'>

/** Returns the value if the tool has an output schema that it fits. */
async function shownResult(
  plugins: readonly Plugin[],
  tool: Tool | undefined,
  returned: ToolReturn,
  { patch, taken }: Concluded,
): Promise<ShownResult> {
  const { result } = patch
  if (result === undefined) return {}
  const { childRunId, isError } = result
  const told = { result, ...(childRunId === undefined ? {} : { childRunId }) }
  if (tool?.output === undefined || isError) return told
  const kept = taken !== undefined && plugins.length > 0 ? valueOfResult(toPlainJson(returned), taken) : returned
  const { value } = { value: undefined, ...(await checkValue(tool.output, kept, tool.formats)) }
  const output = frozenCopy(value)
  return output === undefined ? told : { ...told, output }
}

/** The return value of a tool; `tool` is absent if none was executed. */
interface Executed {
  readonly tool?: Tool
  readonly returned: ToolReturn
}

async function execute(
  parts: AgentParts,
  call: CallRecord,
  context: EffectContext,
  performance: ToolPerformance,
): Promise<Executed> {
  const tool = (await parts.tools.inRound(context.view)).get(call.toolName)
  if (tool === undefined)
    return { returned: errorResult(`Tool "${call.toolName}" is not registered any more.`, 'unknown_tool') }
  const checked = await checkValue(tool.input, argumentsOf(call, context.view), tool.formats)
  if (checked.issues !== undefined) {
    return { returned: errorResult(`Invalid arguments for "${tool.name}":\n${checked.issues}`, 'bad_arguments') }
  }
  const timeoutMs = tool.timeoutMs ?? parts.toolTimeoutMs ?? Infinity
  const run = async (signal: AbortSignal) => {
    const toolContext = await performance.toolContext(signal)
    const unconfirmed = context.confirmLease((tool.effects ?? 'once') === 'once')
    if (unconfirmed !== undefined) await unconfirmed
    // Nothing is done outside for a call that was cancelled while its arguments were checked.
    signal.throwIfAborted()
    return settled(tool, checked.value, toolContext)
  }
  if (timeoutMs === Infinity) return { tool, returned: await run(context.signal) }
  let late: Error | undefined
  try {
    // A tool that ignores its signal must not block the round.
    return { tool, returned: await inTime(context, timeoutMs, run, () => (late ??= new Error('Timeout'))) }
  } catch (error) {
    if (error !== late) throw error
    const text = `Timeout: tool "${tool.name}" gave no result within ${timeoutMs} ms.`
    return { tool, returned: errorResult(text, 'timed_out') }
  }
}

/**
 * A thrown error becomes a failure with its text. A failure of the store during the engine's own work is not a failure
 * of the call.
 */
async function settled(tool: Tool, value: unknown, context: ToolContext): Promise<ToolReturn> {
  try {
    return await heldToOutput(tool, await tool.execute(value as never, context))
  } catch (error) {
    if (error instanceof LostStore) throw error.cause
    return failure(tool.name, error)
  }
}
