import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** A page of `docs/adr`, as far as it is a law. */
export interface DecisionPage {
  readonly number: number
  readonly file: string
  /** False where a later decision has superseded it. */
  readonly isInForce: boolean
  /** The checks that its paragraph "Enforced by" names: test files by path, npm scripts by name. */
  readonly checks: readonly string[]
}

/** Test files, and commands of the gate. */
const checkPattern = /`(?:npm run ([\w:]+)|((?:test|scripts|bench)\/[\w./-]+\.test\.ts))`/g

/** Reads one page; `file` begins with its number. */
export function readDecision(file: string, text: string): DecisionPage {
  const [, paragraph = ''] = /^\*\*Enforced by\*\*(.*)$/m.exec(text) ?? []
  const checks = [...paragraph.matchAll(checkPattern)].map(([, script, path]) => script ?? path ?? '')
  return { number: Number.parseInt(file, 10), file, isInForce: !/^\*\*Superseded\*\*/m.test(text), checks }
}

/** Every decision below a root, in order. */
export function readDecisions(root: string): readonly DecisionPage[] {
  const pages = globSync('docs/adr/[0-9]*.md', { cwd: root }).toSorted()
  return pages.map((path) => readDecision(basename(path), readFileSync(join(root, path), 'utf8')))
}
