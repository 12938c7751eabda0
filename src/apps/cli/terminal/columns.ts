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

const characters = new Intl.Segmenter()
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\ufe0f|[\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u

/** Returns the number of columns that most terminals give a one-line text. */
export function usualWidthOf(text: string): number {
  let width = 0
  for (const { segment } of characters.segment(text)) width += wide.test(segment) ? 2 : 1
  return width
}
