import { createContext, Script } from 'node:vm'
import { errorCode } from './file-failure.ts'

/** A query for lines. */
export interface LineQuery {
  readonly query: string
  readonly regex: boolean
  readonly ignoreCase: boolean
}

/** One matching line: its number, counted from 1, and its first 300 characters. */
export interface LineMatch {
  readonly line: number
  readonly text: string
}

/** Finds matching lines of one text. */
export interface LineMatcher {
  /** At most `limit` matches; `too slow` for an expression stopped after half a second. */
  match(text: string, limit: number): readonly LineMatch[] | 'too slow'
}

/** Milliseconds an expression may take on one file; it blocks the process for that long at most. */
const patience = 500

/** Returns a matcher for the query, or the problem with its expression. */
export function lineMatcher({ query, regex, ignoreCase }: LineQuery): LineMatcher | { readonly invalid: string } {
  if (!regex && !ignoreCase)
    return { match: (text, limit) => matchingLines(text, limit, (line) => line.includes(query)) }
  if (!regex) {
    const anyCase = new RegExp(query.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`), 'iu')
    return expressionMatcher((line) => anyCase.test(line))
  }
  try {
    const expression = expressionOf(query, ignoreCase ? 'i' : '')
    return expressionMatcher((line) => expression.test(line))
  } catch (error) {
    return { invalid: error instanceof Error ? `${error.message}.` : 'The expression is invalid.' }
  }
}

/** Returns a regular expression that matches whole characters, or UTF-16 units if it is not valid in that mode. */
export function expressionOf(query: string, flags: '' | 'i'): RegExp {
  try {
    return new RegExp(query, `${flags}u`)
  } catch {
    return new RegExp(query, flags)
  }
}

/**
 * Returns a matcher for an expression. The expression may backtrack forever; only a script's time limit can stop it.
 */
export function expressionMatcher(holds: (line: string) => boolean): LineMatcher {
  const sandbox = { run: (): void => {} }
  const context = createContext(sandbox)
  const script = new Script('run()')
  return {
    match(text, limit) {
      let found: readonly LineMatch[] = []
      sandbox.run = () => {
        found = matchingLines(text, limit, holds)
      }
      try {
        script.runInContext(context, { timeout: patience })
        return found
      } catch (error) {
        if (errorCode(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'too slow'
        throw error
      }
    },
  }
}

function matchingLines(text: string, limit: number, holds: (line: string) => boolean): readonly LineMatch[] {
  const found: LineMatch[] = []
  let number = 0
  for (const line of text.split(/\r?\n/)) {
    number++
    if (!holds(line)) continue
    found.push({ line: number, text: shorten(line) })
    if (found.length === limit) break
  }
  return found
}

function shorten(line: string): string {
  return line.length <= 300 ? line : `${line.slice(0, 300).replace(/[\uD800-\uDBFF]$/, '')} […]`
}
