/**
 * `package_missing`: an optional package is not installed. `bad_option`: the options cannot be used. `cannot_listen`: the
 * address cannot be listened at.
 */
export type ServeMcpErrorCode = 'package_missing' | 'bad_option' | 'cannot_listen'

/** Thrown if an agent cannot be served; the message says what to do. */
export class ServeMcpError extends Error {
  override readonly name = 'ServeMcpError'
  readonly code: ServeMcpErrorCode

  constructor(code: ServeMcpErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
