import assert from 'node:assert/strict'
import { missingMethods } from '../../core/ports/store-methods.ts'
import type { StoreCase } from './store-suite-fixtures.ts'

/** Cases of the methods that a store must have. */
export const methodCases: readonly StoreCase[] = [
  [
    'has every method of the port',
    async ({ store }) => {
      const missing = missingMethods(store)
      const wish = 'The interface Store says what each of them does; the other cases fail where they need one.'
      assert.equal(missing.length, 0, `The store has no ${missing.join(', ')}. ${wish}`)
    },
  ],
]
