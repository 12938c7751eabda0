import { expect, test } from 'vitest'
import { StoreError } from '../../../src/core/domain/store-error.ts'
import { isDamage, isLocked } from '../../../src/adapters/stores/sqlite/error-codes.ts'
import { isUnwritable, toRunError, toStoreError } from '../../../src/adapters/stores/sqlite/errors.ts'

/** An error as SQLite raises it; the code in use may carry more than the primary one. */
const raised = (errcode: unknown, message = 'it says') => Object.assign(new Error(message), { errcode })
const ofStore = (cause: unknown) => new StoreError('store_unavailable', 'text', { cause })

const busy = 'is locked by another process and stayed so. Try again, or end that process.'

test.each<[string, number, string, string]>([
  ['busy', 5, 'store_busy', busy],
  ['locked', 6, 'store_busy', busy],
  ['busy in a snapshot', 5 | (2 << 8), 'store_busy', busy],
  ['read-only', 8, 'store_unavailable', 'cannot be written to. Check the permissions of the file and of its folder.'],
  [
    'failing disk',
    10,
    'store_unavailable',
    'could not be read or written (it says). Check the disk, then open it again.',
  ],
  [
    'damaged',
    11,
    'store_unavailable',
    'is damaged: its pages are inconsistent. Restore it from a copy, or recover it with the sqlite3 tool.',
  ],
  ['full', 13, 'store_busy', 'has no room left on its disk. Free some, then drive the run again.'],
  [
    'not to be opened',
    14,
    'store_unavailable',
    'cannot be opened. Check that its folder exists, and that it is a file you may read and write.',
  ],
  ['anything else', 1, 'store_unavailable', 'failed: it says.'],
])('CKP-09 CKP-06 gives advice about a store that is %s', (_, errcode, code, what) => {
  const cause = raised(errcode)
  expect(toStoreError(cause, '/f')).toMatchObject({
    name: 'StoreError',
    code,
    message: `The store "/f" ${what}`,
    cause,
  })
})

test('CKP-06 recognises a file that is not a database, and leaves other errors unchanged', () => {
  const cause = raised(26)
  expect(toStoreError(cause, '/f')).toMatchObject({
    code: 'store_foreign',
    message: '"/f" is not a SQLite database. Choose another path, or restore the file from a copy.',
    cause,
  })
  for (const other of [new Error('mine'), 'text', raised('5'), null, { errcode: 5 }]) {
    expect(toStoreError(other, '/f')).toBe(other)
  }
})

test('CKP-09 treats only unreadable rows as damage of their run', () => {
  const tooLarge = Object.assign(new Error('large'), { code: 'ERR_OUT_OF_RANGE' })
  for (const cause of [raised(11), tooLarge]) {
    expect(toRunError(cause, '/f', 'r')).toMatchObject({
      code: 'run_damaged',
      message: expect.stringContaining('Run "r" is damaged: a row of it in "/f" cannot be read.'),
      cause,
    })
  }
  expect(toRunError(raised(5), '/f', 'r')).toMatchObject({ code: 'store_busy' })
  expect(toRunError(Object.assign(new Error('x'), { code: 'OTHER' }), '/f', 'r')).toMatchObject({ message: 'x' })
})

test.each([
  [5, { damage: false, locked: true, unwritable: false }],
  [6, { damage: false, locked: true, unwritable: false }],
  [8, { damage: false, locked: false, unwritable: true }],
  [11, { damage: true, locked: false, unwritable: false }],
  [13, { damage: false, locked: false, unwritable: false }],
  [14, { damage: false, locked: false, unwritable: true }],
])('CKP-06 classifies error %i', (errcode, expected) => {
  const cause = raised(errcode)
  expect({
    damage: isDamage(ofStore(cause)),
    locked: isLocked(ofStore(cause)),
    unwritable: isUnwritable(cause),
  }).toEqual(expected)
  expect([isDamage(cause), isLocked(cause), isUnwritable(ofStore(cause))]).toEqual([false, false, false])
})
