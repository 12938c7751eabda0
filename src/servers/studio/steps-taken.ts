import type { Chart, ChartState } from '../../../machines/index.ts'
import type { Json } from '../../index.ts'
import type { CheckpointInfo } from '../../ports.ts'
import { entered } from './chart-part.ts'
import { isSeldom, wordsOf } from './chart-words.ts'

/** A transition that a run took, from one innermost state to the next. */
export type Step = readonly [from: string, to: string]

/** The factor by which a path may be longer than one that a run seldom takes. */
const seldomCost = 20

/**
 * Returns the transitions of a run between two checkpoints. The log has no transitions; the result is the shortest path
 * between the two states that passes the commit points of the second checkpoint in order, and no others. Paths that
 * need a limit, an error or a cancel count as long. Empty if there is none.
 */
export function stepsBetween(
  chart: Chart,
  from: Json | undefined,
  { to, names }: { readonly to: Json; readonly names: CheckpointInfo['names'] },
): readonly Step[] {
  const byPath = new Map(chart.states.map((state) => [state.path, state]))
  const start = from === undefined ? entered('', chart) : leafOf(from)
  const goal = leafOf(to)
  const found = new Map<string, Place>()
  const open: Place[] = [{ leaf: start, passed: 0, cost: 0 }]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const key = `${place.leaf} ${place.passed}`
    if (found.has(key)) continue
    found.set(key, place)
    if (place.leaf === goal && place.passed === names.length) return stepsOf(place)
    for (const next of nextOf(chart, byPath, place, names)) open.push(next)
    open.sort((one, other) => other.cost - one.cost)
  }
  return []
}

interface Place {
  readonly leaf: string
  /** The number of commit points on the way. */
  readonly passed: number
  readonly cost: number
  readonly before?: Place
}

function nextOf(
  chart: Chart,
  byPath: ReadonlyMap<string, ChartState>,
  before: Place,
  names: CheckpointInfo['names'],
): readonly Place[] {
  const keys = before.leaf.split('.')
  const homes = ['', ...keys.map((_, index) => keys.slice(0, index + 1).join('.'))]
  const arrows = homes.flatMap((path) => byPath.get(path)?.arrows ?? [])
  return arrows.flatMap((arrow) => {
    if (arrow.to === null) return []
    const leaf = entered(arrow.to, chart)
    const point = byPath
      .get(leaf)
      ?.entry.map((action) => /checkpoint\(name: '(\w+)'\)/.exec(action)?.[1])
      .find(Boolean)
    if (point !== undefined && point !== names[before.passed]) return []
    const cost = before.cost + 1 + (isSeldom(wordsOf(arrow, true)) ? seldomCost : 0)
    return [{ leaf, passed: before.passed + Number(point !== undefined), cost, before }]
  })
}

function stepsOf({ leaf, before }: Place): readonly Step[] {
  return before === undefined ? [] : [...stepsOf(before), [before.leaf, leaf]]
}

/** The innermost state of a value. */
function leafOf(value: Json): string {
  if (typeof value === 'string') return value
  const [entry] = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (entry === undefined) return ''
  const inner = leafOf(entry[1])
  return inner === '' ? entry[0] : `${entry[0]}.${inner}`
}
