import { hashText } from './text/json.ts'

/** What models and their wires take as the name of a tool. */
const legal = /^[A-Za-z0-9_-]{1,64}$/

const longest = 64

/** Hex digits of the hash a name ends in that was too long. */
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
 * The name a model is shown for a tool that has another one where it comes from: `{prefix}__{name}` or the name alone,
 * every other character as `_`. One of more than 64 is cut and ends in a hash of the whole, so that names that begin
 * alike stay apart. Two source names may come to one; who takes them in refuses that.
 */
export function toolNameOf(source: string, prefix?: string): string {
  const whole = prefix === undefined ? source : `${prefix}__${source}`
  if (isToolName(whole)) return whole
  const plain = whole.replaceAll(/[^A-Za-z0-9_-]/gu, '_')
  if (plain.length <= longest) return plain
  return `${plain.slice(0, longest - hashDigits - 1)}_${hashText(whole).slice(-hashDigits)}`
}
