import { isPlainObject } from '../../../core/domain/text/json-copy.ts'

const mostDepth = 200

/**
 * Copies the lists and plain objects of what a caller gave, so that later changes of it do not reach the store. Keeps what is
 * frozen, what has a function, such as a rule, and what is nested too deep, which a store refuses.
 */
export function ownCopy<Given>(given: Given, depth = 0): Given {
  if (typeof given !== 'object' || given === null || Object.isFrozen(given) || depth > mostDepth) return given
  if (Array.isArray(given)) return given.map((item: unknown) => ownCopy(item, depth + 1)) as Given
  if (!isPlainObject(given)) return given
  const entries = Object.entries(given)
  if (entries.some(([, value]) => typeof value === 'function')) return given
  return Object.fromEntries(entries.map(([key, value]) => [key, ownCopy(value, depth + 1)])) as Given
}
