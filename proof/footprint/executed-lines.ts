import type { CountedRange } from './coverage.ts'

/** The number of lines with executed code; empty lines and comment lines do not count. */
export function executedLines(text: string, ranges: readonly CountedRange[]): number {
  const isExecuted = paint(text.length, ranges)
  let lines = 0
  let start = 0
  for (const line of text.split('\n')) {
    if (isCode(line) && holdsExecuted(line, start, isExecuted)) lines++
    start += line.length + 1
  }
  return lines
}

/** Ranges lie within one another or apart: a later one says more of its part than those before it. */
export function paint(length: number, ranges: readonly CountedRange[]): Uint8Array {
  const painted = new Uint8Array(length)
  for (const { start, end, count } of ranges) painted.fill(count > 0 ? 1 : 0, start, end)
  return painted
}

function isCode(line: string): boolean {
  return !/^\s*(?:$|\/\/|\/\*|\*)/.test(line)
}

function holdsExecuted(line: string, start: number, isExecuted: Uint8Array): boolean {
  for (let index = line.search(/\S/); index < line.length; index++) {
    if (isExecuted[start + index] === 1 && line[index] !== ' ') return true
  }
  return false
}
