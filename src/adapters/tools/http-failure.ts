/**
 * `package_missing`: an optional package is not installed. `bad_target`: an address nobody may ask for. `private_address`:
 * the target is, or resolves to, an address of a private network. `too_many_redirects` and `bad_redirect`: the server
 * sends on and on, or nowhere, or a body to another origin. `timeout`: it took too long in all. `network`: no connection, or one that broke.
 */
export type HttpFailureCode =
  | 'package_missing'
  | 'bad_target'
  | 'private_address'
  | 'too_many_redirects'
  | 'bad_redirect'
  | 'timeout'
  | 'network'

/** An HTTP request that came to no response. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure'
  readonly code: HttpFailureCode

  constructor(code: HttpFailureCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
