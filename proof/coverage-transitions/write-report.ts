import { nameOfMove } from '../../src/testing/charts/explore.ts'
import type { Branch } from '../../src/testing/charts/transition-coverage.ts'

/** A transition nobody can take, and why. */
export interface Excuse {
  readonly transition: string
  readonly reason: string
}

/** The coverage of the charts, with the excuses that were needed. */
export interface Report {
  readonly covered: number
  readonly total: number
  readonly missing: readonly string[]
  readonly excused: readonly Excuse[]
  readonly charts: readonly { readonly chart: string; readonly covered: number; readonly total: number }[]
  /** Excuses for branches that are taken, or that no chart has. */
  readonly idle: readonly string[]
}

/** Counts branches taken per chart; an excused one is no longer owed. */
export function reportOn(branches: readonly Branch[], excuses: readonly Excuse[]): Report {
  const excused = excuses.filter(({ transition }) => branches.some(({ name, path }) => name === transition && !path))
  const owed = branches.filter(({ name }) => !excused.some(({ transition }) => transition === name))
  const charts = [...new Set(branches.map(({ chart }) => chart))].map((chart) => {
    const own = owed.filter((branch) => branch.chart === chart)
    return { chart, covered: own.filter(({ path }) => path).length, total: own.length }
  })
  return {
    covered: owed.filter(({ path }) => path).length,
    total: owed.length,
    missing: owed.filter(({ path }) => !path).map(({ name }) => name),
    excused,
    charts,
    idle: excuses.filter((excuse) => !excused.includes(excuse)).map(({ transition }) => transition),
  }
}

/** The page that lists each transition with the path that took it. */
export function writeReport(branches: readonly Branch[], report: Report): string {
  const charts = report.charts.flatMap(({ chart, covered, total }) => [
    `## ${chart}: ${covered}/${total}`,
    '',
    '| Transition | Answer | Path that took it |',
    '| --- | --- | --- |',
    ...branches.filter((branch) => branch.chart === chart).map((branch) => rowOf(branch, report.excused)),
    '',
  ])
  const lines = [
    '# Transitions taken',
    '',
    'Written by `npm run coverage:transitions`. Each transition of each chart, and each refusal of a guard, with the',
    'shortest path on which the exploration of the composed system took it: the configuration, then its moves.',
    '',
    ...charts,
  ]
  return lines.join('\n')
}

function rowOf({ name, words, path }: Branch, excused: readonly Excuse[]): string {
  const answer = name.endsWith(' refused') ? 'refused' : 'taken'
  const reason = excused.find(({ transition }) => transition === name)?.reason
  const how =
    path === undefined
      ? `cannot be: ${reason ?? 'not covered'}`
      : `${path.configuration}: ${path.moves.map(nameOfMove).join(', ') || 'start'}`
  return `| ${escaped(words)} | ${answer} | ${escaped(how)} |`
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|')
}
