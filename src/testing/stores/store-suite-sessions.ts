import assert from 'node:assert/strict'
import type { SessionState, StoredSession } from '../../core/domain/session-state.ts'
import { StoreError } from '../../core/domain/store-error.ts'
import { UsageError, type UsageErrorCode } from '../../core/domain/text/usage-error.ts'
import type { NewRun, Store } from '../../core/ports/store.ts'
import {
  checkpoint,
  createDriver,
  type Driver,
  newRun,
  ownerNamed,
  rejectsWith,
  says,
  start,
  type StoreCase,
  ttl,
  steering,
} from './store-suite-fixtures.ts'
import { deleteSession } from '../../core/driving/delete-runs.ts'
import { listSessions, findSession } from '../../core/driving/find-sessions.ts'
import { changeSession, activityOf } from '../../core/domain/session-record.ts'
import { writing } from '../../core/domain/records/record-change.ts'
import { userMessage } from '../../core/domain/message.ts'

/** Returns the state of a session without runs. */
export function sessionState(id: string, changes: Partial<SessionState> = {}): SessionState {
  return { id, agent: 'guide', metadata: {}, createdAt: start, counters: {}, runs: 0, queued: [], ...changes }
}

/** Stores a state of a session in place of the one of a version, and returns its new version. */
export async function keepSession(
  store: Store,
  state: SessionState,
  expected: number,
  activeAt?: number,
): Promise<number> {
  await store.change(changeSession(state, expected, activeAt))
  return (await findSession(store, state.id))?.version ?? 0
}

/** Returns the fields with which a new run begins in a session, and the session state to store with them. */
export function inSession(
  state: SessionState,
  expected: number,
  activeAt = start,
): Pick<NewRun, 'session' | 'records'> {
  return { session: state.id, records: [changeSession(state, expected, activeAt)] }
}

/** Begins a run of a session as a prompt does: the session's state changes with it. */
export async function beginRun(
  store: Store,
  session: string,
  runId: string,
  changes: Parameters<typeof newRun>[1] = {},
): Promise<Driver> {
  const found = await findSession(store, session)
  const { runs = 0, counters = {} } = found ?? {}
  const n = (counters['main'] ?? 0) + 1
  const state = { ...sessionState(session), runs: runs + 1, counters: { ...counters, main: n }, lastRun: runId }
  return createDriver(store, runId, { ...inSession(state, found?.version ?? 0, changes.at), ...changes })
}

/** Ends a run of the suite and releases its lease. */
export async function end(store: Store, { commit, lease }: Driver, at: number): Promise<void> {
  await commit({ entries: [says('Hello'), checkpoint('{}', at)], status: 'done', at })
  await store.release(lease)
}

