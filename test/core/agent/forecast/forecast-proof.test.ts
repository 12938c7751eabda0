import { describe, expect, test } from 'vitest'
import { type FakeClock, fakeClock } from '../../../../proof/support/fake-clock.ts'
import { hasPostgres, sayNoPostgres } from '../../../../proof/support/postgres-server.ts'
import { postgresSubject } from '../../../../proof/support/postgres-subject.ts'
import { countedIds } from '../../../../proof/support/test-agent.ts'
import { sqliteStore } from '../../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { memoryStore } from '../../../../src/core/stores/memory/memory-store.ts'
import type { Store } from '../../../../src/index.ts'
import { type Forecast, forecast } from '../../../../src/testing/index.ts'
import { carriedOn, type Happened } from './carry-on.ts'
import { changes } from './changes.ts'
import { agentOf, oldVersion, type Version } from './old-version.ts'
import { saidOf, seenOf } from './symptoms.ts'
import { storeWaits, waits } from './waits.ts'

interface Place {
  readonly store: Store
  readonly clock: FakeClock
}

type Opened = Pick<Place, 'store'> & { dispose(): Promise<void> }

async function happenedWith(version: Version, place: Place): Promise<ReadonlyMap<string, Happened>> {
  const all = new Map<string, Happened>()
  for (const runId of Object.keys(waits))
    for (const [id, happened] of await carriedOn(version, runId, place)) all.set(id, happened)
  return all
}

let unchanged: Promise<ReadonlyMap<string, Happened>> | undefined

async function unchangedRuns(): Promise<ReadonlyMap<string, Happened>> {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  await storeWaits(store, clock)
  return happenedWith(oldVersion, { store, clock })
}

interface Judged {
  /** The forecast and the outcome of each run with the new code alone. */
  readonly said: readonly unknown[]
  readonly seen: readonly unknown[]
  /** The runs that are said to go on otherwise than with the old code, and those that did. */
  readonly others: readonly string[]
  readonly differing: readonly string[]
  readonly unknown: number
  readonly checked: readonly number[]
}

/** Forecasts the runs of a store, and has them carried on by the new version. */
async function judge(
  change: (version: Version) => Version,
  open: (clock: FakeClock) => Opened | Promise<Opened>,
): Promise<Judged> {
  const clock = fakeClock()
  const { store, dispose } = await open(clock)
  try {
    await storeWaits(store, clock)
    const outside = { store, clock, ids: countedIds('f') }
    const version = change(oldVersion)
    const now = [agentOf(version, outside)]
    const alone = await forecast(store, now)
    const compared = await forecast(store, now, { from: [agentOf(oldVersion, outside)] })
    const happened = await happenedWith(version, { store, clock })
    const before = await (unchanged ??= unchangedRuns())
    const ids = [...happened.keys()]
    const isOther = (id: string) => JSON.stringify(happened.get(id)) !== JSON.stringify(before.get(id))
    return {
      said: ids.map((id) => [id, saidOf(reasonsFor(alone, id))]),
      seen: ids.map((id) => [id, seenOf(happened.get(id) ?? { calls: [] })]),
      others: ids.filter((id) => reasonsFor(compared, id).length > 0),
      differing: ids.filter(isOther),
      unknown: [...alone.groups, ...compared.groups].filter(({ outlook }) => outlook === 'unknown').length,
      checked: [alone.checked, compared.checked],
    }
  } finally {
    await dispose()
  }
}

function reasonsFor({ groups }: Forecast, id: string): readonly string[] {
  const own = groups.filter(({ runIds }) => runIds.includes(id))
  return own.map(({ outlook, reason }) => `${outlook}: ${reason}`)
}

const onEveryStore = [
  'arguments that fit and rules that deny',
  'descriptions and effects',
  'tools renamed and rules that ask',
]

const places: readonly (readonly [string, (clock: FakeClock) => Opened | Promise<Opened>, typeof changes])[] = [
  ['memory', (clock) => ({ store: memoryStore({ clock }), dispose: async () => undefined }), changes],
  ['SQLite', (clock) => onDisk(sqliteStore(':memory:', { clock })), some(changes)],
  ...(hasPostgres ? ([['Postgres', postgresSubject, some(changes)]] as const) : []),
]
sayNoPostgres('forecasts')

function onDisk(store: Store): Opened {
  return { store, dispose: () => store.close() }
}

function some(all: typeof changes): typeof changes {
  return all.filter(([name]) => onEveryStore.includes(name))
}

describe.each(places)('VER-01 %s: what is said of every open run is what happens to it', (_, open, theirs) => {
  test.each(theirs)('after a change of %s', async (__, change) => {
    const { said, seen, others, differing, unknown, checked } = await judge(change, open)
    expect(said).toEqual(seen)
    expect(others).toEqual(differing)
    expect(unknown).toBe(0)
    const runs = Object.keys(waits).length + 1
    expect([...checked, said.length]).toEqual([runs, runs, runs])
  })
})
