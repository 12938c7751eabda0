import * as is from '../../../core/domain/text/option-shape.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Store } from '../../../core/ports/store.ts'
import { replicatedStore, type ReplicatedStore } from '../replicated/replicated-store.ts'
import { restateJournal } from './restate-journal.ts'

/** The object that keeps a store, and how to reach it. */
export interface RestateStoreOptions {
  /** The address of the ingress of Restate's server, e.g. `http://127.0.0.1:8080`; of a cluster, those of its nodes. */
  readonly ingress: string | readonly string[]
  /** The key of the object: 1 to 128 of the characters A-Z, a-z, 0-9, `_`, `-` and `.`. */
  readonly object: string
  /** The name given to `restateObject`. Default `Runs`. */
  readonly service?: string
  /** Called before each request, e.g. for the credentials of a proxy in front of the ingress. Default: none. */
  readonly headers?: () => Readonly<Record<string, string>>
  /** Default: the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  /** The clock for the expiry of leases, for tests. Default: the computer's. */
  readonly clock?: Pick<Clock, 'now'>
}

const isName = (value: unknown): value is string => typeof value === 'string' && /^[A-Za-z0-9_.-]{1,128}$/.test(value)
export const name = is.expecting('1 to 128 of the characters A-Z, a-z, 0-9, "_", "-" and "."', isName)
export const address = is.expecting(
  'an address that begins with http:// or https://, or a list of them',
  (value) => isAddress(value) || (Array.isArray(value) && value.length > 0 && value.every(isAddress)),
)

const shape: is.OptionShape<RestateStoreOptions> = {
  ingress: address,
  object: name,
  service: is.optional(name),
  headers: is.optional(is.callback),
  fetch: is.optional(is.callback),
  clock: is.optional(is.having('a clock', 'now')),
}

/**
 * Returns the store that an object on Restate keeps. Every holder of the store can start, answer, read and drive the
 * runs of that object. Errors are those of `Store`; a server that does not answer for 15 seconds is
 * `store_unavailable`. Throws a `UsageError` for invalid options.
 *
 * @example
 * const store = restateStore({ ingress: 'http://127.0.0.1:8080', object: 'order-17' })
 */
export function restateStore(options: RestateStoreOptions): Store {
  return openRestateStore(options).store
}

/** Returns the store with additional functions for a driver. Plain reads may be `readAgeMs` old. */
export function openRestateStore(options: RestateStoreOptions, readAgeMs = 0): ReplicatedStore {
  is.checkOptions('restateStore', options, shape)
  const { ingress, object, service = 'Runs', headers = () => ({}), fetch = globalThis.fetch, clock = Date } = options
  const place = { ingress: [ingress].flat().map((one) => one.replace(/\/$/, '')), service, object, headers, fetch }
  return replicatedStore(restateJournal(place), clock, readAgeMs)
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? '')
}
