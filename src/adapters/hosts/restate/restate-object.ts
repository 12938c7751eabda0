import { coreOf } from '../../../core/driving/core-of.ts'
import { callback, checkOptions, optional, type OptionShape } from '../../../core/domain/text/option-shape.ts'
import type { Agent, Store } from '../../../index.ts'
import { type Head, judgeEntry, keysBehind, noHead } from '../../stores/replicated/journal.ts'
import { address, name, openRestateStore } from '../../stores/restate/restate-store.ts'
import { retryMs, workUntilIdle } from '../work-until-idle.ts'
import { isAlarm, isEntry, isHead, isKnown } from '../../stores/replicated/journal-shapes.ts'
import { OpenObjects } from './open-objects.ts'
import type { RestateContext, RestateHandlerOptions, RestateSdk } from './restate-sdk.ts'

/** The store of an object, and its key. */
export interface RestateObjectGiven {
  /** The object's own store. It is the agent's option `store`. */
  readonly store: Store
  readonly object: string
}

/** Options of objects. */
export interface RestateObjectOptions {
  /** The name of the definition at the server. Default `Runs`. */
  readonly service?: string
  /**
   * The address of the server's ingress, where the driver of a run stores its writes; for a cluster, the addresses of
   * all nodes.
   */
  readonly ingress: string | readonly string[]
  /** Called before each request to the ingress, e.g. for the credentials of a proxy in front of it. Default: none. */
  readonly headers?: () => Readonly<Record<string, string>>
  /** Returns the agent of an object, once for as long as the object is open in this process. */
  readonly agent: (given: RestateObjectGiven) => Agent
}

type Reading = Pick<RestateContext, 'key' | 'get'>

const shape: OptionShape<RestateObjectOptions> = {
  service: optional(name),
  ingress: address,
  headers: optional(callback),
  agent: callback,
}

/**
 * A driver is notified of other writers, and writes nothing without their consent, so it need not ask before each read.
 */
const readAgeMs = 200

/** A page holds the texts of one answer up to this number of characters, or one longer text. */
const pageLength = 1_000_000
const minute = 60_000

/** A handler is retried soon and without end, because the server that it needs may be restarted. */
const retryPolicy = { initialInterval: 50, maxInterval: 1000, exponentiationFactor: 2, maxAttempts: 1_000_000_000 }
const short: RestateHandlerOptions = {
  enableLazyState: true,
  journalRetention: 0,
  inactivityTimeout: minute,
  abortTimeout: minute,
  retryPolicy,
}
/** Longer than a driver works before it rests. */
const long: RestateHandlerOptions = { ...short, inactivityTimeout: 20 * minute, abortTimeout: 20 * minute }

/**
 * Returns the definition of a virtual object that keeps and drives runs of an agent, for `createEndpointHandler`. The module
 * `@restatedev/restate-sdk` is given, so that the application chooses its version. Throws a `UsageError` for invalid
 * options.
 *
 * @example
 * const runs = restateObject(restate, {
 *   ingress: 'http://127.0.0.1:8080',
 *   agent: ({ store }) => createAgent({ name: 'clerk', model, tools, store }),
 * })
 */
export function restateObject<Definition>(sdk: RestateSdk<Definition>, options: RestateObjectOptions): Definition {
  checkOptions('restateObject', options, shape)
  const { service = 'Runs', agent: make, ...way } = options
  const objects = new OpenObjects((object) => {
    const kept = openRestateStore({ ...way, service, object }, readAgeMs)
    return { kept, agent: make({ store: kept.store, object }) }
  })

  async function append(context: RestateContext, given: unknown): Promise<Head> {
    if (!isEntry(given)) throw badInput(sdk, 'append')
    const { head, writes, wake } = judgeEntry(await headOf(context), given)
    for (const [key, text] of writes) {
      if (text === undefined) context.clear(key)
      else context.set(key, text)
    }
    if (writes.length > 0 || wake !== undefined || given.woken !== undefined) context.set('head', head)
    if (wake !== undefined) {
      const parameter = new TextEncoder().encode(JSON.stringify({ at: wake.at }))
      context.genericSend({ service, method: 'drive', key: context.key, parameter, delay: wake.inMs })
    }
    setTimeout(() => objects.onHash(context.key, head.hash), 20).unref()
    return head
  }

  async function read(context: Reading, given: unknown) {
    if (!isKnown(given)) throw badInput(sdk, 'read')
    const head = await headOf(context)
    const { isWhole, keys } = keysBehind(head, given)
    const texts: string[] = []
    // One after the other: the SDK serves several lazy reads at once badly.
    for (let length = 0; texts.length < keys.length && length < pageLength;) {
      const text = await context.get(keys[texts.length] ?? '')
      if (typeof text !== 'string') break
      texts.push(text)
      length += text.length
    }
    return { head, isWhole, texts, left: keys.length - texts.length }
  }

  async function drive({ key }: Reading, given: unknown): Promise<void> {
    if (!isAlarm(given)) throw badInput(sdk, 'drive')
    await objects.use(key, async ({ kept, agent }) => {
      const { alarm } = await kept.head()
      // Another alarm has taken its place, or its work is done.
      if (alarm !== given.at) return
      const isProgress = await workUntilIdle(agent, coreOf(agent, 'restateObject').clock)
      await kept.rest(given.at, isProgress ? 0 : retryMs)
    })
  }

  const { exclusive, shared } = sdk.handlers.object
  return sdk.object({
    name: service,
    handlers: { append: exclusive(short, append), read: shared(short, read), drive: shared(long, drive) },
  })
}

async function headOf(context: Reading): Promise<Head> {
  const head = await context.get('head')
  if (head === null || head === undefined) return noHead
  if (isHead(head)) return head
  throw new Error(
    `The state "head" of the object "${context.key}" was not written by statewright. Use another service name.`,
  )
}

function badInput({ TerminalError }: RestateSdk<unknown>, handler: string): Error {
  const message = `The handler "${handler}" was called with an unexpected request.`
  return new TerminalError(message, { errorCode: 400 })
}
