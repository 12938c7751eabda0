/** Thrown if code of the application fails, such as a plugin or a hook. The message names that code. */
export class ApplicationError extends Error {
  override readonly name: string = 'ApplicationError'
  readonly code = 'application_failed'
}
