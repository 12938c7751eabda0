import type { Tool } from './tool.ts'

/**
 * Tools that come from elsewhere: a server, a document. An agent opens a set on first use, reads it again between turns
 * once it says it has changed, and closes it with itself; so a set belongs to one agent.
 */
export interface Toolset {
  /** Shown in errors and events. */
  readonly name: string
  /** A set that cannot be reached is left out with an event instead of ending the run. */
  readonly optional?: boolean
  /**
   * The tools as they are now; connects where there is no connection yet. Rejects, with what went wrong and what to do,
   * where the set cannot be reached, within a bounded time, and at once when the signal fires; asked again, it tries again.
   */
  tools(options?: { readonly signal?: AbortSignal }): Promise<readonly Tool[]>
  /** Called with a listener; answers how to stop listening. */
  changed?(listener: () => void): () => void
  /**
   * Ends connections and processes, those being made included. May be called at any time and more than once; afterwards
   * `tools` rejects, and so does what its tools are asked for.
   */
  close(): Promise<void>
}
