import { StreamResponse, type TaskPushNotificationConfig } from '@a2a-js/sdk'
import { RequestMalformedError, TaskNotFoundError } from '@a2a-js/sdk/errors'
import { signer } from '../../adapters/brokers/http-broker/signature.ts'
import { GuardedClient, namesPrivateAddress } from '../../adapters/tools/guarded-fetch.ts'
import { dropItem, outgoingKind, type OutgoingRow, retryItem, rowIn, sendItems } from '../../core/domain/outgoing.ts'
import { changing, drop, put } from '../../core/domain/records/record-change.ts'
import { type RowsRead, rowsOf } from '../../core/domain/records/record-read.ts'
import { StoreError } from '../../core/domain/store-error.ts'
import { canonicalJson, defined, hashText, type Json } from '../../core/domain/text/json.ts'
import { outboxSender, type Sender } from '../../core/driving/outbox-sender.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Store } from '../../core/ports/store.ts'
import { systemClock } from '../../core/ports/system-clock.ts'
import { type Agent, UsageError } from '../../index.ts'
import type { A2aPushOptions } from './options.ts'
import { factsOf, isTerminal, rests, stateOf, statusOf, type TaskFacts } from './task-of.ts'

/** A configuration as the outbox keeps it. */
interface KeptConfig {
  readonly url: string
  readonly token: string
  readonly authentication?: { readonly scheme: string; readonly credentials: string }
  /** The last state that was told. */
  readonly told: string
  /** The version of the run that was looked at last; none before the first look. */
  readonly seen?: number | undefined
}

const mostConfigs = 10
const maxAttempts = 8
/** Milliseconds for one request, and for one attempt with all that it reads and writes. */
const timeoutMs = 10_000
const attemptMs = 15_000
/** Milliseconds between two looks at a task that another process may drive: at first, and later. */
const lookMs = 5_000
const mostLookMs = 60_000

/**
 * Notifies clients when their tasks end or ask. A configuration is a row of the outbox until the last notification has
 * arrived: each is sent at least once, even after a crash, and a failed one is tried again.
 */
export class PushNotifications {
  readonly #agent: Agent
  readonly #store: Store
  readonly #origins: ReadonlySet<string>
  readonly #client: GuardedClient
  readonly #sign: ReturnType<typeof signer>['sign']
  readonly #clock: Clock
  readonly #kind: string
  readonly #sender: Sender
  readonly #stop: () => void

