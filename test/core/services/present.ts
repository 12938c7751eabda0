/** Returns a value that must exist. */
export function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('Nothing was sent.')
  return value
}
