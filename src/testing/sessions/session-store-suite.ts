import assert from 'node:assert/strict'
import { noUsage } from '../../core/domain/usage.ts'
import { SessionError, type SessionErrorCode } from '../../adapters/recorder/session-error.ts'
import { headOf, type RecordedRun, type RecordedSession } from '../../adapters/recorder/session-record.ts'
import type { SessionStore } from '../../adapters/recorder/session-store.ts'
import { watched } from '../watchdog.ts'

/** A new, empty session store, with the resources that the suite needs from its caller. */
export interface SessionStoreUnderTest {
  readonly store: SessionStore
  /**
   * Replaces a stored session by a text, as another program or a damaged disk may do; left out if that is impossible.
   */
  readonly plant?: (sessionId: string, text: string) => void
  /** The text that is stored for a session. */
  readonly stored?: (sessionId: string) => string
  /** Closes the store and removes everything that it left. */
  dispose(): Promise<void>
}

type Case = readonly [name: string, run: (under: SessionStoreUnderTest) => Promise<void>]

/**
 * Returns the cases that every session store must pass, for any test runner. `open` returns a new, empty store for each
 * case.
 */
export function sessionStoreSuite(
  open: () => Promise<SessionStoreUnderTest>,
): readonly { readonly name: string; readonly run: () => Promise<void> }[] {
  return cases.map(([name, run]) => ({
    name,
    run: () =>
      watched(name, async () => {
        const under = await open()
        try {
          await run(under)
        } finally {
          await under.dispose()
        }
      }),
  }))
}

const start = 1_700_000_000_000

function recordedRun(id: string, changes: Partial<RecordedRun> = {}): RecordedRun {
  return {
    id,
    sessionId: 's-1',
    agentId: 'guide',
    agent: 'guide',
    subject: 's-1',
    startedAt: start,
    endedAt: start + 10,
    lastActiveAt: start + 10,
    status: 'completed',
    outcome: { reason: 'natural_end' },
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Héllo "you"\n\u{1f600}' }], timestamp: start, place: 1 },
    ],
    usage: { ...noUsage, input: 3, totalTokens: 3 },
    cost: 0.5,
    turns: 1,
    calls: 0,
    metadata: { team: 'a' },
    events: [],
    children: [],
    childRuns: [],
    ...changes,
  }
}

function session(id = 's-1', changes: Partial<RecordedSession> = {}): RecordedSession {
  const runs = changes.runs ?? [recordedRun(`${id}.1`, { sessionId: id })]
  const times = { createdAt: start, lastActiveAt: start + 10 }
  return { id, agentId: 'guide', ...times, formation: { kind: 'firstRun' }, runs, ...changes }
}

async function refuses(code: SessionErrorCode, work: () => Promise<unknown>): Promise<void> {
  const error = await work().then(
    () => assert.fail(`Expected ${code}, nothing was refused.`),
    (thrown: unknown) => thrown,
  )
  assert(error instanceof SessionError, `Expected a SessionError, got ${String(error)}`)
  assert.equal(error.code, code)
}

const idsOf = async (store: SessionStore, filter = {}) => (await store.list(filter)).map(({ id }) => id)

/** A store with a session of this text and a valid one; the valid one stays unchanged. */
async function besideSound(
  { store, plant, stored }: SessionStoreUnderTest,
  change: (text: string) => string,
  code: SessionErrorCode,
): Promise<void> {
  if (plant === undefined || stored === undefined) return
  await store.save(session('broken'))
  await store.save(session('sound'))
  const text = change(stored('broken'))
  plant('broken', text)
  await refuses(code, () => store.load('broken'))
  await refuses(code, () => store.save(session('broken', { lastActiveAt: start + 99 })))
  assert.equal(stored('broken'), text)
  assert((await idsOf(store)).includes('sound'))
  assert.deepEqual(await store.load('sound'), session('sound'))
}

