import { StreamResponse, type TaskPushNotificationConfig } from '@a2a-js/sdk'
import { RequestMalformedError, TaskNotFoundError } from '@a2a-js/sdk/errors'
import { signer } from '../../adapters/brokers/http-broker/signature.ts'
import { GuardedClient, namesPrivateAddress } from '../../adapters/tools/guarded-fetch.ts'
import {
  dropItem,
  failItem,
  type KeptItem,
  markSent,
  outgoingKind,
  rowIn,
  sendItems,
} from '../../core/domain/outgoing.ts'
import { changing, put, type RecordChange } from '../../core/domain/records/record-change.ts'
import { type RowsRead, rowsOf } from '../../core/domain/records/record-read.ts'
import { StoreError } from '../../core/domain/store-error.ts'
import { canonicalJson, defined, hashText, type Json } from '../../core/domain/text/json.ts'
import { thrownText } from '../../core/domain/text/thrown-text.ts'
import { type Clock, waitUntil } from '../../core/ports/clock.ts'
import type { Store } from '../../core/ports/store.ts'
import { systemClock } from '../../core/ports/system-clock.ts'
import { type Agent, UsageError } from '../../index.ts'
import type { OutgoingRow } from '../../ports.ts'
import type { A2aPushOptions } from './options.ts'
import { factsOf, isTerminal, rests, stateOf, statusOf } from './task-of.ts'

/** A configuration as the outbox keeps it, with the last state that was told. */
interface KeptConfig {
  readonly url: string
  readonly token: string
  readonly authentication?: { readonly scheme: string; readonly credentials: string }
  readonly told: string
}

const mostConfigs = 10
const mostAttempts = 8
/** Milliseconds for one request, and for which its row is reserved. */
const timeoutMs = 10_000
const holdMs = 30_000
/** Milliseconds between two looks at a task that another process may drive: at first, and later. */
const lookMs = 5_000
const mostLookMs = 60_000
const mostAtOnce = 32

/**
 * Tells clients when their tasks end or ask. A configuration is a row of the outbox until the last notification has
 * arrived: each is sent at least once, also after a crash, and one that fails is tried again.
 */
export class PushNotifications {
  readonly #agent: Agent
  readonly #store: Store
  readonly #origins: ReadonlySet<string>
  readonly #client: GuardedClient
  readonly #sign: ReturnType<typeof signer>['sign']
  readonly #clock: Clock
  readonly #kind: string
  readonly #stopping = new AbortController()
  /** Tasks that have changed here since the last look. */
  readonly #changed = new Set<string>()
  #news = Promise.withResolvers<void>()
  readonly #ended: Promise<void>

  private constructor(agent: Agent, store: Store, client: GuardedClient, { origins, secrets, clock }: A2aPushOptions) {
    this.#agent = agent
    this.#store = store
    this.#origins = new Set(origins)
    this.#client = client
    this.#sign = signer(secrets, 'createA2aHandlers').sign
    this.#clock = clock ?? systemClock
    this.#kind = `a2a.push ${agent.name}`
    this.#ended = this.#work()
  }

  /** Begins to notify. Rejects with a `UsageError` for an origin that is refused, and without a store. */
  static async open(agent: Agent, options: A2aPushOptions): Promise<PushNotifications> {
    const { origins, clock, resolve } = options
    if (agent.store === undefined) throw new UsageError('bad_option', 'Notifications need a store: option store.')
    const isPrivate = async (origin: string) => namesPrivateAddress(new URL(origin))
    const named = await Promise.all(origins.map(async (origin) => ((await isPrivate(origin)) ? [origin] : [])))
    const privateOrigins = named.flat()
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
    const rows = await this.#rowsOf(runId)
    const known = rows.find((row) => row.id === id)
    if (known === undefined && rows.length >= mostConfigs)
      throw refused('Another configuration', `at most ${mostConfigs} for a task`)
    const body = { url, token, ...(authentication && { authentication: { ...authentication } }) }
    const { told = '', ...before } = known === undefined ? {} : configIn(known)
    if (canonicalJson(before) !== canonicalJson(body)) {
      const item = { id, kind: this.#kind, destination: id, body: { ...body, told } }
      await this.#store.change(sendItems(runId, [item], this.#clock.now()))
      this.#look(runId)
    }
    return { ...given, id, taskId: runId }
  }

  /** Returns the configurations of a task whose last notification has not arrived. */
  async list(runId: string): Promise<TaskPushNotificationConfig[]> {
    return (await this.#rowsOf(runId)).map((row) => {
      const { url, token, authentication } = configIn(row)
      // Credentials are told to nobody.
      const shown = authentication && { ...authentication, credentials: '' }
      return { tenant: '', id: row.id, taskId: runId, url, token, authentication: shown }
    })
  }

  async get(runId: string, id: string): Promise<TaskPushNotificationConfig> {
    const found = (await this.list(runId)).find((config) => config.id === id)
    if (found !== undefined) return found
    throw new TaskNotFoundError(`Task "${runId}" has no open configuration of this id.`)
  }

  async drop(runId: string, id: string): Promise<void> {
    const row = (await this.#rowsOf(runId)).find((one) => one.id === id)
    if (row !== undefined) await this.#store.change(dropItem(row.key))
  }

  /** Begins no further request; resolves when the present ones have ended. */
  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#ended
    await this.#client.close()
  }

