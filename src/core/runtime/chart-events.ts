import { ApplicationError } from '../domain/application-error.ts'
import type { RunError } from '../domain/outcome.ts'
import { thrownText } from '../domain/text/thrown-text.ts'

/** The events from the runtime to the root machine. */
export type RuntimeEvent =
  | { readonly type: 'run.woken'; readonly at: number; readonly awakeUntil?: number }
  | { readonly type: 'run.failed'; readonly error: RunError; readonly at: number }

/**
 * Returns the event that tells the root machine that a stored run is driven again, and until when it was driven before,
 * if that is known.
 */
export function wokenEvent(at: number, awakeUntil?: number): RuntimeEvent {
  return { type: 'run.woken', at, ...(awakeUntil === undefined ? {} : { awakeUntil }) }
}

/** Returns the event that tells the root machine of a defect that ends its run. */
export function failedEvent(error: RunError, at: number): RuntimeEvent {
  return { type: 'run.failed', error, at }
}

/**
 * Returns the event that tells the root machine that the effect `src` could not be performed. The message begins with
 * the name of the effect, unless it names code of the application that failed.
 */
export function effectFailedEvent(src: string, cause: unknown, at: number): RuntimeEvent {
  const text = thrownText(cause)
  const message = cause instanceof ApplicationError ? text : `${src}: ${text}`
  return failedEvent({ code: 'effect_failed', message }, at)
}
