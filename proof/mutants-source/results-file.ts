import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { Verdict } from './judge-mutant.ts'

/**
 * A mutant's name, what became of it, when (Unix milliseconds) and in what time (milliseconds), and the seed that
 * brought it up first.
 */
export type Result = {
  readonly id: string
  readonly seed: number
  readonly at: number
  readonly milliseconds: number
} & Verdict

/** Results that outlive a run: one JSON line each, the last one of a name counts. Without a path, of this run only. */
export class ResultsFile {
  readonly #path: string | undefined
  readonly #results = new Map<string, Result>()

  constructor(path: string | undefined) {
    this.#path = path
    if (path === undefined || !existsSync(path)) return
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      const result = line.endsWith('}') ? (JSON.parse(line) as Result) : undefined
      if (result !== undefined) this.#results.set(result.id, result)
    }
  }

  /** The known results of a mutant. */
  of(id: string): Result | undefined {
    return this.#results.get(id)
  }

  /** Keeps a result. */
  add(result: Result): void {
    this.#results.set(result.id, result)
    if (this.#path !== undefined) appendFileSync(this.#path, `${JSON.stringify(result)}\n`)
  }

  /** Every result of a mutant that compiles. */
  all(): readonly Result[] {
    return [...this.#results.values()].filter(({ kind }) => kind !== 'uncompiled')
  }
}
