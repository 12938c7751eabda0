import type { Chart } from '../../../machines/index.ts'
import type { RunsCoverage } from '../../testing/index.ts'
import { type ChartPart, linesOf } from './chart-part.ts'

/** The transitions in a drawn part of a chart that stored runs have taken. */
export interface ChartCoverage {
  /** The number of runs that were stepped, and of those that could not be. */
  readonly runs: number
  readonly left: number
  /** Transitions of the whole chart: all, those that a run walks, and those of these that no test takes. */
  readonly counts: Counts
  /** The same of each drawn line, by `from → to`. */
  readonly lines: Readonly<Record<string, Counts>>
}

interface Counts {
  readonly all: number
  readonly walked: number
  readonly untested: number
}

/** The names of the charts in a coverage, by those in a studio. */
const names: Readonly<Record<string, string>> = { run: 'run', 'tool-call': 'toolCall', 'model-call': 'modelCall' }

/** Joins the coverage of a chart's transitions as they are drawn. */
export function coverChart(name: string, part: ChartPart, whole: Chart, found: RunsCoverage): ChartCoverage {
  const transitions = found.transitions.filter(({ chart }) => chart === names[name])
  const lines = new Map<string, (typeof transitions)[number][]>()
  for (const one of transitions) {
    for (const line of linesOf(part, whole, one)) lines.set(line, [...(lines.get(line) ?? []), one])
  }
  return {
    runs: found.runs,
    left: found.left.length,
    counts: countsOf(transitions),
    lines: Object.fromEntries([...lines].map(([line, all]) => [line, countsOf(all)])),
  }
}

function countsOf(all: RunsCoverage['transitions']): Counts {
  const walked = all.filter(({ runs }) => runs > 0)
  return { all: all.length, walked: walked.length, untested: walked.filter(({ isTested }) => !isTested).length }
}
