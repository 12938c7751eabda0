import { expect, test } from 'vitest'
import { createAgent } from '../../../src/index.ts'
import { missingMethods } from '../../../src/core/ports/store-methods.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { storeSuite } from '../../../src/testing/stores/store-suite.ts'
import { deadOwner } from '../../../proof/support/dead-owner.ts'

/** A store as it was written for an earlier version, when these were optional. */
function earlierStore(clock = { now: () => Date.now() }) {
  const { input: _, calls: __, entries: ___, claimNext: ____, ...rest } = memoryStore({ clock })
  return rest
}

test('CKP-06 a store needs every method of the port except verify', () => {
  const whole = memoryStore()
  expect(missingMethods(whole)).toEqual([])
  const methods = Object.keys(whole)
  for (const name of methods) expect(missingMethods({ ...whole, [name]: undefined })).toEqual([name])
  expect(missingMethods({})).toHaveLength(methods.length)
})

test('CKP-06 an agent refuses a store that lacks methods, and names each', () => {
  const open = () => createAgent({ name: 'a', model: scripted([]), store: earlierStore() as never })
  const text = 'The store has no input, calls, entries, claimNext, which every store must have.'
  expect(open).toThrow(expect.objectContaining({ code: 'bad_option', message: expect.stringContaining(text) }))
})

test('CKP-06 the suite names each missing method in one case, and a case that does not need them passes', async () => {
  const suite = storeSuite(async (clock) => {
    const store = earlierStore(clock)
    return { store: store as never, deadOwner, dispose: () => store.close() }
  })
  const found = (text: string) => suite.filter(({ name }) => name.includes(text)).map(({ run }) => run())
  const names = 'The store has no input, calls, entries, claimNext.'
  await expect(Promise.all(found('every method of the port'))).rejects.toThrow(names)
  expect(await Promise.all(found('gives a released lease'))).toEqual([undefined])
})

test.each(['memoryStore', 'sqliteStore'])('CKP-05 %s refuses a clock that returns no time', async (name) => {
  const { sqliteStore } = await import('../../../src/adapters/stores/sqlite/sqlite-store.ts')
  const clock = { time: 1 } as never
  const open = () => (name === 'memoryStore' ? memoryStore({ clock }) : sqliteStore('nowhere.db', { clock }))
  expect(open).toThrow(`Option clock of ${name} is`)
})
