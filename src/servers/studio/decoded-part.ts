/** A part of an address as it was meant; as it stands if it is cut short, so that it names nothing that is there. */
export function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
