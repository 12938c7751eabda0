/** The message of whatever was thrown, even of what cannot be turned into text. */
export function thrownText(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    return 'It threw a value that cannot be turned into text.'
  }
}
