import { expect, test } from 'vitest'
import { limitProblems } from '../../proof/support/limit-facts.ts'
import { type BudgetLimit, limits } from './limits.ts'
import { medianRatio } from './median-ratio.ts'
import { schemasProgram, toolsProgram } from './programs.ts'

test('alternates the two measurements and returns the median of their ratios', () => {
  const taken: string[] = []
  const measured = [20, 90, 60]
  const ratio = medianRatio(
    3,
    () => {
      taken.push('measure')
      return measured.shift() ?? 0
    },
    () => {
      taken.push('base')
      return 10
    },
  )
  expect(ratio).toBe(6)
  expect(taken).toEqual(['measure', 'base', 'measure', 'base', 'measure', 'base'])
})

test.each<readonly [string, BudgetLimit]>(Object.entries(limits))(
  'requires of %s no more than is allowed, and says why',
  (_, one) => {
    expect(one.limit).toBeGreaterThanOrEqual(one.asked)
    expect(one.reason.length).toBeGreaterThan(20)
  },
)

test('no limit is too far from the measured figure that it names', () => {
  const rows = Object.values<BudgetLimit>(limits)
  expect(limitProblems(rows.map((row) => ({ ...row, isCount: row.kind === 'size' })))).toEqual([])
})

test('gives each tool the same schema as in the other program', () => {
  const schemasIn = (program: string) => program.match(/z\.object\(\{\n.*?\n\s*\}\)/gs) ?? []
  const bare = schemasIn(schemasProgram(60))
  expect(bare).toHaveLength(60)
  expect(schemasIn(toolsProgram(60))).toEqual(bare)
})
