import { isRecord } from '../../core/domain/text/json.ts'

/** Returns the value at a JSON pointer (RFC 6901) in the form of a URL fragment, or undefined if there is none. */
export function valueAt(root: unknown, pointer: string): unknown {
  let value = root
  for (const part of pointer.split('/').slice(1)) {
    const key = unescaped(part)
    const isThere = (isRecord(value) || Array.isArray(value)) && Object.hasOwn(value, key)
    value = isThere ? (value as Record<string, unknown>)[key] : undefined
  }
  return value
}

/** Returns the key that one part of a JSON pointer stands for. */
export function unescaped(part: string): string {
  if (!part.includes('%') && !part.includes('~')) return part
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return part
  }
}
