import { describe, expect, test } from 'vitest'
import { replicatedStore } from '../../../src/adapters/stores/replicated/replicated-store.ts'
import { storeSuite } from '../../../src/testing/stores/store-suite.ts'
import { deadOwner } from '../../../proof/support/dead-owner.ts'
import { memoryJournal } from '../../../proof/support/memory-journal.ts'

const suite = storeSuite(async (clock) => {
  const { store } = replicatedStore(memoryJournal(), clock)
  return { store, deadOwner, dispose: () => store.close() }
})

describe('SCALE-02 CKP-06 the store over a journal', () => {
  test.each(suite.map(({ name, run }) => [name, run] as const))('SCALE-02 %s', (_, run) => run())
})
