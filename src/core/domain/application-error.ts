/** Code of the application failed where it was asked. The message names that code, such as a plugin or a hook. */
export class ApplicationError extends Error {
  override readonly name: string = 'ApplicationError'
  readonly code = 'application_failed'
}
