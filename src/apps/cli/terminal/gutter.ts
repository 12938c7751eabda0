import { columnsOf } from './columns.ts'

/** A part of a line that fits the terminal, and what stands before it. */
export interface GutterLine {
  readonly gutter: string
  readonly text: string
}

/** What stands before each line of foreign text. */
export const gutter = '  │ '

/**
 * A line of foreign text behind a gutter, in parts that fit a width: the terminal itself breaks none, so that no part of it
 * begins where lines of ours begin.
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

/** A text of many lines behind a gutter. */
export function behindGutter(text: string, width: number): string {
  const lines = text.split('\n').flatMap((line) => gutterLines(line, width))
  return lines.map((line) => `${line.gutter}${line.text}`).join('\n')
}
