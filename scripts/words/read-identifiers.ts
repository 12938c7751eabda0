import { parseSync, Visitor } from 'oxc-parser'

/** A name a program is written with; strings and comments are none. */
export interface Identifier {
  readonly name: string
  readonly line: number
}

/** Every identifier of a module: of values, types, properties, private fields and labels. */
export function readIdentifiers(path: string, text: string): readonly Identifier[] {
  const { program, errors } = parseSync(path, text, { sourceType: 'module' })
  const [error] = errors
  if (error !== undefined) throw new Error(`${path} cannot be parsed: ${error.message}`)
  const found: { readonly name: string; readonly start: number }[] = []
  const add = ({ name, start }: { readonly name: string; readonly start: number }) => void found.push({ name, start })
  new Visitor({ Identifier: add, PrivateIdentifier: add }).visit(program)
  return withLines(found, text)
}

function withLines(
  found: readonly { readonly name: string; readonly start: number }[],
  text: string,
): readonly Identifier[] {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index)
  let line = 0
  return found
    .toSorted((left, right) => left.start - right.start)
    .map(({ name, start }) => {
      while ((ends[line] ?? Infinity) < start) line++
      return { name, line: line + 1 }
    })
}
