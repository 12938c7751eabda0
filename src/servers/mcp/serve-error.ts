import { ErrorWithCode } from '../../core/domain/text/error-with-code.ts'

/**
 * `package_missing`: an optional package is not installed. `bad_option`: an option is invalid. `cannot_listen`: the
 * server cannot listen at the address.
 */
export type ServeMcpErrorCode = 'package_missing' | 'bad_option' | 'cannot_listen'

/** Thrown if an agent cannot be served; the message says what to do. */
export class ServeMcpError extends ErrorWithCode<ServeMcpErrorCode> {
  override readonly name = 'ServeMcpError'
}
