import type { Judged } from './run-mutants.ts'
import { operators } from './list-mutants.ts'

/** The result of a run over mutants. */
export interface MutantReport {
  readonly total: number
  readonly killed: number
  /** Survivors nobody has explained. */
  readonly survived: readonly string[]
  /** Survivors on the reviewed list. */
  readonly equivalent: readonly string[]
  /** Mutants on the list that were noticed after all. */
  readonly mistaken: readonly string[]
  /** Names on the list that no mutant has. */
  readonly unknown: readonly string[]
}

/** Holds what became of mutants against the list of those nobody can notice; `known` are the names of all mutants. */
export function reportOn(
  judged: readonly Judged[],
  equivalents: ReadonlyMap<string, string>,
  known: readonly string[],
): MutantReport {
  const ids = (list: readonly Judged[]) => list.map(({ mutant }) => mutant.id)
  const isListed = ({ mutant, verdict }: Judged) => verdict.by !== 'difference' && equivalents.has(mutant.id)
  const alive = judged.filter(isAlive)
  const dead = judged.filter((one) => !isAlive(one))
  return {
    total: judged.length,
    killed: dead.length,
    survived: ids(alive.filter((one) => !isListed(one))),
    equivalent: ids(alive.filter(isListed)),
    mistaken: ids(dead.filter(isListed)),
    unknown: [...equivalents.keys()].filter((id) => !known.includes(id)),
  }
}

function isAlive({ verdict }: Judged): boolean {
  return verdict.by === null || verdict.by === 'difference'
}

/** Killed and total, a line per chart and a column per operator. */
export function tableOf(judged: readonly Judged[]): readonly string[] {
  const charts = [...new Set(judged.map(({ mutant }) => mutant.chart))]
  const rows = charts.map((chart) => {
    const own = judged.filter(({ mutant }) => mutant.chart === chart)
    const cells = operators.map((operator) => figure(own.filter(({ mutant }) => mutant.operator === operator)))
    return [chart, ...cells, figure(own)]
  })
  const header = ['', ...operators, 'all']
  return [header, ...rows].map((cells) =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(10) : cell.padStart(header[index]?.length ?? 0))).join('  '),
  )
}

function figure(judged: readonly Judged[]): string {
  const killed = judged.filter((one) => !isAlive(one)).length
  return `${killed}/${judged.length}`.padStart(9)
}
