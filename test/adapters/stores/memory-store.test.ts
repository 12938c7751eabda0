import { expect, test } from 'vitest'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { storeSuite } from '../../../src/testing/stores/store-suite.ts'
import { deadOwner } from '../../../proof/support/dead-owner.ts'

const suite = storeSuite(async (clock) => {
  const store = memoryStore({ clock })
  return { store, deadOwner, dispose: () => store.close() }
})

for (const { name, run } of suite) test(`CKP-06 memory: ${name}`, () => expect(run()).resolves.toBeUndefined())
