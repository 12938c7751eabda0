/** Bytes of JSON text that one result, message, ticket or change of the state may have. */
export const maxJsonBytes = 50_000_000

/** Bytes of a value's JSON text; infinite where no text can be made of it. */
export function jsonBytes(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value))
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
