import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import type { Store } from '../../src/index.ts'
import { type Forecast, forecast } from '../../src/testing/index.ts'
import { type FakeClock, fakeClock } from '../support/fake-clock.ts'
import { countedIds } from '../support/test-agent.ts'
import { carriedOn, type Happened, takenOver } from './carry-on.ts'
import type { Change } from './changes.ts'
import { agentOf, oldVersion, type Version } from './old-version.ts'
import { type PlaceName, places } from './places.ts'
import { saidOf, seenOf } from './symptoms.ts'
import { storeWaits, waits } from './waits.ts'

/** The forecasts of a store's open runs, and their outcomes. */
export interface Judged {
  /** The forecast and the outcome of each run with the new code alone. */
  readonly said: readonly unknown[]
  readonly seen: readonly unknown[]
  /** The runs that are said to go on otherwise than with the old code, and those that did. */
  readonly others: readonly string[]
  readonly differing: readonly string[]
  /** Groups of which the forecast cannot say. */
  readonly unknown: number
  readonly checked: readonly number[]
  /** True if what is stored is not what it was before the forecasts. */
  readonly isWritten: boolean
}

/** Stores open runs of every kind with the old version, forecasts them, and has the new version carry them on. */
export async function judgeChange(change: Change, where: PlaceName): Promise<Judged> {
  const clock = fakeClock()
  const { store, digest, dispose } = await places[where](clock)
  try {
    await storeWaits(store, clock)
    const outside = { store, clock, ids: countedIds('f') }
    const version = change(oldVersion)
    const now = [agentOf(version, outside)]
    const stored = await digest()
    const alone = await forecast(store, now)
    const compared = await forecast(store, now, { from: [agentOf(oldVersion, outside)] })
    const isWritten = stored !== (await digest())
    const happened = await happenedWith(version, store, clock)
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
      isWritten,
    }
  } finally {
    await dispose()
  }
}

/** The open runs: one for each way of waiting, and the child of one of them. */
export const openRuns = Object.keys(waits).length + 1

async function happenedWith(version: Version, store: Store, clock: FakeClock): Promise<ReadonlyMap<string, Happened>> {
  const all = new Map<string, Happened>()
  const moves = typeof version.version === 'object' && version.version.others === 'move'
  const moved = moves ? await takenOver(version, { store, clock }) : undefined
  for (const runId of Object.keys(waits)) {
    const taken = moved?.get(runId) ?? []
    for (const [id, happened] of await carriedOn(version, runId, { store, clock, taken })) all.set(id, happened)
  }
  return all
}

let unchanged: Promise<ReadonlyMap<string, Happened>> | undefined

async function unchangedRuns(): Promise<ReadonlyMap<string, Happened>> {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  await storeWaits(store, clock)
  return happenedWith(oldVersion, store, clock)
}

function reasonsFor({ groups }: Forecast, id: string): readonly string[] {
  const own = groups.filter(({ runIds }) => runIds.includes(id))
  return own.map(({ outlook, reason }) => `${outlook}: ${reason}`)
}
