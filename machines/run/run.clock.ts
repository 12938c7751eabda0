import type { RunContext, RunPatch } from './run.types.ts'

/** Counts running time up to `at`, in Unix milliseconds; time spent waiting is left out by `stopClock`. */
export function tick({ elapsedMs, since }: RunContext, at: number): RunPatch {
  if (at <= since) return {}
  return { elapsedMs: elapsedMs + (since === 0 ? 0 : at - since), since: at }
}

/** A call may tell of a time before the wait it ends; only a clock that runs counts it. */
export function tickRunning(context: RunContext, at: number): RunPatch {
  return context.since === 0 ? {} : tick(context, at)
}

/** Time nobody drove the run does not count. */
export function startClock(_: unknown, { at }: { readonly at: number }): RunPatch {
  return { since: at }
}

/** Time spent waiting does not count. */
export function stopClock(): RunPatch {
  return { since: 0 }
}
