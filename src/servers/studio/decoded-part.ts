/** Decodes a part of an address; returns a truncated one unchanged, so that it matches nothing. */
export function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
