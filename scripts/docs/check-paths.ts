import { existsSync } from 'node:fs'

/** Most lines of the two pages that everybody reads first: what is longer is no map, and nobody's first page. */
const mostLines: Readonly<Record<string, number>> = { 'docs/architecture.md': 150, 'AGENTS.md': 40 }

/** Fewer paths than these and the check has not looked. */
const fewestPaths = 40

/** A path of the repository that a page names in code. */
const paths = /`((?:src|machines|proof|scripts|test|docs|bench|examples)\/[\w./-]+)`/g

/** What is wrong with the pages' paths: one that stands nowhere, a first page that is too long, a map with too little on it. */
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
