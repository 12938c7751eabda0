import type { RunError } from '../domain/outcome.ts'

/** Tells the root machine that a stored run is driven on. */
export function wokenEvent(at: number): { readonly type: string; readonly at: number } {
  return { type: 'run.woken', at }
}

/** Tells the root machine of a defect that ends its run. */
export function failedEvent(
  error: RunError,
  at: number,
): { readonly type: string; readonly error: RunError; readonly at: number } {
  return { type: 'run.failed', error, at }
}
