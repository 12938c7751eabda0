import type { PluginPhase } from '../../machines/run/run.types.ts'
import { argumentsOf, type CallRecord, callOf, type StateChange } from '../domain/call.ts'
import type { StoredDecision } from '../domain/inbox.ts'
import { thrownText } from '../domain/thrown-text.ts'
import type { EffectContext } from '../ports/effect-handler.ts'
import type { AgentParts } from './agent-parts.ts'
import type { CallPhaseContext, PhaseContext, Plugin } from '../ports/plugin.ts'
import { checkedChanges } from './plain-input.ts'

/** Makes a function a plugin is given deaf once the plugin's hook has ended. */
export type Heard = <Args extends readonly unknown[]>(ask: (...args: Args) => void) => (...args: Args) => void

/** How long a hook may take, and by which clock. */
export type HookBounds = Pick<AgentParts, 'hookTimeoutMs'> & Pick<EffectContext, 'clock' | 'signal'>

/** The hooks of a plugin: phases, and the transform of a request, which no chart knows. */
export type PluginMethod = PluginPhase | 'transformRequest'

/**
 * Calls one hook of a plugin. One that throws, or does not end in time, ends the run; the error names plugin and phase. The
 * signal it is given fires when its time is over, and when the run no longer wants it.
 */
export async function callHook<Answer>(
  { name }: Plugin,
  phase: PluginMethod,
  bounds: HookBounds,
  hook: (heard: Heard, signal: AbortSignal) => Answer | Promise<Answer>,
): Promise<Answer> {
  let isOver = false
  const heard: Heard =
    (ask) =>
    (...args) => {
      if (!isOver) ask(...args)
    }
  try {
    const answer = async (signal: AbortSignal) => hook(heard, signal)
    return await withinHookTime(bounds, answer)
  } catch (cause) {
    throw new Error(`Plugin "${name}" failed in ${phase}: ${thrownText(cause)}`, { cause })
  } finally {
    isOver = true
  }
}

/** Waits for an answer of the user's code as long as a hook may take; throws, and fires its signal, where it does not come in time. */
export async function withinHookTime<Answer>(
  { hookTimeoutMs, clock, signal }: HookBounds,
  answer: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  if (hookTimeoutMs === Infinity) return answer(signal)
  const done = new AbortController()
  const late = new AbortController()
  const due = clock.now() + hookTimeoutMs
  const tooLate = clock.sleepUntil(due, AbortSignal.any([signal, done.signal])).then((): never => {
    const error = new Error(`it did not end within ${hookTimeoutMs} ms.`)
    if (!done.signal.aborted) late.abort(error)
    throw error
  })
  try {
    return await Promise.race([answer(AbortSignal.any([signal, late.signal])), tooLate])
  } finally {
    done.abort()
  }
}

/** What a plugin is given of a run; what it patches is added to `changes`. */
export function phaseContext(
  turn: number,
  changes: StateChange[],
  { runId, run, view, signal }: EffectContext,
  heard: Heard,
): PhaseContext {
  return {
    runId,
    run,
    turn,
    state: view.state,
    signal,
    messages: () => view.messages(),
    patch: heard((more) => void changes.push(...checkedChanges(more))),
  }
}

/** A context that shows a call as it is about to be written. */
export function seeingCall(context: EffectContext, changed: CallRecord): EffectContext {
  const { view } = context
  return {
    ...context,
    view: {
      messages: () => view.messages(),
      lastAnswer: () => view.lastAnswer(),
      carriedTurns: view.carriedTurns,
      message: (seq) => view.message(seq),
      call: (callId) => (callId === changed.callId ? changed : view.call(callId)),
      state: view.state,
      value: (name) => view.value(name),
    },
  }
}

/** What a plugin is given of a call. */
export function callContext(
  callId: string,
  decision: StoredDecision | undefined,
  changes: StateChange[],
  context: EffectContext,
  heard: Heard,
): CallPhaseContext {
  const call = callOf(context.view, callId)
  const turn = Number.parseInt(callId, 10)
  return {
    ...phaseContext(turn, changes, context, heard),
    call,
    arguments: structuredClone(argumentsOf(call, context.view)),
    ...(decision === undefined ? {} : { decision: structuredClone(decision) }),
  }
}
