import { describe, expect, test } from 'vitest'
import { changes } from '../../../../proof/forecast/changes.ts'
import { judgeChange, openRuns } from '../../../../proof/forecast/judge-change.ts'
import type { PlaceName } from '../../../../proof/forecast/places.ts'
import { sampled } from '../../../../proof/support/sampled.ts'
import { hasPostgres, sayNoPostgres } from '../../../../proof/support/postgres-server.ts'

const onEveryStore = [
  'arguments that fit and rules that deny',
  'descriptions and effects',
  'tools renamed and rules that ask',
]
const some = changes.filter(([name]) => onEveryStore.includes(name))

// All changes on every store: npm run forecasts.
const places: readonly (readonly [PlaceName, typeof changes])[] = [
  ['memory', sampled(changes, 3)],
  ['SQLite', some],
  ...(hasPostgres ? [['Postgres', sampled(some, 3)] as const] : []),
]
sayNoPostgres('forecasts')

describe.each(places)('VER-01 %s: every open run behaves as its forecast says', (place, theirs) => {
  test.each(theirs)('after a change of %s', async (_, change) => {
    const { said, seen, others, differing, unknown, checked, isWritten } = await judgeChange(change, place)
    expect(said).toEqual(seen)
    expect(others).toEqual(differing)
    expect([unknown, isWritten]).toEqual([0, false])
    expect([...checked, said.length]).toEqual([openRuns, openRuns, openRuns])
  })
})
