/** The error of an agent that cannot be served to an editor; the message says what to install. */
export class ServeAcpError extends Error {
  override readonly name = 'ServeAcpError'
  readonly code = 'package_missing'
}
