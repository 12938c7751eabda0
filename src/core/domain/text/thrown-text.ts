/** Returns the message of a thrown value, even if the value cannot be converted to text. */
export function thrownText(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    return 'It threw a value that cannot be turned into text.'
  }
}
