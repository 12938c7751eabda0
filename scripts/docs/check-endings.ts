import { endCodes } from '../../src/core/domain/end-codes.ts'

/** The page that lists all ends of a run. */
const page = 'docs/guides/endings.md'

/** Matches the code of an end in the sources: of an outcome, of an error, or of a hook that stops the run. */
const written = /\b(?:code|stops): '(\w+)'/g

/** Codes of a call's result, which are not ends of a run. */
const ofResults: ReadonlySet<string> = new Set(['unknown_tool', 'bad_arguments', 'failed', 'timed_out'])

/** The sources that end runs, by path, and the page. */
export interface EndingTexts {
  readonly page: string
  readonly sources: ReadonlyMap<string, string>
}

/** Returns the differences between the codes of ends in the sources, in `endCodes` and on the page. */
export function checkEndings({ page: text, sources }: EndingTexts, listed: EndLists = endCodes): readonly string[] {
  const all = [...sources.values()].join('\n')
  const known: ReadonlySet<string> = new Set([...listed.stopped, ...listed.error])
  const unlisted = [...sources].flatMap(([path, source]) =>
    [...source.matchAll(written)]
      .map(([, code = '']) => code)
      .filter((code) => !known.has(code) && !ofResults.has(code))
      .map((code) => `${path} ends a run with the code ${code}, which src/core/domain/end-codes.ts does not list`),
  )
  const unused = [...known].filter((code) => !all.includes(`'${code}'`) && !all.includes(`${code}:`))
  return [
    ...unlisted,
    ...unused.map((code) => `src/core/domain/end-codes.ts lists ${code}, with which nothing ends a run`),
    ...compare('stopped', rowsUnder(text, '## Stopped'), listed.stopped),
    ...compare('error', rowsUnder(text, '## In an error'), listed.error),
  ]
}

/** The codes of ends by reason. */
type EndLists = { readonly [reason in keyof typeof endCodes]: readonly string[] }

/** Returns the codes in the first column of the table under a heading. */
function rowsUnder(text: string, heading: string): readonly string[] {
  const [, section = ''] = text.split(`${heading}\n`)
  const [own = ''] = section.split('\n## ')
  return [...own.matchAll(/^\| `(\w+)` \|/gm)].map(([, code = '']) => code).filter((code) => code !== 'code')
}

function compare(reason: string, rows: readonly string[], listed: readonly string[]): readonly string[] {
  return [
    ...listed.filter((code) => !rows.includes(code)).map((code) => `${page} has no row for ${reason} with ${code}`),
    ...rows
      .filter((code) => !listed.includes(code))
      .map((code) => `${page} has a row for ${reason} with ${code}, which is no code of such an end`),
  ]
}
