import { describe, expect, test } from 'vitest'
import { restoreDump } from '../../../proof/fixtures/dump-store.ts'
import { endOf, uninterrupted } from '../../../proof/fixtures/fixture-end.ts'
import { fixtureId, type FixtureRun, forkId, playFixture } from '../../../proof/fixtures/fixture-run.ts'
import { fixtureRuns } from '../../../proof/fixtures/fixture-runs.ts'
import { type Recording, recordRun } from '../../../proof/fixtures/recording.ts'
import { fakeClock } from '../../../proof/support/fake-clock.ts'
import { countedIds } from '../../../proof/support/test-agent.ts'
import { type AgentCore, agentCore } from '../../../src/core/driving/agent-core.ts'
import { partsOf } from '../../../src/core/agent/options.ts'
import { chartsOf, runCharts } from '../../../src/core/driving/run-charts.ts'
import { RunHandle } from '../../../src/core/agent/run-handle.ts'
import { checkRuns, createAgent, SnapshotError, StoreError } from '../../../src/index.ts'
import type { Store, StoredRun } from '../../../src/core/ports/store.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import type { Migrations } from '../../../src/core/runtime/migration.ts'
import type { StoredActor, StoredChild } from '../../../src/core/runtime/persist.ts'
import type { Charts } from '../../../src/core/runtime/stepper.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { runMigrations } from '../../../machines/run/run.schema.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { configOf, machinesWith } from '../../../src/testing/charts/machines-under-test.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Each run as it is stored today, recorded when it is first asked for. */
const recorded = new Map<FixtureRun, Promise<Recording>>()

function recordingOf(fixture: FixtureRun): Promise<Recording> {
  const recording = recorded.get(fixture) ?? recordRun(fixture)
  recorded.set(fixture, recording)
  return recording
}
const leaseMs = 30_000

/** The names of schema 0: a state of each chart, and a field of each context. */
const states = {
  root: ['executing', 'performing'],
  toolCall: ['backingOff', 'pausing'],
  modelCall: ['calling', 'asking'],
}
const fields = { root: ['isUnheard', 'unheard'], toolCall: ['attempts', 'tries'], modelCall: ['failures', 'misses'] }

type Chart = keyof typeof states

function isChart(src: string): src is Chart {
  return Object.hasOwn(states, src)
}

function renamed(actor: StoredActor, src: string, direction: 'back' | 'forward'): StoredActor {
  if (!isChart(src) || actor.value === undefined) return actor
  const pair = (names: readonly string[]) => (direction === 'back' ? names : names.toReversed())
  const [state = '', otherState = ''] = pair(states[src])
  const [field = '', otherField = ''] = pair(fields[src])
  const value: unknown = JSON.parse(JSON.stringify(actor.value).replaceAll(`"${state}"`, `"${otherState}"`))
  const entries = Object.entries(actor.context ?? {}).map(([name, kept]) => [name === field ? otherField : name, kept])
  return { ...actor, value, context: Object.fromEntries(entries) }
}

const planted: Migrations = {
  ...runMigrations,
  0: { document: everywhere((actor, src) => renamed(actor, src, 'forward')) },
}

/** A step that changes every actor of a tree, the children of each first. */
function everywhere(change: (actor: StoredActor, src: string) => StoredActor) {
  return function changed({ src, snapshot }: StoredChild): StoredActor {
    const children = Object.entries(snapshot.children ?? {}).map(([id, child]): [string, StoredChild] => [
      id,
      { ...child, snapshot: changed(child) },
    ])
    return change(children.length === 0 ? snapshot : { ...snapshot, children: Object.fromEntries(children) }, src)
  }
}

function older({ src, snapshot }: StoredChild): StoredChild {
  const children = Object.entries(snapshot.children ?? {}).map(([id, child]) => [id, older(child)])
  const own = renamed(snapshot, src, 'back')
  return { src, snapshot: children.length === 0 ? own : { ...own, children: Object.fromEntries(children) } }
}

function olderDocument(text: string): string {
  const document = JSON.parse(text) as { readonly root: StoredActor }
  return JSON.stringify({ ...document, schema: 0, root: older({ src: 'root', snapshot: document.root }).snapshot })
}

