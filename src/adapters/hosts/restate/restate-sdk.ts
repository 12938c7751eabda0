/** The parts of the context of an object's handler that are used. */
export interface ObjectContext {
  readonly key: string
  get(name: string): Promise<unknown>
  set(name: string, value: unknown): void
  clear(name: string): void
  genericSend(call: AlarmCall): unknown
}

/** A call of a handler, as JSON in UTF-8, after a delay in milliseconds. */
interface AlarmCall {
  readonly service: string
  readonly method: string
  readonly key: string
  readonly parameter: Uint8Array
  readonly delay: number
}

/** Times are milliseconds. */
export interface HandlerOptions {
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

/** The parts of the context of a shared handler that are used. */
export type ReadContext = Pick<ObjectContext, 'key' | 'get'>

type Handler<Context> = (context: Context, input: unknown) => Promise<unknown>
/** A handler as the SDK has made it, which only the SDK calls. */
type Made = (context: never, input: never) => Promise<unknown>

/** The parts of the module `@restatedev/restate-sdk` that are used. The application imports it, and chooses its version. */
export interface RestateSdk<Definition> {
  object(definition: {
    readonly name: string
    readonly handlers: {
      readonly append: Made
      readonly read: Made
      readonly drive: Made
    }
  }): Definition
  readonly handlers: {
    readonly object: {
      exclusive(options: HandlerOptions, handler: Handler<ObjectContext>): Made
      shared(options: HandlerOptions, handler: Handler<ReadContext>): Made
    }
  }
  readonly TerminalError: new (message: string, options: { readonly errorCode: number }) => Error
}
