import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { compareRows } from '../requirements.ts'
import { readRows } from './read-rows.ts'
import { leadingIds, readTitles } from './read-titles.ts'

describe('requirement rows', () => {
  test('reads id, scope and words, and refuses a row it cannot read', () => {
    expect(readRows('# x\n| Row | Scope |\n|---|---|\n| RUN-01 | now | It runs. |')).toEqual([
      { id: 'RUN-01', scope: 'now', words: 'It runs.' },
    ])
    expect(() => readRows('| RUN-01 | soon | It runs. |')).toThrow(/cannot be read/)
    expect(() => readRows('| RUN-01 | now | a |\n| RUN-01 | now | b |')).toThrow(/twice/)
    expect(() => readRows('nothing')).toThrow(/no rows/)
  })

  test.each([
    ['RUN-04 goes on', ['RUN-04']],
    ['TC-03 TC-06 settles', ['TC-03', 'TC-06']],
    ['TC-03, TC-06: settles', ['TC-03', 'TC-06']],
    ['settles TC-03', []],
    ['TC-3 settles', []],
  ])('reads the leading ids of "%s"', (title, ids) => {
    expect(leadingIds(title)).toEqual(ids)
  })

  test('finds titles of tests and groups, and omits skipped tests', () => {
    const text = `
      test('AA-01 plain', () => {})
      it.each([1])('AA-02 each', () => {})
      test(\`AA-03 \${name}\`, () => {})
      describe('AA-04 group', () => { test('inside', () => {}) })
      describe('AA-05 empty group', () => {})
      test.skip('AA-06 skipped', () => {})
      test.todo('AA-07 to do')
      describe.skip('AA-08 skipped', () => { test('AA-09 inside', () => {}) })
      other('AA-10 not a test')
      test('inside a group no more', () => {})
    `
    expect(readTitles('x.test.ts', text)).toEqual(['AA-01', 'AA-02', 'AA-03', 'AA-04'])
  })

  test('reports only missing rows in scope, and names ids without a row', () => {
    const rows = readRows('| A-01 | now | a |\n| A-02 | now | b |\n| A-03 | later | c |\n| A-04 | later | d |')
    expect(compareRows(rows, ['A-01', 'A-04', 'B-01'])).toEqual({
      total: 4,
      covered: 2,
      missing: ['A-02'],
      partial: [],
      later: ['A-03'],
      ready: ['A-04'],
      unknown: ['B-01'],
    })
  })

  test.each([
    ['now', 'Memory and SQLite stand behind one interface (Postgres comes later).', ['A-01']],
    ['now', 'Memory and SQLite, Postgres not yet.', ['A-01']],
    ['now', 'All stores; the last is still to come.', ['A-01']],
    ['later', 'Memory, SQLite and Postgres (Postgres comes later).', []],
    ['now', 'A decision can come from another process, days later.', []],
  ])('refuses a row in scope that defers a part: %s, %s', (scope, words, partial) => {
    const rows = readRows(`| A-01 | ${scope} | ${words} |`)
    expect(compareRows(rows, ['A-01']).partial).toEqual(partial)
  })

  test('finds no deferring row in the document', () => {
    const rows = readRows(readFileSync('docs/requirements.md', 'utf8'))
    expect(compareRows(rows, []).partial).toEqual([])
  })
})
