import type { LimitResult } from './limits.ts'

/** One line of a benchmark; `floorRatio` is the median of ratios taken in the same round. */
export interface BenchResult {
  readonly workload: string
  readonly size: number
  readonly variant: string
  readonly subject: string
  /** Microseconds, or bytes. */
  readonly median: number
  readonly floorRatio: number
}

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Everything one run of the benchmark found. */
export interface BenchReport {
  readonly machine: string
  readonly results: readonly BenchResult[]
  readonly limits: readonly LimitResult[]
}

/** Prints a table and how the limits fared, and with `--json` one object on the last line. */
export function printResults(report: BenchReport, isJson: boolean): void {
  const { machine, results, limits } = report
  process.stdout.write(`${machine}\n`)
  for (const { workload, subject, size, median: middle, floorRatio } of results) {
    const ratio = floorRatio === 1 ? 'floor' : `${floorRatio.toFixed(2)} × floor`
    process.stdout.write(
      `${workload.padEnd(26)} ${subject.padEnd(14)} ${String(size).padStart(4)}  ${middle.toFixed(1).padStart(10)}  ${ratio}\n`,
    )
  }
  for (const { name, value, limit, holds } of limits) {
    process.stdout.write(
      `${holds ? 'ok    ' : 'OVER  '} ${name.padEnd(58)} ${value.toFixed(2).padStart(6)}  limit ${limit}\n`,
    )
  }
  if (isJson) process.stdout.write(`${JSON.stringify(report)}\n`)
}
