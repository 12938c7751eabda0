/** The most columns a character may take; a tab goes to the next of the places it stops at. */
export function columnsOf(character: string): number {
  if (character === '\t') return 8
  return (character.codePointAt(0) ?? 0) > 0x10ff ? 2 : 1
}

/** The most columns a text of one line may take. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of text) width += columnsOf(character)
  return width
}

/** A text of one line in at most this many columns; `…` stands for what is left out. */
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
