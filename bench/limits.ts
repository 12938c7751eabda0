import type { BenchResult } from './report.ts'

/** How one limit fared. */
export interface LimitResult {
  readonly name: string
  readonly value: number
  readonly limit: number
  readonly holds: boolean
}

/** Turns of the shortest, a middle and the longest run. */
const [few, some, many] = [10, 50, 200]

/**
 * What the cost of a turn may come to: growth and bytes are promises. The ratios of time guard against a slide; how
 * they compare with what they should be is told in docs/adr/0009.
 */
export function checkLimits(results: readonly BenchResult[]): readonly LimitResult[] {
  const of = (subject: string, size: number) => {
    const found = results.find((result) => result.subject === subject && result.size === size)
    if (found === undefined) throw new Error(`Nothing was measured of "${subject}" at ${size} turns.`)
    return found
  }
  const growth = (subject: string, from: number, to: number) => of(subject, to).median / of(subject, from).median
  const worst = (subject: string) => Math.max(...[few, some, many].map((size) => of(subject, size).floorRatio))
  return [
    ...['memory', 'sqlite full', 'sqlite normal'].map((subject) =>
      limit(`${subject}: a turn of ${many}, of one of ${few}`, growth(subject, few, many), 1.15),
    ),
    limit('sqlite: bytes, of the bare append', worst('sqlite'), 1.8),
    limit(`sqlite: bytes of ${many} turns, of those of ${some}`, growth('sqlite', some, many), 4.4),
    limit('sqlite full: time, of the bare append', worst('sqlite full'), 3),
    limit('sqlite normal: time, of the bare append', worst('sqlite normal'), 18),
  ]
}

function limit(name: string, value: number, most: number): LimitResult {
  return { name, value: Math.round(value * 100) / 100, limit: most, holds: value <= most }
}
