import { expect, test } from 'vitest'
import { limitRows as benchRows } from '../../bench/limits.ts'
import { type FootprintLimit, limits as footprint } from '../../proof/footprint/limits.ts'
import { aimText, limitProblem, type SetLimit } from '../../proof/support/limit-facts.ts'
import { type BudgetLimit, limits as budget } from '../../scripts/budget/limits.ts'

test.each([
  [16, 10, undefined, 'short of its aim by 1.6 ×'],
  [10, 10, undefined, ''],
  [9, 10, undefined, ''],
  [1.004, 1, 'most', 'short of its aim by 1 ×'],
  [0.5, 0.8, 'least', 'short of its aim by 1.6 ×'],
  [0.9, 0.8, 'least', ''],
  [5, undefined, undefined, ''],
] as const)('tells of %s, with the aim %s and the bound %s: "%s"', (value, asked, bound, text) => {
  expect(aimText(value, asked, bound)).toBe(text)
})

const problems: readonly (readonly [SetLimit, string | undefined])[] = [
  [{ limit: 15, measured: 10, isCount: false }, undefined],
  [{ limit: 15.1, measured: 10, isCount: false }, 'leaves 1.51 × of what was measured; at most 1.5 × is slack'],
  [{ limit: 10, measured: 10, isCount: false }, undefined],
  [{ limit: 1100, measured: 1000, isCount: true }, undefined],
  [{ limit: 1110, measured: 1000, isCount: true }, 'leaves 1.11 × of what was measured; at most 1.1 × is slack'],
  [
    { limit: 1000, measured: 1000.3, isCount: true },
    'equals what was measured, so that the next byte or call breaks it',
  ],
  [{ limit: 1.95, measured: 1.92, isCount: true }, undefined],
  [{ limit: 0.6, measured: 0.9, bound: 'least', isCount: false }, undefined],
  [
    { limit: 0.5, measured: 0.9, bound: 'least', isCount: false },
    'leaves 1.8 × of what was measured; at most 1.5 × is slack',
  ],
]

test.each(problems)('says of the limit %j: %s', (limit, problem) => {
  expect(limitProblem(limit)).toBe(problem)
})

/** Every limit that names the figure it was set by. */
const set: readonly (readonly [string, SetLimit])[] = [
  ...benchRows.flatMap(({ name, limit, bound, measured, isCount = false }) =>
    measured === undefined ? [] : [[name, { limit, measured, bound, isCount }] as const],
  ),
  ...Object.values<BudgetLimit>(budget).flatMap(({ name, limit, kind, measured }) =>
    measured === undefined ? [] : [[name, { limit, measured, isCount: kind === 'size' }] as const],
  ),
  ...Object.values(footprint).flatMap((group) =>
    Object.values<FootprintLimit>(group).flatMap(({ name, limit, measured }) =>
      measured === undefined ? [] : [[name, { limit, measured, isCount: true }] as const],
    ),
  ),
]

test('no limit that names its figure is looser or tighter than it may be', () => {
  const found = set.flatMap(([name, one]) => limitProblem(one)?.replace(/^/, `${name}: `) ?? [])
  expect(found).toEqual([])
})