  #look(runId: string): void {
    this.#changed.add(runId)
    this.#news.resolve()
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopping
    const turns: readonly string[] = ['run.waiting', 'run.ended']
    const stop = this.#agent.on(({ type, runId }) => void (turns.includes(type) && this.#look(runId)))
    signal.addEventListener('abort', () => this.#news.resolve(), { once: true })
    while (!signal.aborted) {
      this.#news = Promise.withResolvers()
      const begun = this.#clock.now()
      const due = await this.#round().catch(() => this.#clock.now() + lookMs)
      const over = new AbortController()
      // A pause keeps rounds that change nothing from taking every turn of the process.
      const slept = waitUntil(Math.max(due, begun + 1), this.#clock, over.signal)
      if (!signal.aborted) await Promise.race([this.#news.promise, slept])
      over.abort()
    }
    stop()
  }

  /** Looks at the tasks that have changed and at those that are due; returns when the next one is. */
  async #round(): Promise<number> {
    const runs = [...this.#changed]
    this.#changed.clear()
    const now = this.#clock.now()
    const pending = { index: 'due', values: ['pending', this.#kind], isRising: true }
    const due = await this.#read(rowsOf(outgoingKind, { ...pending, upTo: now, limit: mostAtOnce }))
    const changed = await Promise.all(runs.map((runId) => this.#rowsOf(runId)))
    const rows = new Map([...due, ...changed.flat()].map((row) => [row.key, row]))
    const tell = async (row: OutgoingRow) =>
      this.#tell(row).catch(async () => void (await this.#swap(row, { due: now + mostLookMs })))
    await Promise.all([...rows.values()].map(tell))
    const [next] = await this.#read(rowsOf(outgoingKind, { ...pending, limit: 1 }))
    return next?.due ?? now + lookMs
  }

  async #read(read: RowsRead): Promise<readonly OutgoingRow[]> {
    const found = await this.#store.records([read])
    return found.rows(outgoingKind, read).map(rowIn)
  }

  async #rowsOf(runId: string): Promise<readonly OutgoingRow[]> {
    const rows = await this.#read(rowsOf(outgoingKind, { index: 'run', values: [runId], limit: 1_000 }))
    return rows.filter(({ kind, state }) => kind === this.#kind && state === 'pending')
  }

  /** Tells the state of a row's task, if it is new and nobody else tells it. */
  async #tell(row: OutgoingRow): Promise<void> {
    const { key, runId, attempts, due = 0 } = row
    const now = this.#clock.now()
    if (attempts > 0 && due > now) return
    const config = configIn(row)
    const run = await this.#agent.load(runId).catch((error: unknown) => {
      if (!(error instanceof StoreError) || error.code !== 'run_unknown') throw error
    })
    if (run === undefined) return void (await this.#store.change(dropItem(key)))
    const facts = await factsOf(run, (await this.#store.record(runId)).updatedAt)
    const [state, status] = [stateOf(facts), statusOf(facts)]
    const told = rests(state) ? `${state} ${status.message?.messageId ?? ''}` : config.told
    const later = now + Math.min(Math.max((now - row.at) / 8, lookMs), mostLookMs)
    if (told === config.told) return void (await this.#swap(row, { due: later }))
    if (!(await this.#swap(row, { due: now + holdMs, attempts: attempts + 1 }))) return
    const value = { taskId: runId, contextId: facts.contextId, status, metadata: undefined }
    const body = JSON.stringify(StreamResponse.toJSON({ payload: { $case: 'statusUpdate', value } }))
    const problem = await this.#send(config, hashText(`${key} ${told}`), body).then(() => undefined, thrownText)
    const sent = { ...row, attempts: attempts + 1, due: now + holdMs }
    if (problem !== undefined) {
      const until = this.#clock.now() + Math.min(1_000 * 2 ** attempts, 60_000)
      await this.#store.change(failItem(sent, { problem, ...(attempts + 1 < mostAttempts && { until }) }))
    } else if (isTerminal(state)) {
      // A configuration that has replaced this one meanwhile is told too.
      await this.#store.change(ifUnchanged(sent, markSent(key)))
    } else {
      const kept = { ...config, told } as unknown as Json
      await this.#swap(sent, { body: kept, attempts: 0, due: later })
    }
  }

  /** Changes a row, unless somebody else has changed it since it was read. */
  #swap(row: OutgoingRow, change: Partial<KeptItem>): Promise<boolean> {
    const { key } = row
    const changed = changing(outgoingKind, key, (found) => {
      return { answer: undefined, writes: found ? [put(outgoingKind, key, { ...found.body, ...change })] : [] }
    })
    return this.#store.change(ifUnchanged(row, changed))
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

/** Returns a change of a row that changes nothing if somebody else has changed the row since it was read. */
function ifUnchanged({ key, attempts, due }: OutgoingRow, change: RecordChange<unknown>): RecordChange<boolean> {
  return {
    reads: change.reads,
    judge: (found) => {
      const body = found.row(outgoingKind, key)?.body
      const isSame = body?.state === 'pending' && body.attempts === attempts && body.due === due
      return { answer: isSame, writes: isSame ? change.judge(found).writes : [] }
    },
  }
}

function configIn({ body }: OutgoingRow): KeptConfig {
  return body as unknown as KeptConfig
}

function refused(what: string, wish: string): RequestMalformedError {
  return new RequestMalformedError(`${what} is refused for notifications. Expected ${wish}.`)
}
