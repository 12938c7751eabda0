import { dirname } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { hasPostgres } from '../../../proof/support/postgres-server.ts'
import { newPlace, openStore } from '../../../proof/support/store-place.ts'
import { createDriver, says } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { temporaryFolder } from './temporary-folder.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

test.for(hasPostgres ? ['SQLite', 'Postgres'] : ['SQLite'])(
  'EVT-04 %s: reads long entries by pages of few, and every page has one',
  async (kind) => {
    const place = await newPlace(kind, dirname(folder.file('runs.db')))
    const store = openStore(place.address)
    const driver = await createDriver(store, 'run')
    const texts = ['x'.repeat(100_000), ...Array.from({ length: 8 }, () => 'y'.repeat(20_000)), 'short', 'short']
    await driver.commit({ entries: texts.map((text) => says(text)) })
    const pages: number[] = []
    for (let last = 0; last < texts.length; last += pages.at(-1) ?? 1) {
      const page = await store.entries('run', last, 50)
      expect(page[0]?.seq).toBe(last + 1)
      pages.push(page.length)
    }
    expect(pages).toEqual([1, 4, 4, 2])
    await store.close()
    await place.close()
  },
)
