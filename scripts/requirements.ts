import { globSync, readFileSync } from 'node:fs'
import { type Row, readRows } from './requirements/read-rows.ts'
import { readTitles } from './requirements/read-titles.ts'

/** The rows of docs/requirements.md compared with the titles of the tests. */
export interface RequirementsReport {
  readonly total: number
  /** The number of rows with a test, in any scope. */
  readonly covered: number
  /** Rows in scope without a test, which fail the command. */
  readonly missing: readonly string[]
  /** Rows in scope whose text defers a part, which also fail the command. */
  readonly partial: readonly string[]
  /** Rows out of scope without a test. */
  readonly later: readonly string[]
  /** Rows out of scope with a test, which could be in scope. */
  readonly ready: readonly string[]
  /** Ids in test titles without a row, which are mostly typing errors. */
  readonly unknown: readonly string[]
}

/** Compares rows with the ids found in test titles. */
export function compareRows(rows: readonly Row[], titles: Iterable<string>): RequirementsReport {
  const ids = new Set(titles)
  const without = rows.filter(({ id }) => !ids.has(id))
  const known = new Set(rows.map(({ id }) => id))
  const only = (list: readonly Row[], scope: Row['scope']) =>
    list.filter((row) => row.scope === scope).map(({ id }) => id)
  return {
    total: rows.length,
    covered: rows.length - without.length,
    missing: only(without, 'now'),
    partial: only(
      rows.filter(({ words }) => leavesPart(words)),
      'now',
    ),
    later: only(without, 'later'),
    ready: only(
      rows.filter(({ id }) => ids.has(id)),
      'later',
    ),
    unknown: [...ids].filter((id) => !known.has(id)).sort(),
  }
}

/** Returns true if a row says that a part of it comes later. */
function leavesPart(words: string): boolean {
  return /\bnot yet\b|\b(comes?|follows?|added) later\b|\b(to come|planned)\b/i.test(words)
}

if (import.meta.main) {
  const rows = readRows(readFileSync('docs/requirements.md', 'utf8'))
  const titles = globSync(['test/**/*.test.ts', 'scripts/**/*.test.ts'], { exclude: ['**/node_modules/**'] }).flatMap(
    (path) => readTitles(path, readFileSync(path, 'utf8')),
  )
  const report = compareRows(rows, titles)
  const words = new Map(rows.map((row) => [row.id, row.words]))
  for (const id of report.missing) console.error(`${id} has no test: ${words.get(id)}`)
  for (const id of report.partial) {
    console.error(`${id} is in scope, and says that a part of it comes later: ${words.get(id)}`)
  }
  for (const id of report.unknown) console.error(`${id} is in a test title, but is no row of docs/requirements.md`)
  if (report.ready.length > 0) console.log(`have a test, may be taken into scope: ${report.ready.join(' ')}`)
  if (report.later.length > 0) console.log(`later: ${report.later.join(' ')}`)
  console.log(
    `requirements: ${report.covered}/${report.total} rows have a test, ${report.missing.length} in scope have none`,
  )
  if (process.argv.includes('--json')) console.log(JSON.stringify(report))
  process.exitCode = report.missing.length + report.partial.length + report.unknown.length === 0 ? 0 : 1
}
