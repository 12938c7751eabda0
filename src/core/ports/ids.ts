/** Fresh unique ids, injected so that tests can predict them. */
export interface Ids {
  /** A string of `[A-Za-z0-9_-]` that starts with `prefix`. */
  next(prefix: string): string
}
