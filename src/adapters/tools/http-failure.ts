import { ErrorWithCode } from '../../core/domain/text/error-with-code.ts'

/**
 * `package_missing`: an optional package is not installed. `private_address`: the target is in a private network.
 * `too_many_redirects` and `bad_redirect`: the server redirects too often, to an invalid address, or a body to another origin.
 * `timeout`: the request took too long. `network`: there is no connection, or it broke.
 */
export type HttpFailureCode =
  | 'package_missing'
  | 'private_address'
  | 'too_many_redirects'
  | 'bad_redirect'
  | 'timeout'
  | 'network'

/** An HTTP request without a response. */
export class HttpFailure extends ErrorWithCode<HttpFailureCode> {
  override readonly name = 'HttpFailure'
}
