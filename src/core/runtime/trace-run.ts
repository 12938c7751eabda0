import type { Json } from '../domain/text/json.ts'
import { attempt, tried } from '../domain/ignore-throws.ts'
import { originOf } from '../domain/run-origin.ts'
import { traceparentIn } from '../domain/trace-context.ts'
import type { EffectResult, TraceAsking } from '../ports/effect-handler.ts'
import type {
  EffectTrace,
  RunTrace,
  TracedAsk,
  TracedEffect,
  TracedEnd,
  TracedRest,
  Tracer,
  WorkTrace,
} from '../ports/tracer.ts'
import type { DriveRest } from './drive-options.ts'

/**
 * Opens the trace of a run that is stored, or about to be; undefined if the tracer throws. A failing tracer traces
 * nothing, and the run continues.
 */
export function openTrace(tracer: Tracer, runId: string, agent: string, input: Json): RunTrace | undefined {
  const { subject } = originOf(runId, agent, input)
  const traceparent = traceparentIn(input)
  return tried(() => tracer.open({ runId, agent, subject, ...(traceparent === undefined ? {} : { traceparent }) }))
}

/** Reports to a tracer the state in which a process left the run. */
export function endTrace(trace: RunTrace, rest: Pick<DriveRest, 'status' | 'outcome'> | undefined): void {
  const { status = 'left', outcome } = rest ?? {}
  const { reason, error } = outcome ?? {}
  const told: TracedRest = {
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(error === undefined ? {} : { error: { code: error.code } }),
  }
  tried(() => trace.end(told))
}

/** Returns the result of an effect for a tracer. */
export function endOf({ output, writes = [] }: EffectResult<unknown>): TracedEnd {
  return {
    output: typeof output === 'function' ? undefined : output,
    messages: writes.flatMap((write) => (write.kind === 'append' ? [write.message] : [])),
    results: writes.flatMap((write) => (write.kind === 'call' && write.patch.result ? [write.patch.result] : [])),
  }
}

/**
 * Opens the trace of an effect; undefined if the tracer wants none. Adds to `traces` the functions that end it, and its
 * requests, as cancelled.
 */
export function traceEffect(trace: RunTrace, effect: TracedEffect, traces: (() => void)[]): EffectTrace | undefined {
  const opened = tried(() => trace.performing(effect))
  if (opened === undefined) return undefined
  const isAsking = tried(() => typeof opened.asking === 'function') === true
  const asking = (ask: TracedAsk) => {
    const request = tried(() => opened.asking?.(ask))
    return request && guarded(request, traces)
  }
  return { ...guarded(opened, traces), ...(isAsking ? { asking } : {}) }
}

/**
 * Returns the function that performs a request of an effect within its trace, and ends the trace with the answer.
 * Returns undefined without a trace.
 */
export function askingIn({ asking }: EffectTrace): TraceAsking | undefined {
  if (asking === undefined) return undefined
  return async (ask, perform) => {
    const trace = asking(ask)
    if (trace === undefined) return perform()
    try {
      const answer = await trace.within(perform)
      trace.end({ answer })
      return answer
    } catch (error) {
      trace.end({ error })
      throw error
    }
  }
}

/** Guards the trace of a tracer that may fail: it ends once, also when its effect is no longer wanted. */
function guarded<End>(opened: WorkTrace<End | Unwanted>, traces: (() => void)[]): WorkTrace<End> {
  let isOver = false
  const end = (how: End | Unwanted) => {
    if (isOver) return
    isOver = true
    tried(() => opened.end(how))
  }
  traces.push(() => end({ isCancelled: true }))
  const context = tried(() => opened.context)
  return { ...(context === undefined ? {} : { context }), within: (perform) => within(opened, perform), end }
}

type Unwanted = { readonly isCancelled: true }

/** Performs exactly once, even if the tracer throws or does not call the function. */
function within<T>(opened: Pick<WorkTrace<never>, 'within'>, perform: () => T): T {
  let performed: (() => T) | undefined
  const once = () => (performed ??= attempt(perform))()
  tried(() => opened.within(once))
  return once()
}
