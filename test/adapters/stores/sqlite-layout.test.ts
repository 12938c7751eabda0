import { DatabaseSync } from 'node:sqlite'
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { storeFileId } from '../../../src/core/domain/store-file.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** The refusal of a file that these statements have made. */
function refusalOf(path: string, ...statements: readonly string[]): unknown {
  const database = new DatabaseSync(path)
  for (const statement of statements) database.exec(statement)
  database.close()
  try {
    sqliteStore(path)
    return undefined
  } catch (error) {
    return error
  }
}

const ours = `PRAGMA application_id = ${storeFileId}`

test.each([
  ['tables', ['CREATE TABLE notes (id)']],
  ['a version', ['PRAGMA user_version = 3']],
  ['an id', ['PRAGMA application_id = 7']],
  ['our id and tables, and no version', [ours, 'CREATE TABLE notes (id)']],
])('CKP-06 SQLite: refuses a database of another program, recognised by %s', (_, statements) => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  expect(refusalOf(path, ...statements)).toMatchObject({
    code: 'store_foreign',
    message: `"${path}" is a SQLite database of another program. Nothing was changed: choose another path.`,
  })
})

test.each([99, -1])('CKP-07 SQLite: refuses a store of layout %i, and gives advice', (version) => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  expect(refusalOf(path, ours, `PRAGMA user_version = ${version}`)).toMatchObject({
    code: 'store_foreign',
    message: expect.stringMatching(
      new RegExp(
        `^The store ".*" has layout ${version}; this version of statewright reads layout \\d+\\. ` +
          'Nothing was changed: use the version that wrote it, or another path\\.$',
      ),
    ),
  })
})

test('CKP-06 SQLite: creates a store in an empty database, and refuses a file that is not a database', () => {
  using folder = temporaryFolder()
  expect(refusalOf(folder.file('empty.db'), 'PRAGMA user_version = 0')).toBeUndefined()
  expect(refusalOf(folder.file('ours.db'), ours)).toBeUndefined()
  writeFileSync(folder.file('text.db'), 'text '.repeat(1000))
  expect(() => sqliteStore(folder.file('text.db'))).toThrow(expect.objectContaining({ code: 'store_foreign' }))
})

test.each([
  [
    { pollMs: 0 },
    'Option pollMs of sqliteStore is 0, which is refused. Expected more than 0 and at most 250 milliseconds.',
  ],
  [
    { pollMs: 251 },
    'Option pollMs of sqliteStore is 251, which is refused. Expected more than 0 and at most 250 milliseconds.',
  ],
  [{ synchronous: 'off' }, 'Option synchronous of sqliteStore is "off", which is refused. Expected full or normal.'],
])('CKP-06 SQLite: refuses %j', (options, message) => {
  using folder = temporaryFolder()
  expect(() => sqliteStore(folder.file('runs.db'), options as never)).toThrow(
    expect.objectContaining({ code: 'bad_option', message }),
  )
  expect(() => sqliteStore('')).toThrow('Option path of sqliteStore is "", which is refused.')
})
