import { expect, test } from 'vitest'
import type { LogEntry } from '../../../src/core/domain/log.ts'
import { placeAfter } from '../../../src/core/stores/rows/event-place.ts'
import { DatabaseSync } from '../../../src/adapters/stores/sqlite/module.ts'
import { createReading } from '../../../src/adapters/stores/sqlite/reading.ts'
import { createSession } from '../../../src/adapters/stores/sqlite/session.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { createDriver, says, start } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { temporaryFolder } from '../../adapters/stores/temporary-folder.ts'

type Entry = (seq: number) => LogEntry

const tells =
  (last: number): Entry =>
  (seq) => ({ kind: 'events', seq, last, kept: { at: start, events: [{ type: 'a' }] } })

/** The events of 1,000 commits, two messages before each, and a long transcript in front of all. */
const entries = [
  ...Array.from({ length: 1000 }, () => says('before')),
  ...Array.from({ length: 1000 }, (_, index) => [says('one'), says('two'), tells(index + 1)]).flat(),
]

test('EVT-04 SQLite finds an event by its number in a few rows of a long log', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const store = sqliteStore(path)
  await (await createDriver(store, 'run')).commit({ entries })
  const database = new DatabaseSync(path)
  let rows = 0
  database.function('counted', (kind) => {
    rows++
    return kind
  })
  const session = createSession(database, path)
  const sql = (text: string) => session.sql(text.replace("kind = 'events'", "counted(kind) = 'events'"))
  const { events } = createReading({ ...session, sql })
  for (const after of [1, 2, 500, 999]) {
    rows = 0
    expect(events('run', after, 1).map(({ last }) => last)).toEqual([after + 1])
    expect(rows, `rows looked at for event ${after + 1}`).toBeLessThan(after < 3 ? 1100 : 60)
  }
  expect(events('run', 1000, 1)).toEqual([])
  session.close()
  await store.close()
})

test.each([[[]], [[3]], [[0, 1, 2]], [[0, 4, 5, 9]], [[2, 3, 8]]])(
  'EVT-04 no event after a number comes before the place that is found for it, and none before it is wanted: %j',
  (places) => {
    const lastIn = (from: number, to: number) => {
      const place = places.findLast((one) => one >= from && one <= to)
      return place === undefined ? undefined : { place, last: places.indexOf(place) + 1 }
    }
    for (let after = 0; after <= places.length; after++) {
      const found = placeAfter(after, { first: 0, end: 10, lastIn })
      expect(places.filter((place) => place >= found)).toEqual(places.slice(after))
    }
  },
)