const cases: readonly Case[] = [
  [
    'gives a session back as it was saved',
    async ({ store }) => {
      const formation = { kind: 'inactivityTimeout', afterMs: 5 } as const
      const spawnedFrom = { runId: 'r', sessionId: 'other', callId: '1.a', toolName: 'ask' }
      const whole = session('s-1', { formation, spawnedFrom })
      await store.save(whole)
      assert.deepEqual(await store.load('s-1'), whole)
    },
  ],
  [
    'lists heads, the last active first and those of one time by id, of one agent where asked, page by page',
    async ({ store }) => {
      const old = session('old', { lastActiveAt: start - 5 })
      const [a, b] = [session('a'), session('b', { agentId: 'other' })]
      for (const one of [b, old, a]) await store.save(one)
      assert.deepEqual(await store.list(), [headOf(a), headOf(b), headOf(old)])
      assert.deepEqual(await idsOf(store, { agentId: 'guide' }), ['a', 'old'])
      assert.deepEqual(await idsOf(store, { limit: 2 }), ['a', 'b'])
      assert.deepEqual(await idsOf(store, { after: headOf(a), limit: 1 }), ['b'])
      assert.deepEqual(await idsOf(store, { after: headOf(old) }), [])
      assert.deepEqual(await idsOf(store, { agentId: 'guide', after: headOf(a) }), ['old'])
    },
  ],
  [
    'keeps runs that a later record of the session does not have, and links parents to children',
    async ({ store }) => {
      await store.save(session())
      const child = recordedRun('s-1.2', { parentRunId: 's-1.1', startedAt: start + 20, lastActiveAt: start + 30 })
      await store.save(session('s-1', { runs: [child], createdAt: start + 20, lastActiveAt: start + 30 }))
      const { runs, createdAt, lastActiveAt } = await store.load('s-1')
      assert.deepEqual({ createdAt, lastActiveAt }, { createdAt: start, lastActiveAt: start + 30 })
      assert.deepEqual(
        runs.map(({ id, children }) => [id, children]),
        [
          ['s-1.1', ['s-1.2']],
          ['s-1.2', []],
        ],
      )
    },
  ],
  [
    'replaces the record of a run that goes on, and no end that was recorded by a record without it',
    async ({ store }) => {
      const { endedAt: _, outcome: __, ...open } = recordedRun('s-1.1', { status: 'running' })
      await store.save(session('s-1', { runs: [open] }))
      await store.save(session())
      await store.save(session('s-1', { runs: [{ ...open, status: 'aborted', isFlushed: true }] }))
      const { runs } = await store.load('s-1')
      assert.deepEqual(runs, [recordedRun('s-1.1')])
    },
  ],
  [
    'deletes one session and leaves the others',
    async ({ store }) => {
      for (const id of ['a', 'b']) await store.save(session(id))
      await store.delete('a')
      assert.deepEqual(await idsOf(store), ['b'])
      await refuses('session_unknown', () => store.load('a'))
      await refuses('session_unknown', () => store.delete('a'))
      await store.save(session('a'))
      assert.deepEqual(await idsOf(store), ['a', 'b'])
    },
  ],
  [
    'knows no session before one is saved',
    async ({ store }) => {
      assert.deepEqual(await store.list(), [])
      await refuses('session_unknown', () => store.load('s-1'))
      await refuses('session_unknown', () => store.delete('s-1'))
    },
  ],
  [
    'refuses ids that are none, and stores nothing for them',
    async ({ store }) => {
      for (const id of ['', '../up', 'a/b', 'a.b', 'ä', 'x'.repeat(65), 'a\0']) {
        await refuses('bad_session_id', () => store.load(id))
        await refuses('bad_session_id', () => store.delete(id))
        await refuses('bad_session_id', () => store.save(session(id)))
      }
      await store.save(session('x'.repeat(64)))
      assert.deepEqual(await idsOf(store), ['x'.repeat(64)])
    },
  ],
  [
    'refuses what is not a record of a session, and keeps what it has',
    async ({ store }) => {
      await store.save(session())
      const proto = JSON.parse('{ "a": { "__proto__": { "b": 1 } } }') as RecordedRun['metadata']
      let deep: RecordedRun['metadata'] = {}
      for (let level = 0; level < 300; level++) deep = { deep }
      const bad: readonly RecordedSession[] = [
        session('s-1', { runs: [recordedRun('r', { sessionId: 's-2' })] }),
        session('s-1', { runs: [recordedRun('r', { startedAt: Number.NaN })] }),
        session('s-1', { runs: [recordedRun('r', { metadata: proto })] }),
        session('s-1', { runs: [recordedRun('r', { metadata: deep })] }),
        session('s-1', { createdAt: Number.POSITIVE_INFINITY }),
        { ...session(), runs: undefined as unknown as readonly RecordedRun[] },
      ]
      for (const one of bad) await refuses('bad_session', () => store.save(one))
      assert.deepEqual(await store.load('s-1'), session())
    },
  ],
  [
    'loses no run where many save one session at once',
    async ({ store }) => {
      const ids = Array.from({ length: 20 }, (_, index) => `s-1.${index + 10}`)
      await Promise.all(ids.map((id) => store.save(session('s-1', { runs: [recordedRun(id)] }))))
      const { runs } = await store.load('s-1')
      assert.deepEqual(runs.map(({ id }) => id).toSorted(), ids)
    },
  ],
  [
    'gives and keeps copies',
    async ({ store }) => {
      const given = { ...session() }
      await store.save(given)
      given.agentId = 'changed'
      const loaded = { ...(await store.load('s-1')) }
      loaded.agentId = 'changed'
      assert.deepEqual(await store.load('s-1'), session())
    },
  ],
  [
    'tells of a session that is cut short, writes nothing over it, deletes it when asked',
    async (under) => {
      await besideSound(under, (text) => text.slice(0, text.length / 2), 'session_damaged')
      if (under.plant === undefined) return
      await under.store.delete('broken')
      assert.deepEqual(await idsOf(under.store), ['sound'])
    },
  ],
  [
    'tells of a session with a part missing',
    (under) => besideSound(under, (text) => text.replace('"messages"', '"masseges"'), 'session_damaged'),
  ],
  [
    'tells of what another program wrote, and writes nothing over it',
    (under) => besideSound(under, () => '{ "name": "somebody" }', 'session_foreign'),
  ],
  [
    'tells of a session that a later version wrote, and writes nothing over it',
    (under) => besideSound(under, (text) => text.replace(/"version": ?1/, '"version":2'), 'session_later'),
  ],
  [
    'refuses everything once it is closed',
    async ({ store }) => {
      await store.save(session())
      await store.close()
      await refuses('store_unavailable', () => store.save(session()))
      await refuses('store_unavailable', () => store.load('s-1'))
      await refuses('store_unavailable', () => store.list())
      await refuses('store_unavailable', () => store.delete('s-1'))
      await store.close()
    },
  ],
]
