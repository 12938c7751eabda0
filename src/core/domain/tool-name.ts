import { hashText } from './text/json.ts'

/** What models and their wires take as the name of a tool. */
const legal = /^[A-Za-z0-9_-]{1,64}$/

const longest = 64

/** Hex digits of the hash that a name ends in if it was too long, or the name of another tool. */
const hashDigits = 10

/** True for 1 to 64 of the characters A-Z, a-z, 0-9, `_` and `-`. */
export function isToolName(name: string): boolean {
  return legal.test(name)
}

/** Returns the name by which a call and its result go back to a model: its own, or a legal one if the model made it up. */
export function sendableToolName(name: string): string {
  return toolNameOf(name) || 'unnamed'
}

/**
 * Returns the name that a model is shown for a tool that has another one where it comes from: `{prefix}__{name}` or the
 * name alone, every other character as `_`. A name of more than 64 characters is cut and ends in a hash of the whole, so
 * that names that begin alike stay apart. Two source names may result in one name: `toolNamesOf` keeps them apart.
 */
export function toolNameOf(source: string, prefix?: string): string {
  const whole = prefix === undefined ? source : `${prefix}__${source}`
  if (isToolName(whole)) return whole
  const plain = whole.replaceAll(/[^A-Za-z0-9_-]/gu, '_')
  return plain.length <= longest ? plain : hashed(plain, whole)
}

/**
 * Returns the names that a model is shown for the tools of one source, by their own names. If several result in the same
 * name, each that had to be changed ends in a hash of the whole, whatever the order of the tools.
 */
export function toolNamesOf(sources: Iterable<string>, prefix?: string): ReadonlyMap<string, string> {
  const names = [...new Set(sources)].map((source) => [source, toolNameOf(source, prefix)] as const)
  const counts = new Map<string, number>()
  for (const [, name] of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return new Map(
    names.map(([source, name]) => {
      const whole = prefix === undefined ? source : `${prefix}__${source}`
      return [source, name === whole || counts.get(name) === 1 ? name : hashed(name, whole)]
    }),
  )
}

function hashed(plain: string, whole: string): string {
  return `${plain.slice(0, longest - hashDigits - 1)}_${hashText(whole).slice(-hashDigits)}`
}
