import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isStoreHeader, storeHeaderBytes } from '../../../src/core/domain/store-file.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'

test('TOOL-03 recognises one of our store files by its first bytes, at any offset of a buffer', async () => {
  const path = join(await temporaryFolder(), 'runs.db')
  await sqliteStore(path).close()
  const head = readFileSync(path).subarray(0, storeHeaderBytes)
  const shifted = new Uint8Array(storeHeaderBytes + 3)
  shifted.set(head, 3)
  expect(isStoreHeader(head)).toBe(true)
  expect(isStoreHeader(shifted.subarray(3))).toBe(true)
  expect(isStoreHeader(head.subarray(0, storeHeaderBytes - 1))).toBe(false)
  for (const [place, why] of [
    [0, 'no SQLite'],
    [15, 'no SQLite'],
    [68, 'another program'],
    [71, 'another program'],
  ] as const) {
    const other = Uint8Array.from(head)
    other[place] = (other[place] ?? 0) + 1
    expect([place, why, isStoreHeader(other)]).toEqual([place, why, false])
  }
})
