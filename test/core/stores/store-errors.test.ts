import { expect, test } from 'vitest'
import { asStoreError, type StoreError } from '../../../src/core/domain/store-error.ts'
import {
  checkpointUnknown,
  fenceConflict,
  inboxBefore,
  runDamaged,
  runExists,
  runIsDriven,
  runUnknown,
  storeClosed,
  versionConflict,
} from '../../../src/core/stores/rows/store-errors.ts'

const owner = { id: 'o', host: 'h', pid: 7, pidStart: '1' }

test.each<[StoreError, string, string]>([
  [runUnknown('r'), 'run_unknown', 'The store has no run "r". Check the id, or list the runs.'],
  [runExists('r'), 'run_exists', 'A run "r" is stored already. Load it, or choose another id.'],
  [
    inboxBefore('r'),
    'run_damaged',
    'Run "r" was not created: its inbox holds rows, and that of a new run is empty. Choose another id.',
  ],
  [
    runIsDriven('r', owner, 1_000),
    'run_is_driven',
    'Run "r" is driven by process 7 on host "h" (owner "o") until 1970-01-01T00:00:01.000Z. ' +
      'Send it decisions or a cancel through the store, or wait until it is released.',
  ],
  [
    versionConflict('r', 3, 2),
    'version_conflict',
    'Run "r" is at version 3; this commit expected version 2. Nothing was written: read the run again.',
  ],
  [checkpointUnknown('r', 3, []), 'run_unknown', 'Run "r" has no checkpoint of version 3. It has no checkpoint.'],
  [checkpointUnknown('r', 3, [1, 2]), 'run_unknown', 'Run "r" has no checkpoint of version 3. Known: 1, 2.'],
  [storeClosed(), 'store_unavailable', 'The store is closed. Open it again.'],
  [
    runDamaged('r', 'its row', 'is odd'),
    'run_damaged',
    'Run "r" is damaged: its row is odd. Other runs are not affected: restore this one from a copy, or delete it.',
  ],
])('CKP-09 says what happened and what to do: %#', (error, code, message) => {
  expect(error).toMatchObject({ name: 'StoreError', code, message })
  expect('cause' in error).toBe(false)
})

test.each([
  [{ owner: 'you', fence: 3 }, 'its lease has fence 3, not 2'],
  [{ owner: 'you', fence: 2 }, 'the lease of fence 2 now belongs to owner "you"'],
  [{ owner: null, fence: 2 }, 'the lease of fence 2 was released'],
])('CKP-05 names the holder of the lease: %j', (found, what) => {
  expect(fenceConflict('r', found, 2)).toMatchObject({ code: 'fence_conflict', message: expect.stringContaining(what) })
})

test("RUN-06 wraps a store's exception as a store failure, and leaves store errors as they are", () => {
  const cause = new Error('boom')
  const message = 'The store failed: boom. The stored run stays at its last commit and can be continued.'
  expect(asStoreError(cause)).toMatchObject({ code: 'store_unavailable', message, cause })
  const own = storeClosed()
  expect(asStoreError(own)).toBe(own)
})
