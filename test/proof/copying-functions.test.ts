import { expect, test } from 'vitest'
import { copyingFunctions } from '../../proof/footprint/copying-functions.ts'
import { executedLines } from '../../proof/footprint/executed-lines.ts'

const text = `export function writeDown(value) {
  return JSON.stringify(value)
}

// A walk over a value and what serves it.
function walk(value) {
  for (const item of value) step(item)
  note()
  return value
}
function step(item) {
  note()
  if (Array.isArray(item)) walk(item)
  Object.freeze(item)
}
function note() {}

const hand = (value) => walk(value)
function fail(value) {
  if (value === undefined) {
    throw new Error(JSON.stringify(value))
  }
}
`

const names = ['writeDown', 'walk', 'step', 'note', 'hand', 'fail']

test('a function counts as copying if it calls a copying function, is part of a copying walk, or serves only such a walk', () => {
  const copying = copyingFunctions(text, covered(rangeOf('throw', '\n  }')))
  expect(copying.map(({ name }) => name)).toEqual(['writeDown', 'walk', 'step', 'note'])
})

test('an executed call makes its function copying, and an unexecuted one does not', () => {
  const copying = copyingFunctions(text, covered())
  expect(copying.map(({ name }) => name)).toContain('fail')
})

test('counts lines that were executed in part, without comments and empty lines', () => {
  const all = text.split('\n').filter((line) => line !== '' && !line.startsWith('//')).length
  const { ranges } = covered()
  expect(executedLines(text, ranges)).toBe(all)
  expect(executedLines(text, [...ranges, rangeOf('    throw', '\n  }')])).toBe(all - 1)
})

/** Everything was executed but for one range. */
function covered(skipped?: { readonly start: number; readonly end: number; readonly count: number }) {
  const entered = names.map((name) => ({ name, ...functionRange(name) }))
  return { path: 'src/walk.ts', entered, ranges: [...entered, ...(skipped === undefined ? [] : [skipped])] }
}

function functionRange(name: string) {
  const start =
    name === 'hand' ? text.indexOf('(value) => walk') : text.search(new RegExp(`(export )?function ${name}`))
  const end = name === 'hand' ? text.indexOf('\n', start) : endOf(start)
  return { start, end, count: 1 }
}

/** A function ends with the next line that closes it. */
function endOf(start: number): number {
  const line = text.indexOf('\n', start)
  return text.slice(start, line).endsWith('{}') ? line : text.indexOf('\n}', start) + 2
}

function rangeOf(from: string, to: string) {
  const start = text.indexOf(from)
  return { start, end: text.indexOf(to, start), count: 0 }
}
