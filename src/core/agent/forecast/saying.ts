/**
 * The forecast for an open run that would not continue in the same way, up to the next model answer: it continues
 * `otherwise`, is `stuck`, or is `unknown` if code decides.
 */
export type Outlook = 'otherwise' | 'stuck' | 'unknown'

/** One statement about a run. */
export interface Saying {
  readonly outlook: Outlook
  /** One or two sentences: what would happen, and what to do about it. */
  readonly reason: string
}

/** Returns the statement about a run that would continue differently. */
export function would(reason: string): Saying {
  return { outlook: 'otherwise', reason }
}
