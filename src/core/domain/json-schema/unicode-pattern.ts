/**
 * A pattern of a JSON Schema as one that compiles with the `u` flag, which the validator sets. Many are written for engines
 * without it, with escapes such as `\\-` and `\\_`: these stand for their character. A pattern that no engine here takes
 * accepts every text.
 */
export function unicodePattern(pattern: string): string {
  return [pattern, withPlainEscapes(pattern)].find(compiles) ?? ''
}

function withPlainEscapes(pattern: string): string {
  return pattern.replaceAll(/\\([\s\S])/g, (escape, character: string) =>
    /[^\w$()*+./?[\\\]^{|}]|_/.test(character) ? `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}` : escape,
  )
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}
