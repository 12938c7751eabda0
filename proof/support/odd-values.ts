import * as fc from 'fast-check'

/** Whatever code without types may give in the place of a value. */
export const odd = fc.oneof(
  fc.anything({ maxDepth: 2, maxKeys: 3, withBigInt: true, withDate: true, withMap: true, withTypedArray: true }),
  fc.constantFrom('', 'toString', '__proto__', 'rateLimit', Number.NaN, Infinity, -1, '\ud800', null, undefined),
)

/** `base` with any number of its fields replaced, and perhaps one more. */
export function bent(base: Readonly<Record<string, unknown>>, ...more: readonly string[]): fc.Arbitrary<unknown> {
  const keys = [...Object.keys(base), ...more]
  const changes = fc.uniqueArray(fc.tuple(fc.constantFrom(...keys), odd), { maxLength: 2, selector: ([key]) => key })
  return changes.map((pairs) => ({ ...base, ...Object.fromEntries(pairs) }))
}
