import { factsOf } from '../proof/support/limit-facts.ts'
import type { LimitResult } from './limits.ts'
import type { Measured } from './measure-workload.ts'

/** Prints one line a figure; that of a floor says how the floor does the work, so that a reader can check it. */
export function printResults(results: readonly Measured[]): void {
  for (const { workload, variant, subject, size, unit, median, quiet, floor, floorRatio, quietRatio } of results) {
    const ratio =
      subject === 'floor'
        ? `floor: ${floor}`
        : `${floorRatio.toFixed(2)} × floor, quiet of quiet ${quietRatio.toFixed(2)}`
    const figure = `${rounded(median).padStart(10)} ${unit.padEnd(13)} quiet ${rounded(quiet).padStart(9)}`
    console.log(
      `${workload.padEnd(13)} ${variant.padEnd(13)} ${String(size).padStart(7)}  ${subject.padEnd(11)} ${figure}  ${ratio}`,
    )
  }
}

/** Prints how each limit fared, how far the figure is from its aim, and whether the limit is too far from the figure. */
export function printLimits(limits: readonly LimitResult[]): void {
  for (const result of limits) console.log(limitLine(result))
}

/** Returns the line of one limit. */
export function limitLine({ name, isCount = false, ...result }: LimitResult): string {
  const { value, bound, limit, asked, holds } = result
  const asks = asked === undefined || asked === limit ? '' : `, asked ${asked}`
  const head = `${holds ? 'ok    ' : 'MISSED'} ${name.padEnd(56)} ${value.toFixed(2).padStart(8)}  at ${bound} ${limit}${asks}`
  return [head, ...factsOf({ ...result, isCount })].join('; ')
}

function rounded(figure: number): string {
  return figure.toFixed(figure < 10 ? 3 : figure < 1000 ? 1 : 0)
}
