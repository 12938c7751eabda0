/** The parts of an object handler's context that are used. */
export interface RestateContext {
  readonly key: string
  get(name: string): Promise<unknown>
  set(name: string, value: unknown): void
  clear(name: string): void
  /** Calls a handler after a delay in milliseconds. The parameter is JSON in UTF-8. */
  genericSend(call: {
    readonly service: string
    readonly method: string
    readonly key: string
    readonly parameter: Uint8Array
    readonly delay: number
  }): unknown
}

/** Options of a handler. Times are milliseconds. */
export interface RestateHandlerOptions {
  readonly enableLazyState: boolean
  readonly journalRetention: number
  readonly inactivityTimeout: number
  readonly abortTimeout: number
  readonly retryPolicy: {
    readonly initialInterval: number
    readonly maxInterval: number
    readonly exponentiationFactor: number
    readonly maxAttempts: number
  }
}

/** A handler made by the SDK. Only the SDK calls it. */
export type RestateHandler = (context: never, input: never) => Promise<unknown>

/** The parts of the module `@restatedev/restate-sdk` that are used. The application imports it, and chooses its version. */
export interface RestateSdk<Definition> {
  object(definition: {
    readonly name: string
    readonly handlers: Readonly<Record<'append' | 'read' | 'drive', RestateHandler>>
  }): Definition
  readonly handlers: {
    readonly object: {
      exclusive(
        options: RestateHandlerOptions,
        handler: (context: RestateContext, input: unknown) => Promise<unknown>,
      ): RestateHandler
      shared(
        options: RestateHandlerOptions,
        handler: (context: Pick<RestateContext, 'key' | 'get'>, input: unknown) => Promise<unknown>,
      ): RestateHandler
    }
  }
  readonly TerminalError: new (message: string, options: { readonly errorCode: number }) => Error
}
