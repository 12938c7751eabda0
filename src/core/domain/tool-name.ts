import { hashText } from './text/json.ts'

/** The tool names that models and their wires accept. */
const legal = /^[A-Za-z0-9_-]{1,64}$/

const longest = 64

/** The number of hex digits of the hash at the end of a changed name. */
const hashDigits = 10

/** Returns true for 1 to 64 of the characters A-Z, a-z, 0-9, `_` and `-`. */
export function isToolName(name: string): boolean {
  return legal.test(name)
}

/** Returns the name that a call and its result have in requests: its own, or a legal one if the model invented it. */
export function sendableToolName(name: string): string {
  return toolNameOf(name) || 'unnamed'
}

/**
 * Returns the name that a model receives for a tool with another name at its source: `{prefix}__{name}` or the name
 * alone, with `_` for every illegal character. A name of more than 64 characters is cut and ends in a hash of the whole
 * name, so that names with the same beginning differ. Two source names may result in the same name: `toolNamesOf`
 * distinguishes them.
 */
export function toolNameOf(source: string, prefix?: string): string {
  const whole = prefix === undefined ? source : `${prefix}__${source}`
  if (isToolName(whole)) return whole
  const plain = whole.replaceAll(/[^A-Za-z0-9_-]/gu, '_')
  return plain.length <= longest ? plain : hashed(plain, whole)
}

/**
 * Returns the names that a model receives for the tools of one source, by their own names. If several tools result in
 * the same name, each changed name ends in a hash of the whole name, independent of the order of the tools.
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