  private constructor(agent: Agent, store: Store, client: GuardedClient, { origins, secrets, clock }: A2aPushOptions) {
    this.#agent = agent
    this.#store = store
    this.#origins = new Set(origins)
    this.#client = client
    this.#sign = signer(secrets, 'createA2aHandlers').sign
    this.#clock = clock ?? systemClock
    this.#kind = `a2a.push ${agent.name}`
    const deliver = (row: OutgoingRow) => this.#tell(row)
    const given = { of: 'createA2aHandlers', kinds: [this.#kind], maxAttempts, attemptMs }
    this.#sender = outboxSender({ ...given, store, clock: this.#clock, deliver })
    const turns: readonly string[] = ['run.waiting', 'run.ended']
    this.#stop = agent.on(({ type, runId }) => turns.includes(type) && this.#look(runId))
  }

  /** Begins to notify. Rejects with a `UsageError` for an origin that is refused, and without a store. */
  static async open(agent: Agent, options: A2aPushOptions): Promise<PushNotifications> {
    const { origins, clock, resolve } = options
    if (agent.store === undefined) throw new UsageError('bad_option', 'Notifications need a store: option store.')
    const isPrivate = await Promise.all(origins.map((origin) => namesPrivateAddress(new URL(origin))))
    const privateOrigins = origins.filter((_, at) => isPrivate[at])
    const open = origins.find((origin) => !origin.startsWith('https:') && !privateOrigins.includes(origin))
    if (open !== undefined) {
      const wish = 'Expected https, or http of a private address.'
      throw new UsageError('bad_option', `The origin ${open} is refused for notifications. ${wish}`)
    }
    const client = new GuardedClient({ privateOrigins, timeoutMs, ...defined({ clock, resolve }) })
    await client.open()
    return new PushNotifications(agent, agent.store, client, options)
  }

  /** Throws for a configuration that is refused: only addresses at the allowed origins are notified. */
  check({ url, token, id, authentication }: TaskPushNotificationConfig): void {
    const address = URL.parse(url)
    const isWeb = address !== null && /^https?:$/.test(address.protocol)
    if (!isWeb || url.length > 2_000 || address.username !== '' || address.password !== '')
      throw refused('The url', 'an address of at most 2,000 characters, without credentials')
    if (!this.#origins.has(address.origin)) throw refused(`The address ${address.origin}`, 'one that the server allows')
    const { scheme = 'Bearer', credentials = '' } = authentication ?? {}
    const isPlain = [token, credentials].every((value) => /^[\x20-\x7e]{0,4000}$/.test(value))
    if (!isPlain || !/^[A-Za-z][\w-]{0,40}$/.test(scheme) || !/^[\w.:-]{0,100}$/.test(id))
      throw refused('The id, token or authentication', 'short texts of plain characters')
  }

  /** Keeps a checked configuration; one of the same id is replaced. */
  async keep(runId: string, given: TaskPushNotificationConfig): Promise<TaskPushNotificationConfig> {
    const { url, token, authentication } = given
    const id = given.id || hashText(canonicalJson([url, token])).slice(0, 24)
    const body = { url, token, ...(authentication && { authentication: { ...authentication } }), told: '' }
    // One that replaces another is another item, which nothing that is under way concerns.
    const item = { id: hashText(canonicalJson(body)), kind: this.#kind, destination: id, body }
    const at = this.#clock.now()
    const read = configsOf(runId)
    const isKept = await this.#store.change<boolean>({
      reads: [read],
      judge: (found) => {
        const rows = this.#pending(found.rows(outgoingKind, read).map(rowIn))
        const before = rows.filter(({ destination }) => destination === id)
        if (before.length === 0 && rows.length >= mostConfigs) return { answer: false, writes: [] }
        if (before.some((row) => row.id === item.id)) return { answer: true, writes: [] }
        const { writes } = sendItems(runId, [item], at).judge(found)
        return { answer: true, writes: [...before.map(({ key }) => drop(outgoingKind, key)), ...writes] }
      },
    })
    if (!isKept) throw refused('Another configuration', `at most ${mostConfigs} for a task`)
    return { ...given, id, taskId: runId }
  }

  /** Returns the configurations of a task whose last notification has not arrived. */
  async list(runId: string): Promise<TaskPushNotificationConfig[]> {
    return (await this.#rowsOf(runId)).map((row) => {
      const { url, token, authentication } = configIn(row)
      // Credentials are never returned.
      const shown = authentication && { ...authentication, credentials: '' }
      return { tenant: '', id: row.destination, taskId: runId, url, token, authentication: shown }
    })
  }

  async get(runId: string, id: string): Promise<TaskPushNotificationConfig> {
    const found = (await this.list(runId)).find((config) => config.id === id)
    if (found !== undefined) return found
    throw new TaskNotFoundError(`Task "${runId}" has no open configuration of this id.`)
  }

  async drop(runId: string, id: string): Promise<void> {
    const row = (await this.#rowsOf(runId)).find(({ destination }) => destination === id)
    if (row !== undefined) await this.#store.change(dropItem(row.key))
  }

  /** Begins no further request; resolves when the present ones have ended. */
  async close(): Promise<void> {
    this.#stop()
    await this.#sender.stop()
    await this.#client.close()
  }

  #pending(rows: readonly OutgoingRow[]): readonly OutgoingRow[] {
    return rows.filter(({ kind, state }) => kind === this.#kind && state === 'pending')
  }

  async #rowsOf(runId: string): Promise<readonly OutgoingRow[]> {
    const read = configsOf(runId)
    return this.#pending((await this.#store.records([read])).rows(outgoingKind, read).map(rowIn))
  }

  /** Has the sender look at a task that has changed here, unless it is at it. */
  async #look(runId: string): Promise<void> {
    const rows = (await this.#rowsOf(runId)).filter(({ attempts }) => attempts === 0)
    for (const { key } of rows) await this.#store.change(retryItem(key))
  }

  /** Tells the state of a row's task if it is new. Rejects until the task has ended, so that it is looked at again. */
  async #tell(row: OutgoingRow): Promise<void> {
    const { key, runId } = row
    const config = configIn(row)
    let facts: TaskFacts
    let seen = config.seen
    try {
      const { version, updatedAt } = await this.#store.record(runId)
      if (version === seen) return this.#later(row, config)
      seen = version
      facts = await factsOf(await this.#agent.load(runId), updatedAt)
    } catch (error) {
      if (error instanceof StoreError && error.code === 'run_unknown') return
      return this.#later(row, config)
    }
    const [state, status] = [stateOf(facts), statusOf(facts)]
    const told = rests(state) ? `${state} ${status.message?.messageId ?? ''}` : config.told
    if (told !== config.told) {
      const value = { taskId: runId, contextId: facts.contextId, status, metadata: undefined }
      const body = JSON.stringify(StreamResponse.toJSON({ payload: { $case: 'statusUpdate', value } }))
      await this.#send(config, hashText(`${key} ${told}`), body)
    }
    if (!isTerminal(state)) return this.#later(row, { ...config, told, seen })
  }

  /** Keeps a row for a later look, unless it was replaced or taken meanwhile. Always rejects. */
  async #later({ key, at, attempts }: OutgoingRow, config: KeptConfig): Promise<never> {
    const now = this.#clock.now()
    const due = now + Math.min(Math.max((now - at) / 8, lookMs), mostLookMs)
    const body = config as unknown as Json
    const changed = changing(outgoingKind, key, (found) => {
      const isSame = found?.body.state === 'pending' && found.body.attempts === attempts
      const writes = isSame ? [put(outgoingKind, key, { ...found.body, body, attempts: 0, due })] : []
      return { answer: undefined, writes }
    })
    await this.#store.change(changed)
    throw new Error('The task has not ended.')
  }

  /** Sends a signed notification. Rejects if it did not arrive, without a word of the receiver. */
  async #send({ url, token, authentication }: KeptConfig, id: string, body: string): Promise<void> {
    const target = new URL(url)
    // The server may allow less than it did.
    if (!this.#origins.has(target.origin)) throw new Error(`The address ${target.origin} is not allowed any more.`)
    const timestamp = String(Math.floor(this.#clock.now() / 1000))
    const headers = {
      'content-type': 'application/a2a+json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': await this.#sign(id, timestamp, body),
      ...(token !== '' && { 'x-a2a-notification-token': token }),
      ...(authentication && { authorization: `${authentication.scheme} ${authentication.credentials}` }),
    }
    const request = { method: 'POST', headers, body, maxBytes: 1, follows: false }
    const { status } = await this.#client.request(target, request)
    if (status < 200 || status > 299) throw new Error(`${target.host} answered ${status}.`)
  }
}

function configsOf(runId: string): RowsRead {
  return rowsOf(outgoingKind, { index: 'run', values: [runId], limit: 1_000 })
}

function configIn({ body }: OutgoingRow): KeptConfig {
  return body as unknown as KeptConfig
}

function refused(what: string, wish: string): RequestMalformedError {
  return new RequestMalformedError(`${what} is refused for notifications. Expected ${wish}.`)
}
