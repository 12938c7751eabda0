import type { Json } from '../../index.ts'
import type { DrawnChart } from '../../servers/studio/drawn-chart.ts'
import type { PassedStates } from '../../servers/studio/show-run.ts'
import type { Step } from '../../servers/studio/steps-taken.ts'

/** The path of a run through its chart. */
export interface RunMarks {
  /** Paths of the states in which the run is, parents included. */
  readonly active: ReadonlySet<string>
  /** Those in which it rested. */
  readonly rested: ReadonlySet<string>
  readonly steps: readonly Step[]
  /** The steps since the checkpoint before. */
  readonly last: readonly Step[]
}

/** Returns the path of a run up to a checkpoint, or up to now. */
export function marksOf(passed: readonly PassedStates[], version = Infinity): RunMarks {
  const shown = passed.filter((one) => one.version <= version)
  return {
    active: new Set(pathsIn(shown.at(-1)?.value)),
    rested: new Set(shown.flatMap(({ value }) => pathsIn(value))),
    steps: shown.flatMap(({ steps }) => steps),
    last: shown.at(-1)?.steps ?? [],
  }
}

/** Returns the paths of the states in a state value, parents first. */
function pathsIn(value: Json | undefined, before = ''): readonly string[] {
  if (typeof value === 'string') return [`${before}${value}`]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) => [`${before}${key}`, ...pathsIn(child, `${before}${key}.`)])
}

/** The marks of a path in a drawing: how often each line by `lineOf` was taken, and the passed states. */
export interface DrawnWay {
  readonly taken: ReadonlyMap<string, number>
  readonly last: ReadonlySet<string>
  readonly passed: ReadonlySet<string>
}

/** Returns a path as the lines and states of a drawing. */
export function wayIn({ states }: DrawnChart, marks: RunMarks | undefined): DrawnWay {
  const paths = states.map(({ path }) => path).toSorted((one, other) => other.length - one.length)
  const homeOf = (leaf: string) => paths.find((path) => leaf === path || leaf.startsWith(`${path}.`))
  const lines = (steps: readonly Step[] = []) =>
    steps.flatMap(([from, to]) => {
      const [start, end] = [homeOf(from), homeOf(to)]
      return start === undefined || end === undefined || start === end ? [] : [lineOf(start, end)]
    })
  const taken = new Map<string, number>()
  for (const line of lines(marks?.steps)) taken.set(line, (taken.get(line) ?? 0) + 1)
  const passed = (marks?.steps ?? []).flatMap((step) => step.flatMap((leaf) => homeOf(leaf) ?? []))
  return { taken, last: new Set(lines(marks?.last)), passed: new Set([...(marks?.rested ?? []), ...passed]) }
}

/** Returns the name of a line in a drawing. */
export function lineOf(from: string, to: string): string {
  return `${from} → ${to}`
}
