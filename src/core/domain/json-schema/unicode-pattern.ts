/**
 * Returns a JSON Schema's pattern in a form that compiles with the `u` flag, which the validator sets. Many patterns
 * have escapes such as `\\-` and `\\_` that are only valid without the flag; they are replaced by their characters. A
 * pattern that still does not compile accepts every text.
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
