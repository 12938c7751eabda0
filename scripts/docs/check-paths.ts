import { existsSync } from 'node:fs'

/** The maximum number of lines of the pages that everybody reads first. */
const mostLines: Readonly<Record<string, number>> = { 'README.md': 150, 'docs/architecture.md': 150, 'AGENTS.md': 25 }

/** The minimum number of paths; fewer mean that the check does not work. */
const fewestPaths = 40

/** Matches a path of the repository in a page's code. */
const paths = /`((?:src|machines|proof|scripts|test|docs|bench|examples)\/[\w./-]+)`/g

/**
 * Returns the problems with the pages' paths: a missing file, a first page that is too long, or a map with too few
 * paths.
 */
export function checkPaths(pages: ReadonlyMap<string, string>, exists: (path: string) => boolean = existsSync) {
  const problems: string[] = []
  for (const [page, text] of pages) {
    const named = [...text.matchAll(paths)].map(([, path = '']) => path)
    const gone = named.filter((path) => !exists(path))
    problems.push(...gone.map((path) => `${page} names ${path}, which does not exist`))
    const most = mostLines[page] ?? Number.POSITIVE_INFINITY
    const lines = text.trimEnd().split('\n').length
    if (lines > most)
      problems.push(`${page} has ${lines} lines; expected ${most} or fewer: say less, or say it elsewhere`)
    if (page !== 'docs/architecture.md') continue
    if (named.length < fewestPaths)
      problems.push(`${page} names ${named.length} paths; expected ${fewestPaths} or more`)
  }
  return problems
}