/** A run as a version before this one would have written what it wrote: document, checkpoint and rows. */
function olderRun(run: StoredRun, last = Infinity): StoredRun {
  const { record, checkpoint, document, calls } = run
  const isOld = (version: number | undefined) => version !== undefined && version <= last
  return {
    ...run,
    document: document === null || !isOld(record.version) ? document : olderDocument(document),
    checkpoint:
      checkpoint === null || !isOld(checkpoint.version)
        ? checkpoint
        : { ...checkpoint, document: olderDocument(checkpoint.document) },
    calls: calls.map((row) =>
      row.document === null || !isOld(row.version)
        ? row
        : { ...row, document: JSON.stringify({ schema: 0, ...older(JSON.parse(row.document) as StoredChild) }) },
    ),
  }
}

/** A store whose rows up to a version, by default all, were written by an earlier version. */
function olderStore(store: Store, last?: number): Store {
  return {
    ...store,
    read: async (id) => olderRun(await store.read(id), last),
    claim: async (...claim) => {
      const { run, ...lease } = await store.claim(...claim)
      return { ...lease, run: olderRun(run, last) }
    },
  }
}

/** The process that drives dies at its second write. */
function dying(store: Store): Store {
  let commits = 0
  return {
    ...store,
    commit: async (commit) => {
      if (++commits > 1) throw new StoreError('store_unavailable', 'The process is gone.')
      return store.commit(commit)
    },
  }
}

/** The agent of a recorded run, on charts of a test's own. */
function coreOf(
  fixture: FixtureRun,
  store: Store,
  charts: Charts,
  process = 'p2',
): AgentCore & { readonly clock: ReturnType<typeof fakeClock> } {
  const clock = fakeClock()
  clock.advance(2 * leaseMs)
  const { replies = [], model, ...options } = fixture.build({ store, clock })
  const parts = partsOf({ ...options, name: 'test', model: model ?? scripted(replies, { now: clock.now }) })
  return { ...agentCore({ name: 'test', parts, store, clock, ids: countedIds(process), leaseMs, charts }), clock }
}

async function opened(texts: readonly string[], use: (store: Store, runId: string) => Promise<void>): Promise<void> {
  using place = temporaryFolder()
  const path = place.file('runs.db')
  restoreDump(path, texts)
  const store = sqliteStore(path, { synchronous: 'normal' })
  const ids = (await store.list()).map(({ id }) => id)
  await use(store, ids.includes(forkId) ? forkId : fixtureId)
  await store.close()
}

/** Opens a run at each moment at which it was recorded. */
async function atEachMoment(
  fixture: FixtureRun,
  use: (store: Store, runId: string, name: string) => Promise<void>,
): Promise<void> {
  const { schema, moments } = await recordingOf(fixture)
  for (const [name, rows] of moments) await opened([schema, rows], (store, runId) => use(store, runId, name))
}

/** Opens the run `approval` where it was recorded first. */
async function whereAsked(use: (store: Store, runId: string) => Promise<void>): Promise<void> {
  const { schema, moments } = await recordingOf(named('approval'))
  await opened([schema, moments.get('approval.1') ?? ''], use)
}

describe('CKP-07 renamed states and fields', () => {
  test.for(fixtureRuns)('CKP-07 a migration step lets older runs reach their expected end: $name', async (fixture) => {
    const expected = await uninterrupted(fixture)
    await atEachMoment(fixture, async (inner, runId, name) => {
      const store = olderStore(inner)
      const core = coreOf(fixture, store, { ...runCharts, migrations: planted })
      const run = new RunHandle(core, runId, { adopts: true })
      await playFixture(fixture, run, core.clock)
      expect({ name, ...(await endOf(inner, run)) }).toEqual({ name, ...expected })
    })
  })

  test.for(fixtureRuns)('CKP-07 CKP-03 survives a crash after the first migrated write: $name', async (fixture) => {
    const expected = await uninterrupted(fixture)
    await atEachMoment(fixture, async (inner, runId, name) => {
      const { version } = await inner.record(runId)
      const store = olderStore(inner, version)
      const charts = { ...runCharts, migrations: planted }
      const first = new RunHandle(coreOf(fixture, dying(store), charts, 'p2'), runId, { adopts: true })
      await first.settled().catch(() => undefined)
      const core = coreOf(fixture, store, charts, 'p3')
      core.clock.advance(2 * leaseMs)
      const run = new RunHandle(core, runId, { adopts: true })
      await playFixture(fixture, run, core.clock)
      expect({ name, ...(await endOf(inner, run)) }).toEqual({ name, ...expected })
    })
  })

  test('CKP-07 without a migration step refuses runs of an older chart, and leaves them unchanged', async () => {
    const fixture = named('approval')
    await whereAsked(async (inner, runId) => {
      const before = await inner.read(runId)
      const run = new RunHandle(coreOf(fixture, olderStore(inner), runCharts), runId, { adopts: true })
      await expect(run.settled()).rejects.toThrow(
        `Run "${runId}" cannot be continued: its document has schema 0, this version reads schema 1`,
      )
      expect((await inner.read(runId)).record.version).toBe(before.record.version)
    })
  })

  test('CKP-07 a step that does not understand its input leaves the run unchanged', async () => {
    const fixture = named('approval')
    const failing: Migrations = {
      ...runMigrations,
      0: {
        document: () => {
          throw new Error('No such field.')
        },
      },
    }
    await whereAsked(async (inner, runId) => {
      const core = coreOf(fixture, olderStore(inner), { ...runCharts, migrations: failing })
      const run = new RunHandle(core, runId, { adopts: true })
      await expect(run.settled()).rejects.toThrow('could not be migrated from schema 0 to 1 (No such field.)')
    })
  })
})

