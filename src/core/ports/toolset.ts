import type { Tool } from './tool.ts'

/**
 * Tools that come from elsewhere: a server, a document. An agent opens a set on first use, and closes it when the agent
 * closes. It reads the set again between turns once the set has told a change. So a set belongs to one agent.
 */
export interface Toolset {
  /** Shown in errors and events. */
  readonly name: string
  /** A set that cannot be reached is left out with an event instead of ending the run. */
  readonly optional?: boolean
  /**
   * The tools as they are now; connects where there is no connection yet. Where the set cannot be reached, it rejects
   * with what went wrong and what to do: within a bounded time, and at once when the signal fires. When it is asked
   * again, it tries again.
   */
  tools(options?: { readonly signal?: AbortSignal }): Promise<readonly Tool[]>
  /** Takes a listener, and returns a function that stops the listening. */
  changed?(listener: () => void): () => void
  /**
   * Ends connections and processes, also those that are just being made. May be called at any time and more than once.
   * Afterwards `tools` rejects, and so do calls of its tools.
   */
  close(): Promise<void>
}
