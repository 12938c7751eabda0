import type { Schema } from './schema.ts'

/** The contract of a service: its request and its answers, as both sides agree on them. */
export interface ServiceContract {
  /** The type of the request event, e.g. `com.bank.payment`. Models call it so, with `_` for other characters. */
  readonly type: string
  /** The version of the contract. An answer with another version is rejected. */
  readonly version: string
  readonly description?: string
  /** The schema of the request's data, which is an object. */
  readonly accepts: Schema
  /** The schemas of the answers' data, by type of answer. */
  readonly emits: { readonly [type: string]: Schema }
  /**
   * The destination of the event, or destinations by the run's label `tenant`. Default: the subscribers of its type.
   */
  readonly domain?: string | { readonly [tenant: string]: string }
  /** The type of the event that is sent for a call that ends without an answer. Default: none is sent. */
  readonly cancel?: string
  /** Milliseconds after which a call without an answer ends. Default: no limit. */
  readonly expiresInMs?: number
  /**
   * `continue`: the run continues with the other calls of a round while this one has no answer, and its answer is
   * processed later. Default `wait`: the model is not asked before the answer arrives.
   */
  readonly onPartialSuspension?: 'wait' | 'continue'
  /** The cost of a call in the service's units; it is an attribute of the event. */
  readonly executionUnits?: number
}