test('CKP-07 renaming a state without a step strands the runs in it, and the fixtures notice', async () => {
  const config = configOf('toolCall')
  const running = config.states?.['running']
  const known = running?.states
  if (running === undefined || known?.['backingOff'] === undefined) throw new Error('The state is gone.')
  running.states = Object.fromEntries(
    Object.entries(known).map(([name, state]) => [name === 'backingOff' ? 'pausing' : name, state]),
  )
  for (const { onDone = [] } of known['executing']?.invoke ?? []) {
    for (const candidate of onDone) if (candidate.target === 'backingOff') candidate.target = 'pausing'
  }
  const charts = chartsOf(machinesWith({ toolCall: config }))
  const stranded: string[] = []
  for (const fixture of fixtureRuns) {
    await atEachMoment(fixture, async (store, runId) => {
      try {
        const said = await store.inbox(runId, { kinds: ['steer', 'followUp'] })
        coreOf(fixture, store, charts).tryRun(await store.read(runId), said)
      } catch (error) {
        if (!(error instanceof SnapshotError)) throw error
        stranded.push(fixture.name)
      }
    })
  }
  expect([...new Set(stranded)]).toEqual(['tool-retry'])
})

function named(name: string): FixtureRun {
  const fixture = fixtureRuns.find((other) => other.name === name)
  if (fixture === undefined) throw new Error(`No run "${name}" is recorded.`)
  return fixture
}

describe('CKP-07 checkRuns', () => {
  const agentWith = (store: Store, tools: readonly string[]) => {
    const built = named('approval').build({ store, clock: fakeClock() })
    const own = (built.tools ?? []).filter(({ name }) => tools.includes(name))
    return createAgent({ name: 'test', model: scripted(built.replies ?? []), tools: own, store })
  }

  test('CKP-07 names the runs that could not continue, performs nothing and writes nothing', async () => {
    const inner = memoryStore()
    for (const runId of ['good', 'odd']) await agentWith(inner, ['sign']).run('Hi', { runId })
    const writes: string[] = []
    const store: Store = {
      ...inner,
      claim: (...claim) => (writes.push('claim'), inner.claim(...claim)),
      commit: (commit) => (writes.push('commit'), inner.commit(commit)),
      read: async (id) => (id === 'odd' ? olderRun(await inner.read(id)) : inner.read(id)),
    }
    expect(await checkRuns(store, agentWith(store, ['sign']))).toEqual({
      checked: 2,
      problems: [
        { runId: 'odd', status: 'waiting', code: 'snapshot_unreadable', message: expect.stringContaining('schema 0') },
      ],
    })
    expect(writes).toEqual([])
  })

  test("CKP-07 names runs with an open call of a missing tool, and omits other agents' runs", async () => {
    const store = memoryStore()
    await agentWith(store, ['sign']).run('Hi', { runId: 'run-1' })
    const other = createAgent({ name: 'other', model: scripted(['Bye']), store })
    expect(await checkRuns(store, other)).toEqual({ checked: 0, problems: [] })
    const { problems } = await checkRuns(store, agentWith(store, []))
    expect(problems).toMatchObject([
      { runId: 'run-1', code: 'tool_missing', message: expect.stringContaining('"sign"') },
    ])
  })

  test('CKP-07 refuses a value that is not an agent', async () => {
    await expect(checkRuns(memoryStore(), { name: 'made up' })).rejects.toMatchObject({ code: 'bad_option' })
  })
})
