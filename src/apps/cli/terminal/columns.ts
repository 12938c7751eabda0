/** Returns the maximum number of columns of a character; a tab moves to its next tab stop. */
export function columnsOf(character: string): number {
  if (character === '\t') return 8
  return (character.codePointAt(0) ?? 0) > 0x10ff ? 2 : 1
}

/** Returns the maximum number of columns of a one-line text. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of text) width += columnsOf(character)
  return width
}

/** Cuts a one-line text to at most this many columns; `…` marks the removed rest. */
export function cutToColumns(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let cut = ''
  let used = 1
  for (const character of text) {
    used += columnsOf(character)
    if (used > columns) break
    cut += character
  }
  return `${cut}…`
}
