/** A source of unique ids, injected so that tests can predict them. */
export interface Ids {
  /** Returns a string of `[A-Za-z0-9_-]` that starts with `prefix`. */
  next(prefix: string): string
}
