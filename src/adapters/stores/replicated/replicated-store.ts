import { thrownText } from '../../../core/domain/text/thrown-text.ts'
import { StoreError } from '../../../core/domain/store-error.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Store } from '../../../core/ports/store.ts'
import { storeClosed } from '../../../core/stores/rows/store-errors.ts'
import { createWatchers } from '../../../core/stores/rows/watchers.ts'
import { EntryRefused, type Head, type Journal } from './journal.ts'
import { ReplicatedLog } from './replicated-log.ts'
import { isPlainObject } from '../../../core/domain/text/json-copy.ts'

/** A store whose content is a journal in another system. */
export interface ReplicatedStore {
  readonly store: Store
  /** Reads the head of the journal. */
  head(): Promise<Head>
  /**
   * Ends a fired alarm in the journal, so that the next one is set for the remaining work. Work that was already due
   * when the head was read is checked again in `afterMs` milliseconds.
   */
  rest(woken: number, afterMs: number): Promise<void>
  /** Called if another process may have written, so that the journal may have this hash. */
  onHash(hash: string): void
}

/** Milliseconds within which watchers notice other processes' writes. */
const pollMs = 500

/**
 * Returns a store over a journal. Each call is performed on a replica in this process, and again if others have written
 * meanwhile. Calls that arrive while an entry is being sent share the next entry. Plain reads may be `readAgeMs` old.
 */
export function replicatedStore(journal: Journal, clock: Pick<Clock, 'now'>, readAgeMs = 0): ReplicatedStore {
  let timer: NodeJS.Timeout | undefined
  const watchers = createWatchers((size) => {
    if (size > 0 === (timer !== undefined)) return
    clearInterval(timer)
    timer = size > 0 ? setInterval(look, pollMs).unref() : undefined
  })
  const log = new ReplicatedLog(journal, clock, { watchers, readAgeMs })
  let waiting: Task[] = []
  let isBusy = false
  let playing: Promise<void> | undefined
  let isClosed = false

  function ask<Answer>(work: (store: Store) => Promise<Answer>): Promise<Answer> {
    if (isClosed) return Promise.reject(storeClosed())
    return new Promise((resolve, reject) => {
      const play = async (store: Store) => {
        const [outcome] = await Promise.allSettled([work(store)])
        return () => (outcome.status === 'fulfilled' ? resolve(outcome.value) : reject(outcome.reason as unknown))
      }
      waiting.push({ play, reject })
      if (!isBusy) playing = playAll()
    })
  }

  async function playAll(): Promise<void> {
    isBusy = true
    // Requests of the same tick share an entry.
    await Promise.resolve()
    while (waiting.length > 0) {
      const tasks = waiting
      waiting = []
      await playTogether(tasks)
    }
    isBusy = false
  }

  async function playTogether(tasks: readonly Task[]): Promise<void> {
    try {
      const settled = await log.write(async (store) => {
        const played: (() => void)[] = []
        for (const { play } of tasks) played.push(await play(store))
        return played
      })
      for (const settle of settled) settle()
    } catch (error) {
      const failed = asUnavailable(error)
      // One call that is refused, such as a message that is too long, must not fail the others. After any other error, what
      // was written may be stored, and must not be written again.
      if (tasks.length > 1 && error instanceof EntryRefused) for (const task of tasks) await playTogether([task])
      else for (const { reject } of tasks) reject(failed)
    }
  }

  function look(): void {
    if (isBusy || isClosed) return
    log.doubt()
    ask(async () => undefined).catch(() => watchers.notifyAll())
  }

  const store: Store = {
    create: (...given) => {
      const own = ownCopy(given)
      return ask((one) => one.create(...own))
    },
    commit: (...given) => {
      const own = ownCopy(given)
      return ask((one) => one.commit(...own))
    },
    read: (...given) => ask((one) => one.read(...given)),
    record: (...given) => ask((one) => one.record(...given)),
    input: (...given) => ask((one) => one.input(...given)),
    calls: (...given) => ask((one) => one.calls(...given)),
    list: (...given) => ask((one) => one.list(...given)),
    suspended: (...given) => ask((one) => one.suspended(...given)),
    checkpoints: (...given) => ask((one) => one.checkpoints(...given)),
    checkpoint: (...given) => ask((one) => one.checkpoint(...given)),
    delete: (...given) => ask((one) => one.delete(...given)),
    due: (...given) => ask((one) => one.due(...given)),
    decide: (...given) => {
      const own = ownCopy(given)
      return ask((one) => one.decide(...own))
    },
    post: (...given) => {
      const own = ownCopy(given)
      return ask((one) => one.post(...own))
    },
    inbox: (...given) => ask((one) => one.inbox(...given)),
    claim: (...given) => ask((one) => one.claim(...given)),
    renew: (...given) => ask((one) => one.renew(...given)),
    release: (...given) => ask((one) => one.release(...given)),
    entries: (...given) => ask((one) => one.entries(...given)),
    claimNext: (...given) => ask((one) => one.claimNext(...given)),
    backlog: (...given) => ask((one) => one.backlog(...given)),
    nextDue: (...given) => ask((one) => one.nextDue(...given)),
    postponed: (...given) => ask((one) => one.postponed(...given)),
    retry: (...given) => ask((one) => one.retry(...given)),
    records: (...given) => ask((one) => one.records(...given)),
    change: (given) => ask((one) => one.change(given)),
    watch(runId, changed) {
      if (isClosed) throw storeClosed()
      return runId === undefined ? watchers.addForAll(changed) : watchers.add(runId, changed)
    },
    async close() {
      if (isClosed) return
      isClosed = true
      watchers.clear()
      await playing
      await log.close()
    },
  }

  return {
    store,
    async head() {
      log.doubt()
      await ask(async () => undefined)
      log.settle()
      return log.head
    },
    rest: (woken, afterMs) => log.write(async () => undefined, { woken, afterMs }),
    onHash(hash) {
      if (log.head.hash !== hash) look()
    },
  }
}

interface Task {
  /** Does the work in the replica, and returns the function that notifies its caller. */
  readonly play: (store: Store) => Promise<() => void>
  readonly reject: (error: unknown) => void
}

function asUnavailable(error: unknown): unknown {
  if (error instanceof StoreError) return error
  const text = `The store of this object failed: ${thrownText(error)}. Stored data is not lost; try again.`
  return new StoreError('store_unavailable', text, { cause: error })
}

const mostDepth = 200

/**
 * Copies a caller's lists and plain objects, so that later changes of them do not reach the store. Does not copy frozen
 * values, values with a function, such as a rule, and values that are nested too deeply, which a store refuses.
 */
function ownCopy<Given>(given: Given, depth = 0): Given {
  if (typeof given !== 'object' || given === null || Object.isFrozen(given) || depth > mostDepth) return given
  if (Array.isArray(given)) return given.map((item: unknown) => ownCopy(item, depth + 1)) as Given
  if (!isPlainObject(given)) return given
  const entries = Object.entries(given)
  if (entries.some(([, value]) => typeof value === 'function')) return given
  return Object.fromEntries(entries.map(([key, value]) => [key, ownCopy(value, depth + 1)])) as Given
}
