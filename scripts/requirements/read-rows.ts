/** One row of docs/requirements.md. */
export interface Row {
  readonly id: string
  /** `now`: a test is required. `later`: no test is required yet. */
  readonly scope: 'now' | 'later'
  readonly words: string
}

/** Reads the rows of the document; throws for an invalid or repeated row, so that none is lost. */
export function readRows(markdown: string): readonly Row[] {
  const rows: Row[] = []
  for (const line of markdown.split('\n')) {
    if (!/^\|\s*[A-Z]+-\d/.test(line)) continue
    const [, id, scope, words] = /^\| ([A-Z]+-\d\d) \| (now|later) \| (.+) \|$/.exec(line) ?? []
    if (id === undefined || words === undefined || (scope !== 'now' && scope !== 'later')) {
      throw new Error(`This row cannot be read, expected "| ID-01 | now or later | words |": ${line}`)
    }
    if (rows.some((row) => row.id === id)) throw new Error(`The row ${id} comes twice.`)
    rows.push({ id, scope, words })
  }
  if (rows.length === 0) throw new Error('The document holds no rows.')
  return rows
}
