/** The base of our errors: a literal code for programs beside the message for people. */
export class ErrorWithCode<Code extends string = string> extends Error {
  readonly code: Code

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
