import type { RunError } from '../domain/outcome.ts'
import { thrownText } from '../domain/thrown-text.ts'

/** What the root machine of every run hears from the runtime. */
export type RuntimeEvent =
  | { readonly type: 'run.woken'; readonly at: number; readonly awakeUntil?: number }
  | { readonly type: 'run.failed'; readonly error: RunError; readonly at: number }

/** Tells the root machine that a stored run is driven on, and until when it was driven before, where that is known. */
export function wokenEvent(at: number, awakeUntil?: number): RuntimeEvent {
  return { type: 'run.woken', at, ...(awakeUntil === undefined ? {} : { awakeUntil }) }
}

/** Tells the root machine of a defect that ends its run. */
export function failedEvent(error: RunError, at: number): RuntimeEvent {
  return { type: 'run.failed', error, at }
}

/** Tells the root machine that the effect `src` could not be performed. */
export function effectFailedEvent(src: string, cause: unknown, at: number): RuntimeEvent {
  return failedEvent({ code: 'effect_failed', message: `${src}: ${thrownText(cause)}` }, at)
}
