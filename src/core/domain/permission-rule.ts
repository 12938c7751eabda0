import { parseExpression } from './text/expression.ts'
import { type GlobKind, parseGlob } from './text/glob.ts'
import { type Pattern, textPattern } from './text/linear-match.ts'
import { TextReader } from './text/text-reader.ts'
import { thrownText } from './text/thrown-text.ts'

/** The effect of a rule on the calls that it matches. */
export type RuleEffect = 'deny' | 'allow' | 'ask'

/** Rules by effect; the guide on permissions describes their syntax. */
export type RuleLists = { readonly [effect in RuleEffect]?: readonly string[] }

/** One condition of a rule on one field of the arguments. */
export interface RuleCondition {
  /** The path to the field, from the outside in. */
  readonly field: readonly string[]
  /** True for `!=` and `!~`. */
  readonly isNegated: boolean
  /** Returns true if a value fits the rule's pattern. */
  fits(value: string, kind: GlobKind): boolean
  /** The maximum work for one character of a value; 0 if values are only compared. */
  readonly places: number
  /** The same pattern, for a command line. */
  readonly line: Pattern
}

/** A parsed rule. */
export interface PermissionRule {
  readonly effect: RuleEffect
  /** The original text. */
  readonly text: string
  /** Returns true if the rule matches a tool of this name. */
  isAbout(toolName: string): boolean
  /** The conditions, which must all hold. */
  readonly conditions: readonly RuleCondition[]
  /** The specificity: among rules with the same effect, the one with the highest rank is reported. */
  readonly rank: number
}

const maxRuleLength = 1_000

/**
 * Parses one rule: `Tool`, `mcp__*`, `/^db_/`, with conditions `Tool(path ~ "src/**", mode != "force")`. Throws a
 * `TypeError` that says what was expected and where.
 */
export function parseRule(effect: RuleEffect, text: string): PermissionRule {
  try {
    if (text.length > maxRuleLength) throw new TypeError(`it has more than ${maxRuleLength} characters`)
    const reader = new RuleReader(text.trim())
    const name = reader.name()
    const conditions = reader.conditions()
    // No tool has a longer name; a call of an unknown tool gets an error result.
    const isAbout = (toolName: string) => toolName.length <= maxRuleLength && name.test(toolName)
    return { effect, text: text.trim(), isAbout, conditions, rank: name.rank + 10 * conditions.length }
  } catch (error) {
    throw new TypeError(
      `The ${effect} rule ${JSON.stringify(text.slice(0, 200))} cannot be read: ${thrownText(error)}.`,
      {
        cause: error,
      },
    )
  }
}

class RuleReader extends TextReader {
  name(): Pick<Pattern, 'test'> & { readonly rank: number } {
    if (this.text.startsWith('/')) return { ...this.#expression(), rank: 1 }
    const found = /^[^\s()"]+/.exec(this.text)?.[0]
    if (found === undefined) throw new TypeError('it does not begin with the name of a tool')
    this.at = found.length
    if (!/[*?[{\\]/.test(found)) return { test: (name) => name === found, rank: 3 }
    return { ...parseGlob(found, 'text'), rank: 2 }
  }

  conditions(): readonly RuleCondition[] {
    this.#blank()
    if (this.#isAtEnd()) return []
    this.#take('(', '"(" or the end of the rule')
    const conditions = [this.#condition()]
    while (this.#has(',')) conditions.push(this.#condition())
    this.#take(')', '"," or ")"')
    this.#blank()
    if (!this.#isAtEnd()) throw new TypeError(`${this.#here()} is more than a rule`)
    return conditions
  }

  #condition(): RuleCondition {
    this.#blank()
    const field = this.match(/[A-Za-z_$][\w$-]*(?:\.[\w$-]+)*/y)
    if (field === undefined) throw new TypeError(`expected the name of a field at ${this.#here()}`)
    this.#blank()
    const operator = this.match(/!?[=~]/y)
    if (operator === undefined) throw new TypeError(`expected =, !=, ~ or !~ at ${this.#here()}`)
    this.#blank()
    return { field: field.split('.'), isNegated: operator.startsWith('!'), ...this.#value(operator.endsWith('~')) }
  }

  #value(isGlob: boolean): Pick<RuleCondition, 'fits' | 'places' | 'line'> {
    if (this.text[this.at] === '/') {
      const line = this.#expression()
      return { fits: line.test, places: line.places, line }
    }
    const quoted = this.match(/"(?:[^"\\]|\\.)*"/y)
    const wanted = quoted === undefined ? this.match(/[^\s,()"/]+/y) : quoted.slice(1, -1).replace(/\\(["\\])/g, '$1')
    if (wanted === undefined) throw new TypeError(`expected a value at ${this.#here()}, such as "src/**"`)
    if (!isGlob) return { fits: (value) => value === wanted, places: 0, line: textPattern(wanted) }
    const globs = { path: parseGlob(wanted.replace(/^(?:\.\/)+(?=.)/, ''), 'path'), text: parseGlob(wanted, 'text') }
    return {
      fits: (value, kind) => globs[kind].test(value),
      places: Math.max(globs.path.places, globs.text.places),
      line: globs.text,
    }
  }

  /** Parses `/…/`, with the flags i and u. */
  #expression(): Pattern {
    const found = this.match(/\/(?:[^/\\]|\\.)+\/[iu]*/y)
    if (found === undefined) throw new TypeError(`expected an expression such as /^get/ at ${this.#here()}`)
    const end = found.lastIndexOf('/')
    return parseExpression(found.slice(1, end), found.slice(end + 1))
  }

  #blank(): void {
    this.match(/\s*/y)
  }

  #has(char: string): boolean {
    this.#blank()
    if (this.text[this.at] !== char) return false
    this.at++
    return true
  }

  #take(char: string, expected: string): void {
    if (!this.#has(char)) throw new TypeError(`expected ${expected} at ${this.#here()}`)
  }

  #isAtEnd(): boolean {
    return this.at >= this.text.length
  }

  #here(): string {
    return this.#isAtEnd() ? 'the end' : JSON.stringify(this.text.slice(this.at, this.at + 30))
  }
}
