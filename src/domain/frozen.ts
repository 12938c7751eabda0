import { toPlainJson } from './json.ts'

/** Freezes a plain value at every depth; what is frozen already is taken to be frozen throughout. */
export function freezeDeep<Value>(value: Value): Value {
  const open: unknown[] = [value]
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (item === null || typeof item !== 'object' || Object.isFrozen(item)) continue
    Object.freeze(item)
    for (const field of Object.values(item)) if (typeof field === 'object') open.push(field)
  }
  return value
}

/** A frozen copy that shares nothing with the value; undefined for what is not JSON. */
export function frozenCopy<Value>(value: Value): Value | undefined {
  return freezeDeep(toPlainJson(value)) as Value | undefined
}
