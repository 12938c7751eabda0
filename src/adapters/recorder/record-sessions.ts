import { checkEvent, checkEvents } from '../../core/domain/check-event.ts'
import type { AgentEvent } from '../../core/domain/event.ts'
import * as is from '../../core/domain/text/option-shape.ts'
import { follow } from '../../core/driving/follow.ts'
import type { Store } from '../../core/ports/store.ts'
import { type RecordOptions, SessionFold } from './session-fold.ts'
import type { RecordedSession } from './session-record.ts'

/** Options for recording the runs in a store. */
export interface RecordStoreOptions extends RecordOptions {
  /** The runs of this session alone. */
  readonly session?: string
  /** The runs of the agent with this name alone. */
  readonly agent?: string
  /** Closes runs without a driver as aborted, without the answers of an unfinished turn. Default false. */
  readonly flush?: boolean
}

const shape: is.OptionShape<RecordOptions> = {
  inactivityMs: is.optional(is.number('a number of milliseconds of 0 or more', (ms) => ms >= 0)),
  events: is.optional(is.oneOf('none', 'lifecycle', 'all')),
}

const isStore = is.having('a store, such as sqliteStore(path) gives', 'list', 'record', 'entries')

const storeShape: is.OptionShape<RecordStoreOptions> = {
  ...shape,
  session: is.optional(is.text),
  agent: is.optional(is.text),
  flush: is.optional(is.flag),
}

/**
 * Returns the sessions of runs from their events, the most recently active session first. Events of different runs may
 * be mixed in any order, and a repeated event changes nothing.
 *
 * @example
 * const [session] = recordEvents(events)
 */
export function recordEvents(events: Iterable<AgentEvent>, options: RecordOptions = {}): readonly RecordedSession[] {
  is.checkOptions('recordEvents', options, shape)
  checkEvents(events, { field: 'events', owner: 'recordEvents' })
  const fold = new SessionFold(options)
  for (const event of events) {
    checkEvent(event, { field: 'event', owner: 'recordEvents' })
    fold.add(event)
  }
  return fold.sessions()
}

/**
 * Reads the logs of a store's runs, and returns their sessions, the most recently active session first. Damaged runs
 * are left out. A later record of the same runs contains everything that an earlier one has.
 *
 * @example
 * for (const session of await recordSessions(store)) await files.save(session)
 */
export async function recordSessions(
  store: Store,
  options: RecordStoreOptions = {},
): Promise<readonly RecordedSession[]> {
  isStore(store, { field: 'store', owner: 'recordSessions' })
  is.checkOptions('recordSessions', options, storeShape)
  const { flush = false } = options
  const fold = new SessionFold(options)
  const runs = await runsOf(store, options)
  for (const { id: runId, status } of runs.toReversed()) {
    for await (const event of follow({ store, runId }, { deltas: false, wait: false })) fold.add(event)
    if (flush && status === 'running' && !(await store.record(runId)).isDriven) fold.close(runId)
  }
  return fold.sessions()
}

const pageSize = 500

async function runsOf(store: Store, { session, agent }: RecordStoreOptions) {
  const filter = { ...(session === undefined ? {} : { session }), ...(agent === undefined ? {} : { agent }) }
  const found = []
  for (let before: string | undefined; ;) {
    const page = await store.list({ ...filter, limit: pageSize, ...(before === undefined ? {} : { before }) })
    found.push(...page.flatMap((run) => ('damaged' in run ? [] : [run])))
    before = page.findLast((run) => !('damaged' in run))?.cursor
    if (page.length < pageSize || before === undefined) return found
  }
}
