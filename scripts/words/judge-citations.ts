/** A page that is cited and not in the repository. */
export interface Citation {
  readonly path: string
  readonly line: number
  readonly page: string
}

/** A section of a page, as in `NOTES §3`, and a page one is sent to, as in `see NOTES.md`. */
const patterns = [/(?<page>[\w.-]*\w) ?§/g, /\bsee `?(?<page>[\w./-]+\.md)\b/gi]

/** The pages a text cites that are none of `pages`, which are given by their paths; a page may leave out folder and ending. */
export function missingPages(path: string, text: string, pages: ReadonlySet<string>): readonly Citation[] {
  if (!/§|\bsee\b/i.test(text)) return []
  return text.split('\n').flatMap((line, index) =>
    patterns.flatMap((pattern) =>
      [...line.matchAll(pattern)].flatMap(({ groups }) => {
        const page = groups?.['page'] ?? ''
        return isIn(page, pages) ? [] : [{ path, line: index + 1, page }]
      }),
    ),
  )
}

function isIn(page: string, pages: ReadonlySet<string>): boolean {
  const name = page.split('/').at(-1) ?? ''
  const ending = name.endsWith('.md') ? name : `${name}.md`
  return [...pages].some((known) => known === ending || known.endsWith(`/${ending}`))
}

/** Texts that cite a page, read in memory to prove that the lint sees those that are not there. */
export const citationPlants: readonly { readonly text: string; readonly page: string }[] = [
  { text: '/** Two calls changed one path (PLANT §3). */', page: 'PLANT' },
  { text: '// From PLANT.md §1 and not from the chart.', page: 'PLANT.md' },
  { text: 'For the rules see `docs/plant.md`.', page: 'docs/plant.md' },
  { text: ' * See plant.md', page: 'plant.md' },
]
