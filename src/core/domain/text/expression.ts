import { TextReader } from './text-reader.ts'
import { type Part, type Pattern, patternOf } from './linear-match.ts'

/** The maximum number of places of an expression after its repeats are expanded. */
const mostPlaces = 1_000

/**
 * Parses a JavaScript regular expression as a pattern with a running time that depends only on the text's length. The
 * platform matches single characters, and this code walks their sequence. Flags are `i` and `u`. Throws a `TypeError`
 * or a `SyntaxError` for an invalid expression, and for group references and lookarounds, which are not supported.
 */
export function parseExpression(source: string, flags: string): Pattern {
  void new RegExp(source, flags)
  const parts = new ExpressionReader(source, flags).read()
  return patternOf([parts], 'anywhere', (text) => (flags.includes('u') ? [...text] : text.split('')))
}

class ExpressionReader extends TextReader {
  readonly #flags: string

  constructor(source: string, flags: string) {
    super(source)
    this.#flags = flags
  }

  read(): readonly Part[] {
    return this.#ways()
  }

  #ways(): readonly Part[] {
    const first = this.#row()
    if (this.match(/\|/y) === undefined) return first
    const others = this.#ways()
    return bounded([
      { kind: 'fork', by: first.length + 2 },
      ...first,
      { kind: 'jump', by: others.length + 1 },
      ...others,
    ])
  }

  #row(): readonly Part[] {
    const parts: Part[] = []
    while (this.at < this.text.length && !'|)'.includes(this.text[this.at] ?? '')) {
      parts.push(...this.#repeats(this.#piece()))
      bounded(parts)
    }
    return parts
  }

  #repeats(piece: readonly Part[]): readonly Part[] {
    const [most, least] = this.#counts() ?? [1, 1]
    this.match(/\?/y)
    if (piece.length === 0) return piece
    if (piece.length * Math.max(least, Number.isFinite(most) ? most : 1) > mostPlaces) throw tooMany()
    const needed = Array.from({ length: least }, () => piece).flat()
    if (most === Infinity) return [...needed, ...anyNumber(piece)]
    return [...needed, ...Array.from({ length: most - least }, () => [skip(piece), ...piece]).flat()]
  }

  /** Parses the minimum and maximum repeats; undefined without a quantifier. */
  #counts(): readonly [number, number] | undefined {
    const sign = this.match(/[*+?]|\{\d+(?:,\d*)?\}/y)
    switch (sign) {
      case undefined:
        return undefined
      case '*':
        return [Infinity, 0]
      case '+':
        return [Infinity, 1]
      case '?':
        return [1, 0]
      default: {
        const [least = '', most = least] = sign.slice(1, -1).split(',')
        return [most === '' ? Infinity : Number(most), Number(least)]
      }
    }
  }

  #piece(): readonly Part[] {
    if (this.match(/\(/y) !== undefined) return this.#group()
    const border = this.match(/[\^$]|\\[bB]/y)
    if (border !== undefined) return [{ kind: 'border', holds: this.#border(border) }]
    if (this.match(/\\[1-9k]|\\0\d/y) !== undefined)
      throw new TypeError('it has a backreference, which may take forever; write the text out')
    return [{ kind: 'one', takes: this.#char() }]
  }

  #group(): readonly Part[] {
    if (this.match(/\?(?::|<(?![=!])[^>]*>)/y) === undefined && this.text[this.at] === '?')
      throw new TypeError('it has a lookaround or inner flags, which may take forever; use conditions')
    const parts = this.#ways()
    this.match(/\)/y)
    return parts
  }

  #border(sign: string): (before: string | undefined, after: string | undefined) => boolean {
    if (sign === '^') return (before) => before === undefined
    if (sign === '$') return (_, after) => after === undefined
    const word = new RegExp('^\\w$', this.#flags)
    const isWord = (char: string | undefined) => char !== undefined && word.test(char)
    return (before, after) => (isWord(before) !== isWord(after)) === (sign === '\\b')
  }

  #char(): (char: string) => boolean {
    const isUnicode = this.#flags.includes('u')
    const special = this.match(/\[(?:[^\]\\]|\\[^])*\]|\./y) ?? this.match(isUnicode ? unicodeEscape : plainEscape)
    if (special !== undefined) return this.#fits(special)
    const char = this.match(isUnicode ? /[^]/uy : /[^]/y) ?? ''
    return /^[\p{L}\p{M}\p{N}]$/u.test(char) && this.#flags.includes('i') ? this.#fits(char) : (other) => other === char
  }

  #fits(piece: string): (char: string) => boolean {
    const expression = new RegExp(`^(?:${piece})$`, this.#flags)
    const plain = Array.from({ length: 128 }, (_, code) => expression.test(String.fromCharCode(code)))
    return (char) => (char.length === 1 ? plain[char.charCodeAt(0)] : undefined) ?? expression.test(char)
  }
}

const plainEscape = /\\(?:c[A-Za-z]|x[\da-fA-F]{2}|u[\da-fA-F]{4}|[^])/y
const unicodeEscape =
  /\\(?:c[A-Za-z]|x[\da-fA-F]{2}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|u\{[\da-fA-F]+\}|[pP]\{[^}]*\}|[^])/uy

function anyNumber(piece: readonly Part[]): readonly Part[] {
  return [{ kind: 'fork', by: piece.length + 2 }, ...piece, { kind: 'jump', by: -(piece.length + 1) }]
}

function skip(piece: readonly Part[]): Part {
  return { kind: 'fork', by: piece.length + 1 }
}

function bounded(parts: readonly Part[]): readonly Part[] {
  if (parts.length > mostPlaces) throw tooMany()
  return parts
}

function tooMany(): TypeError {
  return new TypeError(`its repeats match more than ${mostPlaces} characters; use smaller counts`)
}
