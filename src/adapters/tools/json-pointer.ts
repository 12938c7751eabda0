import { unescapedKey } from '../../core/domain/json-schema/subschemas.ts'
import { isRecord } from '../../core/domain/text/json.ts'

/** Returns the value at a JSON pointer (RFC 6901) in the form of a URL fragment, or undefined if there is none. */
export function valueAt(root: unknown, pointer: string): unknown {
  let value = root
  for (const part of pointer.split('/').slice(1)) {
    const key = unescapedKey(part)
    const isThere = (isRecord(value) || Array.isArray(value)) && Object.hasOwn(value, key)
    value = isThere ? (value as Record<string, unknown>)[key] : undefined
  }
  return value
}
