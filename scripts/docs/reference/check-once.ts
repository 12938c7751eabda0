const reference = 'docs/reference/'

/** Matches a row of a table whose first cell is code. */
const rows = /^\| `([^`]+)`[^|]* \|/gm

/** The minimum number of entries; fewer mean that the check does not work. */
const fewest = 200

/** Matches a table that names options of `createAgent` or `tool` in its first cell, such as "| Option of `limits` |". */
const optionTables =
  /^\| [^|]*`(createAgent|tool|limits|request|retry|compaction|permissions)`[^|]*\|.*\n\|[-|]+\n((?:\|.*\n)+)/gm

/**
 * Returns the tables outside the reference that list an event, a route, a command or options of `createAgent` or `tool` once
 * more. Other entries are words such as `name`, which any table may use.
 */
export function checkOnce(pages: ReadonlyMap<string, string>): readonly string[] {
  const own = [...pages].filter(([path]) => path.startsWith(reference))
  const entries = new Map(own.flatMap(([path, text]) => entriesOf(text).map((entry) => [entry, path] as const)))
  const few = entries.size < fewest ? [`${reference} has ${entries.size} entries; expected ${fewest} or more.`] : []
  const repeated = [...pages].flatMap(([path, text]) =>
    entriesOf(text)
      .filter((entry) => isLong(entry) && entries.has(entry) && entries.get(entry) !== path)
      .map((entry) => `${path} lists \`${entry}\` once more; link to ${entries.get(entry)} instead.`),
  )
  const again = [...pages]
    .filter(([path]) => !path.startsWith(reference))
    .flatMap(([path, text]) =>
      [...text.matchAll(optionTables)]
        .filter(([, , body = '']) => entriesOf(body).some((entry) => entries.has(entry)))
        .map(
          ([, name]) => `${path} has a table of the options of \`${name}\`; link to ${reference}options.md instead.`,
        ),
    )
  return [...few, ...repeated, ...again]
}

function isLong(entry: string): boolean {
  return /[.\s/]/.test(entry)
}

function entriesOf(text: string): readonly string[] {
  const headings = [...text.matchAll(/^## `([^`]+)`$/gm)].map(([, entry = '']) => entry)
  return [...headings, ...[...text.matchAll(rows)].map(([, entry = '']) => entry)]
}
