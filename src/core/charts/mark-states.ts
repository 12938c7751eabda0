import type { StateValue } from 'xstate'
import { checkedElsewhere, listOf } from '../domain/text/option-shape.ts'
import type { Json } from '../domain/text/json.ts'
import type { ChartMarks } from './chart.ts'

/** The number of positions of one state that a drawing shows; further positions are counted. */
const mostPlaces = 4

/**
 * Returns the marks of a path through a chart. `moments` has the state values at each moment, in order, one for each
 * actor of the chart. The states of the last moment are active.
 *
 * @example
 * drawSvg(readChart(machine), { marks: markStates([[actor.getSnapshot().value]]) })
 */
export function markStates(moments: readonly (readonly (StateValue | Json)[])[]): ChartMarks {
  listOf(checkedElsewhere)(moments, { field: 'moments', owner: 'markStates' })
  const places = new Map<string, number[]>()
  let active: ReadonlySet<string> = new Set()
  for (const [index, values] of moments.entries()) {
    active = new Set(values.flatMap((value) => pathsOf(value)))
    for (const path of active) places.set(path, [...(places.get(path) ?? []), index + 1])
  }
  return { places, active }
}

/** Returns the positions of a state for a drawing: `1, 4, 7`; empty if the path does not contain the state. */
export function placesText(path: string, marks: ChartMarks | undefined): string {
  const places = marks?.places.get(path) ?? []
  const more = places.length - mostPlaces
  return [...places.slice(0, mostPlaces).map(String), ...(more > 0 ? [`+${more}`] : [])].join(', ')
}

/** Returns the paths of the states in a state value, parents first; any other value has no paths. */
function pathsOf(value: StateValue | Json | undefined, before = ''): readonly string[] {
  if (typeof value === 'string') return [`${before}${value}`]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) => [`${before}${key}`, ...pathsOf(child, `${before}${key}.`)])
}
