/** What is wrong with a set of tools: it cannot be reached, or it could not be closed. */
export type ToolsetErrorCode = 'toolset_unavailable' | 'toolset_not_closed'

/** The tools of a toolset cannot be had. The run stays as it is stored and can be driven on. */
export class ToolsetError extends Error {
  override readonly name = 'ToolsetError'
  readonly code: ToolsetErrorCode
  /** Name of the toolset. */
  readonly toolset: string

  constructor(code: ToolsetErrorCode, toolset: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.toolset = toolset
  }
}
