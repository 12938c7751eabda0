import type { Tool } from './tool.ts'

/**
 * A set of tools from elsewhere, such as a server or a document. An agent opens a toolset on first use, reads it again
 * between turns after the toolset has reported a change, and closes it when the agent closes. A toolset therefore
 * belongs to one agent.
 */
export interface Toolset {
  /** The name in errors and events. */
  readonly name: string
  /** True if an unavailable toolset is left out with an event instead of ending the run. */
  readonly optional?: boolean
  /**
   * Returns the current tools; connects if there is no connection. If the toolset is unavailable, rejects with the
   * problem and advice, within a limited time, and at once when the signal fires. Each call tries again.
   */
  tools(options?: { readonly signal?: AbortSignal }): Promise<readonly Tool[]>
  /** Adds a listener for changes, and returns a function that removes it. */
  changed?(listener: () => void): () => void
  /**
   * Ends connections and processes, including those in progress. May be called at any time and more than once.
   * Afterwards `tools` and calls of its tools reject.
   */
  close(): Promise<void>
}
