import { ErrorWithCode } from './text/error-with-code.ts'

/** The problem with a toolset: it is unavailable, or it could not be closed. */
export type ToolsetErrorCode = 'toolset_unavailable' | 'toolset_not_closed'

/** Thrown if the tools of a toolset are unavailable. The run stays in the store and can be driven later. */
export class ToolsetError extends ErrorWithCode<ToolsetErrorCode> {
  override readonly name = 'ToolsetError'
  /** The name of the toolset. */
  readonly toolset: string

  constructor(code: ToolsetErrorCode, toolset: string, message: string, options?: ErrorOptions) {
    super(code, message, options)
    this.toolset = toolset
  }
}
