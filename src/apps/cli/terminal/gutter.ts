import { columnsOf } from './columns.ts'

/** A part of a line that fits the width of the terminal, with its gutter. */
export interface GutterLine {
  readonly gutter: string
  readonly text: string
}

/** The prefix of each line of foreign text. */
export const gutter = '  │ '

/**
 * Returns a line of foreign text with a gutter, split to fit a width. Then the terminal wraps nothing, and no part of
 * the text begins in the first column.
 */
export function gutterLines(line: string, width: number): readonly GutterLine[] {
  const room = Math.max(20, width - gutter.length - 1)
  const parts: string[] = []
  let text = ''
  let used = 0
  for (const character of line) {
    const columns = columnsOf(character)
    if (used + columns > room) {
      parts.push(text)
      text = ''
      used = 0
    }
    text += character
    used += columns
  }
  return [...parts, text].map((part) => ({ gutter, text: part }))
}

/** Returns a text of many lines with a gutter. */
export function behindGutter(text: string, width: number): string {
  const lines = text.split('\n').flatMap((line) => gutterLines(line, width))
  return lines.map((line) => `${line.gutter}${line.text}`).join('\n')
}
