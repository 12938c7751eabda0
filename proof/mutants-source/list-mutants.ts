import { parseSync } from 'oxc-parser'
import { type Change, changesOf, isNode, type Operator, type TreeNode } from './changes.ts'

/** A source file with one thing wrong. */
export interface SourceMutant {
  /** File, the changed line before and after; the same wherever in the file the line stands. */
  readonly id: string
  readonly file: string
  readonly operator: Operator
  /** Where the change begins, as an offset and as a line from 1. */
  readonly offset: number
  readonly line: number
  /** The whole mutated source. */
  build(): string
}

/** Every mutant of one source file, in the order of its text. */
export function listMutants(file: string, text: string): readonly SourceMutant[] {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`)
  const changes = collect(program as unknown as TreeNode, text).toSorted(
    (left, right) => left.start - right.start || left.end - right.end,
  )
  const seen = new Map<string, number>()
  return changes.map((change) => {
    const words = `${file}: ${wordsOf(change, text)}`
    const count = (seen.get(words) ?? 0) + 1
    seen.set(words, count)
    return {
      id: count === 1 ? words : `${words} (${count})`,
      file,
      operator: change.operator,
      offset: change.start,
      line: text.slice(0, change.start).split('\n').length,
      build: () => text.slice(0, change.start) + change.by + text.slice(change.end),
    }
  })
}

/** Nodes that hold no code of their own, or only names. */
const skipped = /^(Import|Export(All|Specifier)|TS(?!AsExpression|SatisfiesExpression|NonNullExpression))/

/** Fields that hold names or types. */
const names: readonly string[] = [
  'typeAnnotation',
  'typeArguments',
  'typeParameters',
  'returnType',
  'superTypeArguments',
]

function collect(node: TreeNode, text: string): readonly Change[] {
  if (skipped.test(node.type)) return []
  const inner = Object.entries(node).flatMap(([field, value]) => {
    if (names.includes(field)) return []
    const isName = field === 'key' && node['computed'] !== true
    if (isName || (field === 'source' && isNode(value))) return []
    const nodes = Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []
    return nodes.flatMap((one) => collect(one, text))
  })
  return [...changesOf(node, text), ...inner]
}

/** The lines a change touches, before and after, their white space made one blank. */
function wordsOf({ start, end, by }: Change, text: string): string {
  const from = text.lastIndexOf('\n', start - 1) + 1
  const next = text.indexOf('\n', end)
  const to = next === -1 ? text.length : next
  const before = text.slice(from, to)
  const after = text.slice(from, start) + by + text.slice(end, to)
  return `${short(before)} → ${short(after)}`
}

const longest = 200

function short(lines: string): string {
  const line = lines.replaceAll(/\s+/g, ' ').trim()
  return line.length <= longest ? line : `${line.slice(0, longest / 2)} … ${line.slice(-longest / 2)}`
}
