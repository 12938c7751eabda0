import { existsSync } from 'node:fs'

/** Most lines of the map by the door. */
const mostLines = 150

/** Fewer paths than these and the check has not looked. */
const fewestPaths = 40

/** A path of the repository that a page names in code. */
const paths = /`((?:src|machines|proof|scripts|test|docs|bench|examples)\/[\w./-]+)`/g

/** What is wrong with the pages' paths: one that stands nowhere, a map too long to be one or with too little on it. */
export function checkPaths(pages: ReadonlyMap<string, string>, exists: (path: string) => boolean = existsSync) {
  const problems: string[] = []
  for (const [page, text] of pages) {
    const named = [...text.matchAll(paths)].map(([, path = '']) => path)
    const gone = named.filter((path) => !exists(path))
    problems.push(...gone.map((path) => `${page} names ${path}, which does not exist`))
    if (page !== 'docs/architecture.md') continue
    const lines = text.split('\n').length
    if (lines > mostLines) problems.push(`${page} has ${lines} lines; at most ${mostLines} are a map`)
    if (named.length < fewestPaths)
      problems.push(`${page} names ${named.length} paths; expected ${fewestPaths} or more`)
  }
  return problems
}