/** Cases of session states: their changes, alone and together with runs. */
export const sessionCases: readonly StoreCase[] = [
  [
    'SES-01 keeps the state of a session, and gives it back with its version',
    async ({ store }) => {
      const queued = [{ item: steering('Be brief'), at: start + 1 }] as const
      const metadata = { plan: 'gold', 'it\'s "quoted"': [1, null, { deep: true }] }
      const state = sessionState('s-1', { subject: 'Пробег', metadata, queued, counters: { main: 2 }, runs: 3 })
      assert.equal(await findSession(store, 's-1'), undefined)
      const first = await keepSession(store, state, 0)
      assert.deepEqual(await findSession(store, 's-1'), { ...state, version: first, lastActivity: start })
      const changed = { ...state, queued: [], metadata: { plan: 'free' } }
      const second = await keepSession(store, changed, first, start + 5)
      assert.ok(second > first)
      assert.deepEqual(await findSession(store, 's-1'), { ...changed, version: second, lastActivity: start + 5 })
      await keepSession(store, { ...changed, metadata: {} }, second, start + 4)
      const { metadata: kept, lastActivity } = (await findSession(store, 's-1')) ?? {}
      assert.deepEqual({ kept, lastActivity }, { kept: {}, lastActivity: start + 5 })
    },
  ],
  [
    'SES-01 refuses a change of a session that has been changed since it was read, and leaves it alone',
    async ({ store }) => {
      const state = sessionState('s-1')
      await rejectsWith('session_conflict', 's-1', keepSession(store, state, 1))
      assert.equal(await findSession(store, 's-1'), undefined)
      const first = await keepSession(store, state, 0)
      const second = await keepSession(store, { ...state, runs: 1 }, first)
      for (const expected of [0, first, second + 1])
        await rejectsWith('session_conflict', 's-1', keepSession(store, { ...state, runs: 9 }, expected, start))
      assert.deepEqual(await findSession(store, 's-1'), { ...state, runs: 1, version: second, lastActivity: start })
    },
  ],
  [
    'SES-01 refuses a change of a session that was deleted and begun again since it was read',
    async ({ store }) => {
      const state = sessionState('s-1')
      const versions = [await keepSession(store, state, 0)]
      for (let change = 0; change < 3; change++) versions.push(await keepSession(store, state, versions.at(-1) ?? 0))
      await deleteSession(store, 's-1')
      let last = await keepSession(store, state, 0)
      for (let change = 0; change < 4; change++) {
        assert.ok(!versions.includes(last))
        last = await keepSession(store, state, last)
      }
    },
  ],
  [
    'SES-01 refuses ids outside the set, metadata over 64 kB and states of another shape, and stores nothing of them',
    async ({ store }) => {
      const refused: readonly (readonly [UsageErrorCode, Partial<SessionState>])[] = [
        ['bad_session_id', { id: '' }],
        ['bad_session_id', { id: 'a.b' }],
        ['bad_session_id', { id: 'über' }],
        ['bad_session_id', { id: 'x'.repeat(65) }],
        ['bad_metadata', { metadata: { text: 'x'.repeat(64_000) } }],
        ['bad_metadata', { metadata: JSON.parse('{"a":{"__proto__":{}}}') }],
        ['bad_metadata', { metadata: deep(300) }],
        ['bad_metadata', { metadata: { when: Number.NaN } }],
        ['bad_session', { counters: { main: -1 } }],
        ['bad_session', { runs: 0.5 }],
      ]
      for (const [code, changes] of refused) {
        const state = sessionState('s-1', changes)
        await refusesWith(code, keepSession(store, state, 0))
      }
      assert.deepEqual(await listSessions(store), [])
      assert.deepEqual(await store.list(), [])
      const most = sessionState('x'.repeat(64), { metadata: { text: 'x'.repeat(63_980) } })
      await keepSession(store, most, 0)
      assert.deepEqual((await findSession(store, most.id))?.metadata, most.metadata)
    },
  ],
  [
    'SES-01 keeps what was handed in from later changes of it',
    async ({ store }) => {
      const metadata = { list: ['a'] }
      await keepSession(store, sessionState('s-1', { metadata }), 0)
      metadata.list.push('b')
      assert.deepEqual((await findSession(store, 's-1'))?.metadata, { list: ['a'] })
    },
  ],
  [
    'AGT-01 changes a session in the write that creates its run, which is its active run then',
    async ({ store }) => {
      const { lease } = await beginRun(store, 's-1', 'run', { at: start + 7 })
      assert.equal(lease.fence, 1)
      assert.equal((await store.record('run')).session, 's-1')
      const found = await findSession(store, 's-1')
      assert.deepEqual(found, {
        ...sessionState('s-1', { counters: { main: 1 }, runs: 1, lastRun: 'run' }),
        version: found?.version ?? 0,
        lastActivity: start + 7,
        active: { runId: 'run', status: 'running' },
      } satisfies StoredSession)
    },
  ],
  [
    'AGT-01 stores nothing of a run whose session has been changed meanwhile, and begins one of two that began at once',
    async ({ store }) => {
      const attempts = ['a', 'b'].map((id) => {
        const state = sessionState('s-1', { lastRun: id })
        return store.create(newRun(id, { ...inSession(state, 0) }), ownerNamed(id), ttl)
      })
      const outcomes = await Promise.allSettled(attempts)
      assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') await rejectsWith('session_conflict', 's-1', Promise.reject(outcome.reason))
      const lastRun = outcomes[0]?.status === 'fulfilled' ? 'a' : 'b'
      assert.deepEqual(
        (await store.list()).map(({ id }) => id),
        [lastRun],
      )
      assert.equal((await findSession(store, 's-1'))?.lastRun, lastRun)
      const before = await findSession(store, 's-1')
      const session = inSession(sessionState('s-1', { lastRun: 'c' }), before?.version ?? 0)
      await rejectsWith('run_exists', lastRun, store.create(newRun(lastRun, session), ownerNamed('c'), ttl))
      assert.deepEqual(await findSession(store, 's-1'), before)
    },
  ],
  [
    'AGT-01 leaves a session to the first of two subjects that begin it at once, with the run of that one alone',
    async ({ store }) => {
      const begin = (subject: string) => {
        const state = sessionState('s-1', { subject, lastRun: subject })
        return store.create(newRun(subject, { subject, ...inSession(state, 0) }), ownerNamed(subject), ttl)
      }
      const outcomes = await Promise.allSettled(['ada', 'bob'].map(begin))
      const [first, second] = outcomes[0]?.status === 'fulfilled' ? ['ada', 'bob'] : ['bob', 'ada']
      assert.equal((await findSession(store, 's-1'))?.subject, first)
      assert.deepEqual(
        (await store.list({ session: 's-1' })).map(({ id }) => id),
        [first],
      )
      await rejectsWith('session_conflict', 's-1', begin(second))
    },
  ],
  [
    'AGT-01 moves what was said while no run was under way into the inbox of the run that begins',
    async ({ store }) => {
      const queued = [
        { item: steering('first'), at: start + 1 },
        { item: { kind: 'followUp', messages: [userMessage('second', 1)] }, at: start + 2 },
      ] as const
      const state = sessionState('s-1', { queued })
      const expected = await keepSession(store, state, 0, start + 2)
      const session = inSession({ ...state, queued: [], lastRun: 'run' }, expected)
      await store.create(newRun('run', { ...session, posted: queued }), ownerNamed('first'), ttl)
      const rows = await store.inbox('run', { isOpen: true })
      assert.deepEqual(
        rows.map(({ item, at }) => ({ item, at })),
        queued,
      )
      assert.deepEqual((await findSession(store, 's-1'))?.queued, [])
      assert.deepEqual(await store.inbox('run', { kinds: ['steer', 'followUp'] }), rows)
    },
  ],
  [
    'SES-01 notes an activity of a session with a commit that says so, and neither lowers it nor changes the version',
    async ({ store }) => {
      const driver = await beginRun(store, 's-1', 'run')
      const before = await findSession(store, 's-1')
      const activeAt = (at: number) => [writing(activityOf('s-1', at))]
      const seen: unknown[] = []
      const note = async (work: Promise<unknown>) => {
        await work
        seen.push((await findSession(store, 's-1'))?.lastActivity)
      }
      await note(driver.commit({ entries: [says('Hello')], at: start + 10 }))
      await note(driver.commit({ status: 'waiting', at: start + 30, records: activeAt(start + 30) }))
      await note(driver.commit({ status: 'running', at: start + 35, records: activeAt(start + 20) }))
      await note(store.change(writing(activityOf('another', start + 90))))
      const { version, active } = (await findSession(store, 's-1')) ?? {}
      assert.deepEqual([version, active?.status], [before?.version, 'running'])
      await note(keepSession(store, { ...(await stateOf(store, 's-1')), metadata: { seen: true } }, version ?? 0))
      await note(driver.commit({ status: 'done', at: start + 40, records: activeAt(start + 40) }))
      assert.deepEqual(seen, [start, start + 30, start + 30, start + 30, start + 30, start + 40])
      assert.equal((await findSession(store, 's-1'))?.active, undefined)
    },
  ],
]

/** Asserts that the work rejects with a `UsageError` of that code. */
export async function refusesWith(code: UsageErrorCode, work: Promise<unknown>): Promise<void> {
  const error = await work.then(
    () => assert.fail(`expected ${code}`),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof UsageError && !(error instanceof StoreError), `expected ${code}, got ${String(error)}`)
  assert.equal(error.code, code)
}

/** Returns the state of a stored session, as the base of a change. */
async function stateOf(store: Store, id: string): Promise<SessionState> {
  const { version: _, lastActivity: __, active: ___, ...state } = (await findSession(store, id)) ?? assert.fail(id)
  return state
}

function deep(levels: number): SessionState['metadata'] {
  let value: SessionState['metadata'] = {}
  for (let level = 0; level < levels; level++) value = { value }
  return value
}
