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

/** Forecasts the runs of a store, has them carried on by the new version, and compares. */
async function judge(change: (version: Version) => Version, open: (clock: FakeClock) => Opened | Promise<Opened>) {
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
    expect(happened.size).toBe(Object.keys(waits).length + 1)
    expect([alone.checked, compared.checked]).toEqual([happened.size, happened.size])
    const ids = [...happened.keys()]
    expect(said(alone, ids, saidOf)).toEqual(ids.map((id) => [id, seenOf(happened.get(id) ?? { calls: [] })]))
    const isOther = (id: string) => JSON.stringify(happened.get(id)) !== JSON.stringify(before.get(id))
    expect(said(compared, ids, (reasons) => reasons.length > 0)).toEqual(ids.map((id) => [id, isOther(id)]))
    expect([...alone.groups, ...compared.groups].filter(({ outlook }) => outlook === 'unknown')).toEqual([])
  } finally {
    await dispose()
  }
}

function said<Value>({ groups }: Forecast, ids: readonly string[], read: (reasons: readonly string[]) => Value) {
  return ids.map((id) => {
    const own = groups.filter(({ runIds }) => runIds.includes(id))
    return [id, read(own.map(({ outlook, reason }) => `${outlook}: ${reason}`))]
  })
}

const some = changes.filter((_, place) => place % 7 === 4)

describe('VER-01 what is said of every open run is what happens to it', () => {
  test.each(changes)('memory: %s', (_, change) =>
    judge(change, (clock) => ({ store: memoryStore({ clock }), dispose: async () => undefined })),
  )

  test.each(some)('SQLite: %s', (_, change) =>
    judge(change, (clock) => {
      const store = sqliteStore(':memory:', { clock })
      return { store, dispose: () => store.close() }
    }),
  )

  sayNoPostgres('forecasts')
  test.skipIf(!hasPostgres).each(some)('Postgres: %s', (_, change) => judge(change, postgresSubject))
})
