import { parseRule } from '../permission-rule.ts'
import { parseGlob } from '../text/glob.ts'
import { nearestName } from '../text/nearest-name.ts'
import { TextReader } from '../text/text-reader.ts'
import { thrownText } from '../text/thrown-text.ts'
import { always, anyOf, both, eventually, not, until } from './formula.ts'
import { meaningOf } from './meaning.ts'
import { type Atom, type Formula, moments, type Policy } from './policy.ts'
import { badOption, filledText, listOf } from '../text/option-shape.ts'

/** The maximum length of a policy in characters. */
const maxLength = 1_000

/** The maximum number of different atoms in a policy. */
const mostAtoms = 6

/**
 * Parses a policy such as `never(ran(pay) and not approvedBy(anna))`. Throws a `TypeError` that says what was expected
 * and where, and for a policy that every run keeps or that no run can keep.
 */
export function parsePolicy(text: string): Policy {
  try {
    if (text.length > maxLength) throw new TypeError(`it has more than ${maxLength} characters`)
    const reader = new PolicyReader(text)
    const formula = reader.whole()
    const atoms = [...reader.atoms.values()]
    if (atoms.length > mostAtoms) throw new TypeError(`it has more than ${mostAtoms} different atoms`)
    const meaning = meaningOf(formula, atoms)
    if (meaning === 'everything') throw new TypeError('every run keeps it, so it says nothing')
    if (meaning === 'nothing') throw new TypeError('no run can keep it')
    return { text: text.trim(), formula, atoms }
  } catch (cause) {
    const shown = JSON.stringify(text.slice(0, 200))
    throw new TypeError(`The policy ${shown} cannot be used: ${thrownText(cause)}.`, { cause })
  }
}

const operators = ['always', 'never', 'eventually', 'until', 'respond'] as const
const names = [...moments, 'approvedBy', 'spent'] as const

class PolicyReader extends TextReader {
  readonly atoms = new Map<string, Atom>()

  whole(): Formula {
    const formula = this.#implied()
    if (this.match(/\s*\S/y) !== undefined) throw new TypeError(`expected "and", "or" or the end ${this.#here(-1)}`)
    if (!isOverTime(formula))
      throw new TypeError(`an atom is outside ${operators.join(', ')}, which say at which steps it must hold`)
    return formula
  }

  #implied(): Formula {
    const left = this.#joined('or', () => this.#joined('and', () => this.#single()))
    return this.match(/\s*implies\b/y) === undefined ? left : anyOf([not(left), this.#implied()])
  }

  #joined(word: 'and' | 'or', next: () => Formula): Formula {
    const parts = [next()]
    const pattern = word === 'and' ? /\s*and\b/y : /\s*or\b/y
    while (this.match(pattern) !== undefined) parts.push(next())
    return word === 'and' ? both(parts) : anyOf(parts)
  }

  #single(): Formula {
    if (this.match(/\s*not\b/y) !== undefined) return not(this.#single())
    if (this.match(/\s*\(/y) !== undefined) return this.#closed(this.#implied())
    const word = this.match(/\s*[A-Za-z]+/y)?.trim()
    if (word === undefined || this.match(/\s*\(/y) === undefined) {
      const found = word === undefined ? '' : ` ${JSON.stringify(word)} has no brackets;`
      throw new TypeError(`${found} expected such as never(ran(tool)) ${this.#here()}`.trim())
    }
    switch (word) {
      case 'always':
        return always(this.#closed(this.#implied()))
      case 'never':
        return always(not(this.#closed(this.#implied())))
      case 'eventually':
        return eventually(this.#closed(this.#implied()))
      case 'until':
        return until(...this.#pair())
      case 'respond': {
        const [asked, answer] = this.#pair()
        return always(anyOf([not(asked), eventually(answer)]))
      }
      default:
        return this.#atom(word, this.#content())
    }
  }

  #pair(): readonly [Formula, Formula] {
    const first = this.#implied()
    if (this.match(/\s*,/y) === undefined) throw new TypeError(`expected "," and a second part ${this.#here()}`)
    return [first, this.#closed(this.#implied())]
  }

  #closed(formula: Formula): Formula {
    if (this.match(/\s*\)/y) === undefined) throw new TypeError(`expected ")" ${this.#here()}`)
    return formula
  }

  /** Returns the text up to the bracket that closes an atom; brackets in quotes do not count. */
  #content(): string {
    const start = this.at
    for (let depth = 1; depth > 0;) {
      const found = this.match(/[^()"]*(?:"(?:[^"\\]|\\.)*"|[()])/y)
      if (found === undefined) throw new TypeError(`expected ")" ${this.#here()}`)
      if (found.endsWith('(')) depth++
      if (found.endsWith(')')) depth--
    }
    return this.text.slice(start, this.at - 1).trim()
  }

  #atom(word: string, content: string): Formula {
    const atom = atomOf(word, content)
    this.atoms.set(atom.text, atom)
    return { is: 'atom', text: atom.text }
  }

  #here(back = 0): string {
    const rest = this.text.slice(this.at + back, this.at + back + 30).trim()
    return rest === '' ? 'at the end' : `at ${JSON.stringify(rest)}`
  }
}

function atomOf(word: string, content: string): Atom {
  const text = `${word}(${content})`
  if (word === 'approvedBy') {
    const name = /^"(.*)"$/s.exec(content)?.[1] ?? content
    return { kind: word, text, ...(name === '' ? {} : { by: parseGlob(name, 'text') }) }
  }
  if (word === 'spent') {
    if (!/^\d+(?:\.\d+)?$/.test(content)) throw new TypeError('spent() needs an amount in US dollars, such as spent(5)')
    return { kind: word, text, moreThan: Number(content) }
  }
  const kind = moments.find((moment) => moment === word)
  if (kind !== undefined) return { kind, text, rule: parseRule('deny', content === '' ? '*' : content) }
  const near = nearestName(word, [...operators, ...names])
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`
  throw new TypeError(`"${word}" is not a word of policies.${hint} Known: ${[...operators, ...names].join(', ')}`)
}

function isOverTime(formula: Formula): boolean {
  if (typeof formula === 'boolean') return true
  if (formula.is === 'and' || formula.is === 'or') return formula.all.every(isOverTime)
  return formula.is === 'not' ? isOverTime(formula.of) : formula.is !== 'atom'
}

/** The maximum number of policies. */
const mostPolicies = 100

/** Returns parsed policies. `owner` names the function that received their texts. */
export function parsedPolicies(texts: readonly string[], owner: string): readonly Policy[] {
  const option = { field: 'policies', owner }
  listOf(filledText)(texts, option)
  if (texts.length > mostPolicies) throw badOption(option, texts.length, `Expected at most ${mostPolicies} policies.`)
  return texts.map((text, index) => {
    try {
      return parsePolicy(text)
    } catch (error) {
      const wish = `${thrownText(error)} Write it as never(ran(tool) and not approvedBy(name)).`
      throw badOption({ ...option, field: `policies[${index}]` }, text, wish)
    }
  })
}
