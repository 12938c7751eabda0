import { type Chart, type ChartMarks, type ChartState, parentOf } from './chart.ts'
import { checkChart } from './check-given.ts'
import { classLines } from './draw-mermaid.ts'
import { entered, type Frames, framesOf, nodeOf, waysOf } from './fold-chart.ts'
import { placesText } from './mark-states.ts'

/**
 * Returns a Mermaid flowchart of a chart's compound states and the transitions between them; empty if the chart has
 * none. A compound state without inner compound states is one node. A compound state with inner ones is a frame around
 * them and their siblings. `marks` colours states.
 */
export function drawMermaidOverview(chart: Chart, marks?: ChartMarks): string {
  checkChart(chart, { field: 'chart', owner: 'drawMermaidOverview' })
  const { states } = chart
  const frames = framesOf(states)
  if (frames === undefined) return ''
  const ways = waysOf(states, frames).map(({ from, to }) =>
    from === '' ? `anywhere -.-> ${idOf(to)}` : `${idOf(from)} --> ${idOf(to)}`,
  )
  return [
    'flowchart LR',
    ...drawFrame('', { states, frames, marks }, '  '),
    `  start(( )) --> ${idOf(nodeOf(entered('', states), frames))}`,
    ...(ways.some((way) => way.startsWith('anywhere')) ? ['  anywhere([in every state])'] : []),
    ...ways.map((way) => `  ${way}`),
    ...classLines(marks && nodesOnly(marks, states, frames), idOf),
  ].join('\n')
}

interface Drawing {
  readonly states: readonly ChartState[]
  readonly frames: Frames
  readonly marks: ChartMarks | undefined
}

function drawFrame(path: string, drawing: Drawing, indent: string): readonly string[] {
  const inside = drawing.states.filter((state) => state.path !== '' && parentOf(state.path) === path)
  return inside.flatMap((state) => {
    const places = placesText(state.path, drawing.marks)
    const name = state.path.slice(path === '' ? 0 : path.length + 1) + (places === '' ? '' : ` · ${places}`)
    if (!drawing.frames.has(state.path))
      return [`${indent}${idOf(state.path)}${state.kind === 'final' ? `([${name}])` : `[${name}]`}`]
    const drawn = drawFrame(state.path, drawing, `${indent}  `)
    return [`${indent}subgraph ${idOf(state.path)}[${name}]`, ...drawn, `${indent}end`]
  })
}

function nodesOnly({ places, active }: ChartMarks, states: readonly ChartState[], frames: Frames): ChartMarks {
  const nodes = new Set(
    states.map(({ path }) => path).filter((path) => frames.has(parentOf(path)) && !frames.has(path)),
  )
  return {
    places: new Map([...places].filter(([path]) => nodes.has(path))),
    active: new Set([...active].filter((path) => nodes.has(path))),
  }
}

/** Adds a prefix, because Mermaid reserves a few words, such as `end`. */
function idOf(path: string): string {
  return `s_${path.replaceAll(/[^A-Za-z0-9]/g, '_')}`
}
