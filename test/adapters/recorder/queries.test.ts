import { describe, expect, onTestFinished, test } from 'vitest'
import { noUsage } from '../../../src/core/domain/usage.ts'
import {
  childrenOf,
  parallelSiblings,
  pruneSessions,
  type RecordedRun,
  type RecordedSession,
  rootRuns,
  runOf,
  totalUsage,
} from '../../../src/adapters/recorder/index.ts'
import { fileSessionStore } from '../../../src/adapters/recorder/file-session-store.ts'
import { temporaryFolder } from '../stores/temporary-folder.ts'

function run(id: string, changes: Partial<RecordedRun> = {}): RecordedRun {
  return {
    id,
    sessionId: 's',
    agentId: 'guide',
    agent: 'guide',
    subject: 's',
    startedAt: 1,
    lastActiveAt: 1,
    status: 'completed',
    messages: [],
    usage: { ...noUsage, input: 2, totalTokens: 2 },
    cost: 0.25,
    turns: 0,
    calls: 0,
    metadata: {},
    events: [],
    children: [],
    childRuns: [],
    ...changes,
  }
}

function session(runs: readonly RecordedRun[], changes: Partial<RecordedSession> = {}): RecordedSession {
  const times = { createdAt: 1, lastActiveAt: 1 }
  return { id: 's', agentId: 'guide', ...times, formation: { kind: 'explicit' }, runs, ...changes }
}

const idsOf = (runs: readonly RecordedRun[]) => runs.map(({ id }) => id)

describe('SES-02 the tree of a session', () => {
  const group = (isSelected: boolean) => ({ runIds: ['p1', 'p2', 'gone', 'p3'], isSelected })
  const tree = session([
    run('root'),
    run('again', { parentRunId: 'root', continuation: { kind: 'rerun', tag: 't' } }),
    run('branch', { parentRunId: 'root', continuation: { kind: 'branch', tag: 'b' } }),
    run('leaf', { parentRunId: 'branch' }),
    run('from-elsewhere', { parentRunId: 'of another session' }),
    run('itself', { parentRunId: 'itself' }),
    ...['p1', 'p2', 'p3'].map((id) => run(id, { parentRunId: 'leaf', parallelGroup: group(id === 'p2') })),
  ])

  test("SES-02 returns roots, a run's children, parallel runs, one run and its whole usage", () => {
    expect(idsOf(rootRuns(tree))).toEqual(['root', 'from-elsewhere', 'itself'])
    expect(idsOf(childrenOf(tree, 'root'))).toEqual(['again', 'branch'])
    expect(idsOf(childrenOf(tree, 'leaf'))).toEqual(['p1', 'p2', 'p3'])
    expect(childrenOf(tree, 'itself')).toEqual([])
    expect(idsOf(parallelSiblings(tree, 'p2'))).toEqual(['p1', 'p3'])
    expect(parallelSiblings(tree, 'root')).toEqual([])
    expect(runOf(tree, 'leaf')?.parentRunId).toBe('branch')
    expect(runOf(tree, 'nobody')).toBeUndefined()
    expect(totalUsage(tree)).toEqual({ usage: { ...noUsage, input: 18, totalTokens: 18 }, cost: 2.25 })
  })
})

describe('SES-02 retention', () => {
  function emptyStore() {
    const folder = temporaryFolder()
    onTestFinished(() => folder[Symbol.dispose]())
    return fileSessionStore(folder.file('sessions'))
  }

  async function kept(ages: readonly number[], changes: (age: number) => Partial<RecordedSession> = () => ({})) {
    const store = emptyStore()
    for (const age of ages) await store.save(session([], { id: `s-${age}`, lastActiveAt: age, ...changes(age) }))
    const left = async () => (await store.list({ limit: 10_000 })).map(({ id }) => id)
    return { store, left }
  }

  test('SES-02 deletes by age, by count and by agent, the oldest first, at most a batch', async () => {
    const { store, left } = await kept([1, 2, 3, 4, 5])
    expect(await pruneSessions(store, {})).toEqual([])
    expect(await pruneSessions(store, { before: 3, limit: 1 })).toEqual(['s-1'])
    expect(await pruneSessions(store, { before: 3 })).toEqual(['s-2'])
    expect(await pruneSessions(store, { keep: 2, agentId: 'other' })).toEqual([])
    expect(await pruneSessions(store, { keep: 2 })).toEqual(['s-3'])
    expect(await left()).toEqual(['s-5', 's-4'])
  })

  test('SES-02 keeps a session with a waiting run', async () => {
    const { store, left } = await kept([1, 2], (age) =>
      age === 1 ? { runs: [run('r', { sessionId: 's-1', status: 'waiting' })] } : {},
    )
    expect(await pruneSessions(store, { keep: 0 })).toEqual(['s-2'])
    expect(await left()).toEqual(['s-1'])
  })

  test('SES-02 reads all pages of a large store', async () => {
    const { store, left } = await kept(Array.from({ length: 600 }, (_, index) => index))
    expect(await pruneSessions(store, { keep: 1, limit: 2000 })).toHaveLength(599)
    expect(await left()).toEqual(['s-599'])
  })

  test('SES-02 refuses invalid options', async () => {
    await expect(pruneSessions(emptyStore(), { keep: -1 })).rejects.toMatchObject({ code: 'bad_option' })
    await expect(emptyStore().list({ limit: -1 })).rejects.toMatchObject({ code: 'bad_option' })
    await expect(emptyStore().list({ after: {} as never })).rejects.toMatchObject({ code: 'bad_option' })
  })
})
