import { expect, test } from 'vitest'
import {
  describeCost,
  describeDuration,
  describeTime,
  describeTokens,
} from '../../../src/apps/cli/terminal/describe-amount.ts'

test.each([
  [-5, '0 s'],
  [999, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [3_600_000, '1 h'],
  [2 * 86_400_000, '2 d'],
])('CLI-01 shows %i ms of age as %s', (ms, text) => {
  expect(describeTime(ms)).toBe(text)
})

test.each([
  [0, '0 s'],
  [6_400, '6 s'],
  [65_000, '1 min 5 s'],
  [3_840_000, '1 h 4 min'],
])('CLI-01 shows %i ms of work as %s', (ms, text) => {
  expect(describeDuration(ms)).toBe(text)
})

test.each([
  [1, '1 token'],
  [999, '999 tokens'],
  [1_000, '1k tokens'],
  [2_449, '2.4k tokens'],
  [9_960, '10k tokens'],
  [999_400, '999k tokens'],
  [999_500, '1M tokens'],
  [1_250_000, '1.3M tokens'],
])('CLI-01 shows %i tokens as %s', (count, text) => {
  expect(describeTokens(count)).toBe(text)
})

test.each([
  [0.000_000_001, 'less than $0.00000001'],
  [0.000_012_345, '$0.000012'],
  [0.001_25, '$0.0013'],
  [0.0996, '$0.10'],
  [0.345, '$0.34'],
  [12.5, '$12.50'],
])('AGT-17 shows %f US dollars as %s', (dollars, text) => {
  expect(describeCost(dollars)).toBe(text)
})
