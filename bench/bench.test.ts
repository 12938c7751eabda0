import { expect, test } from 'vitest'
import { limitProblems } from '../proof/support/limit-facts.ts'
import { checkLimits, isCount, type LimitResult, limitRows } from './limits.ts'
import { type Measured, measureWorkload } from './measure-workload.ts'
import { quietOf } from './median.ts'
import { limitLine } from './report.ts'
import { startWorkload } from './start-workload.ts'
import { argumentText, resultText } from './texts.ts'
import type { Measure, Workload } from './workload.ts'
import { workloads } from './workload-table.ts'

const place = { freshFile: () => 'unused.db' }

test('measures the subjects of a round in turns, every second round backwards, and gives the middle of their ratios', async () => {
  const taken: string[] = []
  const figures = { floor: [10, 20, 10], statewright: [30, 100, 90] }
  const playing =
    (subject: 'floor' | 'statewright'): Measure =>
    () => {
      taken.push(subject)
      return figures[subject].shift() ?? Number.NaN
    }
  const subjects = { floor: playing('floor'), statewright: playing('statewright') }
  const results = await measureWorkload(workloadOf(subjects), place, () => {})
  expect(taken).toEqual(['floor', 'statewright', 'statewright', 'floor', 'floor', 'statewright'])
  expect(results).toEqual([
    { ...head, subject: 'floor', median: 10, quiet: 10, floorRatio: 1, quietRatio: 1 },
    { ...head, subject: 'statewright', median: 90, quiet: 30, floorRatio: 5, quietRatio: 3 },
  ])
})

test('warms up what is to be measured, and leaves that out of the figures', async () => {
  const sizes: number[] = []
  const floor: Measure = (size) => sizes.push(size)
  const warm = { ...workloadOf({ floor }), rounds: 1, warmUp: { size: 1, times: 2 } }
  const [measured] = await measureWorkload(warm, place, () => {})
  expect({ sizes, median: measured?.median }).toEqual({ sizes: [1, 1, 7], median: 3 })
})

test.each([
  { value: 2, holds: true },
  { value: 200, holds: false },
])('says of a ratio of $value to the floor that its limit holds: $holds', ({ value, holds }) => {
  const limits = checkLimits([{ ...kept, floorRatio: value }])
  expect(limits.map((limit) => ({ name: limit.name, value: limit.value, holds: limit.holds }))).toEqual([
    { name: 'kept file at 200: of the floor', value, holds },
  ])
})

test.each([
  { value: 0.01, holds: false },
  { value: 2, holds: true },
])('says of runs a second at $value of the floor that at least the limit is reached: $holds', ({ value, holds }) => {
  const rates = { ...kept, workload: 'runsPerSecond', variant: 'full', size: 32, quietRatio: value }
  expect(checkLimits([rates]).map((limit) => ({ bound: limit.bound, holds: limit.holds }))).toEqual([
    { bound: 'least', holds },
  ])
})

test.each([
  { values: [5, 3, 4], better: 'less' as const, quiet: 3 },
  { values: Array.from({ length: 20 }, (_, index) => index), better: 'less' as const, quiet: 1 },
  { values: Array.from({ length: 20 }, (_, index) => index), better: 'more' as const, quiet: 18 },
])('takes for quiet what a tenth of $values.length rounds reached', ({ values, better, quiet }) => {
  expect(quietOf(values, better)).toBe(quiet)
})

test('every call of a benchmark is given 64 letters of its own, and every result has 256', () => {
  const texts = [argumentText(0, 0), argumentText(0, 255), argumentText(199, 0)]
  expect(texts.map(({ length }) => length)).toEqual([64, 64, 64])
  expect(new Set(texts).size).toBe(3)
  expect(resultText).toHaveLength(256)
})

test('measures each subject in a process of its own', async () => {
  const own: Workload = { ...workloadOf({ floor: () => 0, statewright: () => 0 }), name: 'kept' }
  const sized = { ...own, variants: own.variants.map((variant) => ({ ...variant, name: 'file', sizes: [1] })) }
  const [floor, ours] = await startWorkload(sized, { rounds: 1 }, () => {})
  expect([floor?.subject, ours?.subject]).toEqual(['floor', 'statewright'])
  expect(Math.min(floor?.median ?? 0, ours?.median ?? 0)).toBeGreaterThan(0)
}, 60_000)

test('plays a workload at another size than its own', async () => {
  const own: Workload = { ...workloadOf({ floor: () => 0 }), name: 'kept' }
  const sized = { ...own, variants: own.variants.map((variant) => ({ ...variant, name: 'file', sizes: [1] })) }
  const results = await startWorkload(sized, { rounds: 1, size: 2 }, () => {})
  expect(results.map(({ size }) => size)).toEqual([2])
}, 60_000)

test('says why a subject could not be measured', async () => {
  const unknown = { ...workloadOf({ floor: () => 0 }), name: 'kept' }
  await expect(startWorkload(unknown, { rounds: 1 }, () => {})).rejects.toThrow('kept memory is not played by floor.')
}, 60_000)

test('fails where a workload was measured without what its limit is about', () => {
  expect(() => checkLimits([{ ...kept, size: 10 }])).toThrow('Nothing was measured of kept file at 200.')
})

test('each workload says of the floor of each variant in one sentence how it does the work', () => {
  const told = workloads.flatMap(({ name, floor, variants }) =>
    variants.map((variant) => [`${name} ${variant.name}`, variant.floor ?? floor] as const),
  )
  expect(told.filter(([, sentence]) => !/^[^.]{8,}(\.[^.\s][^.]*)*\.$/.test(sentence))).toEqual([])
})

test.each<[Partial<LimitResult>, string]>([
  [{}, ''],
  [{ value: 8, limit: 10, asked: 5 }, ', asked 5; short of its aim by 1.6 ×'],
  [{ value: 1, limit: 15 }, '; the limit leaves 15 × of what was measured; at most 1.5 × is slack'],
  [
    { value: 10, limit: 10, isCount: true },
    '; the limit equals what was measured, so that the next byte or call breaks it',
  ],
  [{ value: 0.5, limit: 0.4, asked: 0.8, bound: 'least' }, ', asked 0.8; short of its aim by 1.6 ×'],
])('prints of the limit %j: "%s"', (changes, end) => {
  const result = { name: 'play', value: 8, bound: 'most', limit: 10, holds: true, ...changes } as const
  expect(limitLine(result).replace(/^.*? at (most|least) [\d.]+/, '')).toBe(end)
})

test('no limit is too far from the measured figure that it names', () => {
  expect(limitProblems(limitRows.map((row) => ({ ...row, isCount: isCount(row) })))).toEqual([])
})

test('a missed aim fails no limit', () => {
  const [missed] = checkLimits([
    { ...kept, workload: 'largeDocument', variant: 'previews', size: 40, quietRatio: 1e-6 },
  ])
  expect(missed?.holds).toBe(true)
})

const head = { workload: 'play', size: 7, variant: 'memory', unit: 'µs', floor: 'counts.' }

const kept: Measured = {
  workload: 'kept',
  size: 200,
  variant: 'file',
  subject: 'statewright',
  unit: 'bytes',
  median: 1,
  quiet: 1,
  floorRatio: 1,
  quietRatio: 1,
  floor: 'counts.',
}

function workloadOf(subjects: Workload['variants'][number]['subjects']): Workload {
  return { name: 'play', unit: 'µs', floor: 'counts.', rounds: 3, variants: [{ name: 'memory', sizes: [7], subjects }] }
}
