import { expect, test } from 'vitest'
import { aimText, limitProblem, limitProblems, type SetLimit } from '../../proof/support/limit-facts.ts'

test.each([
  [16, 10, undefined, 'short of its aim by 1.6 ×'],
  [10, 10, undefined, ''],
  [9, 10, undefined, ''],
  [1.004, 1, 'most', 'short of its aim by 1 ×'],
  [0.5, 0.8, 'least', 'short of its aim by 1.6 ×'],
  [0.9, 0.8, 'least', ''],
  [5, undefined, undefined, ''],
] as const)('describes %s, with the aim %s and the bound %s: "%s"', (value, asked, bound, text) => {
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

test.each(problems)('reports for the limit %j: %s', (limit, problem) => {
  expect(limitProblem(limit)).toBe(problem)
})

test('reports problems only for limits that name a measured figure', () => {
  const rows = [
    { name: 'far', limit: 15, measured: 1, isCount: false },
    { name: 'near', limit: 1.5, measured: 1, isCount: false },
    { name: 'unset', limit: 15, isCount: false },
  ]
  expect(limitProblems(rows)).toEqual(['far leaves 15 × of what was measured; at most 1.5 × is slack'])
})
