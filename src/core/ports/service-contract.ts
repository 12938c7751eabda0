import type { Schema } from './schema.ts'

/** What a service takes and gives, as both sides agree on it. */
export interface ServiceContract {
  /** Type of the event that asks the service, e.g. `com.bank.payment`. Models know it by that name with `_` for other characters. */
  readonly type: string
  /** Which version of the contract. An answer that says another one is refused. */
  readonly version: string
  readonly description?: string
  /** What the data of the event that asks must be: an object. */
  readonly accepts: Schema
  /** What the data of each type of answer must be. */
  readonly emits: { readonly [type: string]: Schema }
  /** Where the event goes: one place, or a place by the label `tenant` of the run. Default: whoever hears its type. */
  readonly domain?: string | { readonly [tenant: string]: string }
  /** Type of the event that is sent for a call that is over without an answer. Default: none is. */
  readonly cancel?: string
  /** Milliseconds after which a call without an answer is over. Default: it waits for as long as it takes. */
  readonly expiresInMs?: number
  /**
   * `continue`: the run goes on with the other calls of a round while this one is not answered, and its answer is taken in
   * later. Default `wait`: the model is not asked before the answer is in.
   */
  readonly onPartialSuspension?: 'wait' | 'continue'
  /** What a call costs, in units of the service; it stands on the event. */
  readonly executionUnits?: number
}
