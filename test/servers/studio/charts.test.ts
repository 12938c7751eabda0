import { expect, test } from 'vitest'
import { createMachine } from 'xstate'
import { ChartDrawer } from '../../../src/servers/studio/chart-drawer.ts'
import type { DrawnChart, Spot } from '../../../src/servers/studio/drawn-chart.ts'

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const charts = new ChartDrawer({})

/** Every part of every chart of the engine that the page draws. */
function parts(): readonly DrawnChart[] {
  const found: DrawnChart[] = []
  const add = (name: string, inside = '') => {
    const drawn = charts.draw(name, inside)
    if (drawn === undefined || found.includes(drawn)) return
    found.push(drawn)
    for (const { opens, path } of drawn.states) if (opens) add(name, path)
  }
  for (const name of charts.names) add(name)
  return found
}

const drawn = parts().map((part) => [`${part.name} ${part.inside}`.trim(), part] as const)

function meet(one: Box, other: Box): boolean {
  const isAcross = one.x < other.x + other.width && other.x < one.x + one.width
  return isAcross && one.y < other.y + other.height && other.y < one.y + one.height
}

const isAt = ([x, y]: Spot = [NaN, NaN], box: Box | undefined) =>
  box !== undefined &&
  x >= box.x &&
  x <= box.x + box.width &&
  (Math.abs(y - box.y) < 1 || Math.abs(y - box.y - box.height) < 1)

test.each(drawn)('OBS-03 the chart %s is laid out with no box over another, and lines from box to box', (_, part) => {
  const boxes = part.states.filter(({ isOuter }) => !isOuter)
  const labels = part.arrows.flatMap(({ label, labelAt }): readonly Box[] => {
    if (labelAt === undefined) return []
    const width = Math.max(...label.map((line) => line.length)) * 5
    return [{ x: labelAt[0], y: labelAt[1], width, height: label.length * 13 }]
  })
  const all: readonly Box[] = [...boxes, ...labels]
  expect(all.filter((one, index) => all.slice(index + 1).some((other) => meet(one, other)))).toEqual([])
  const outside = all.filter(
    ({ x, y, width, height }) => x < 0 || y < 0 || x + width > part.width || y + height > part.height,
  )
  expect(outside).toEqual([])
  const boxOf = (path: string) => part.states.find((state) => state.path === path)
  const loose = part.arrows.filter(
    ({ from, to, points }) => !isAt(points[0], boxOf(from)) || !isAt(points.at(-1), boxOf(to)),
  )
  expect(loose).toEqual([])
  const slanted = part.arrows.filter(({ points }) =>
    points.some(([x, y], index) => {
      const [beforeX, beforeY] = points[index - 1] ?? [x, y]
      return x !== beforeX && y !== beforeY
    }),
  )
  expect(slanted).toEqual([])
})

test("OBS-03 no label in the engine's charts is a code name", () => {
  const words = drawn.flatMap(([, { arrows, notes }]) => [...arrows.flatMap((arrow) => arrow.words), ...notes])
  expect(words.filter((text) => /[a-z][A-Z]|\w\(|\w\.\w|always/.test(text))).toEqual([])
})

test.each([
  ['400 states', 400, 3, { states: 120, arrows: 207, notes: ['280 more states are not drawn'] }],
  ['lines everywhere', 29, 25, { states: 29, arrows: 500, notes: ['177 more lines are not drawn'] }],
])('OBS-03 draws a part of a flat chart of %s, and says so', (_, count, ways, part) => {
  const on = (state: number) =>
    Array.from({ length: ways }, (__, way) => [`E${way}`, `s${(state * (2 * way + 1) + 1 + way) % count}`])
  const states = Array.from({ length: count }, (__, state) => [`s${state}`, { on: Object.fromEntries(on(state)) }])
  const flat = createMachine({ id: 'flat', initial: 's0', states: Object.fromEntries(states) })
  const { states: boxes, arrows, notes } = new ChartDrawer({ flat }).draw('flat') ?? {}
  expect({ states: boxes?.length, arrows: arrows?.length, notes }).toEqual(part)
})
