import type { LimitResult } from './limits.ts'
import type { Measured } from './measure-workload.ts'

/** Prints one line a figure. */
export function printResults(results: readonly Measured[]): void {
  for (const { workload, variant, subject, size, unit, median, quiet, floorRatio, quietRatio } of results) {
    const ratio =
      subject === 'floor' ? 'floor' : `${floorRatio.toFixed(2)} × floor, quiet of quiet ${quietRatio.toFixed(2)}`
    const figure = `${rounded(median).padStart(10)} ${unit.padEnd(13)} quiet ${rounded(quiet).padStart(9)}`
    console.log(
      `${workload.padEnd(13)} ${variant.padEnd(13)} ${String(size).padStart(7)}  ${subject.padEnd(11)} ${figure}  ${ratio}`,
    )
  }
}

/** Prints how each limit fared, beside the one that is asked. */
export function printLimits(limits: readonly LimitResult[]): void {
  for (const { name, value, bound, limit, asked, holds } of limits) {
    const asks = asked === undefined || asked === limit ? '' : `, asked ${asked}`
    console.log(
      `${holds ? 'ok    ' : 'MISSED'} ${name.padEnd(56)} ${value.toFixed(2).padStart(8)}  at ${bound} ${limit}${asks}`,
    )
  }
}

function rounded(figure: number): string {
  return figure.toFixed(figure < 10 ? 3 : figure < 1000 ? 1 : 0)
}
