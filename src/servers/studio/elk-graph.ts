import type { Chart, ChartState } from '../../../machines/index.ts'
import { type ChartPart, linesOf, opensIn } from './chart-part.ts'
import type { DrawnArrow, DrawnChart, DrawnState, Spot } from './drawn-chart.ts'

/** The fields of `elkjs` that are used here. */
export interface ElkNode {
  readonly id: string
  readonly x?: number
  readonly y?: number
  readonly width?: number
  readonly height?: number
  readonly layoutOptions?: Readonly<Record<string, string>>
  readonly labels?: readonly ElkLabel[]
  readonly children?: readonly ElkNode[]
  readonly edges?: readonly ElkEdge[]
}

interface ElkLabel {
  readonly text: string
  readonly x?: number
  readonly y?: number
  readonly width: number
  readonly height: number
}

interface ElkEdge {
  readonly id: string
  readonly sources: readonly string[]
  readonly targets: readonly string[]
  readonly labels?: readonly ElkLabel[]
  readonly sections?: readonly {
    readonly startPoint: ElkPoint
    readonly endPoint: ElkPoint
    readonly bendPoints?: readonly ElkPoint[]
  }[]
}

interface ElkPoint {
  readonly x: number
  readonly y: number
}

const sizes = { character: 7.3, small: 6.4, height: 34, padding: 30, label: 14, least: 74 }

const layoutOptions = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.spacing.nodeNodeBetweenLayers': '34',
  'elk.spacing.nodeNode': '22',
  'elk.spacing.edgeNode': '14',
  'elk.spacing.edgeEdge': '9',
  'elk.layered.spacing.edgeNodeBetweenLayers': '14',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.padding': '[top=12,left=12,bottom=12,right=12]',
}

/** A part of a chart as `elkjs` lays it out. */
export function elkOf(part: ChartPart, whole: Chart): ElkNode {
  const { states } = part.chart
  const nodeOf = (state: ChartState): ElkNode => {
    const children = childrenOf(states, state.path)
    const width = Math.max(
      sizes.least,
      nameOf(state).length * sizes.character + sizes.padding + (opensIn(part, whole, state) ? 20 : 0),
    )
    if (children.length === 0) return { id: state.path, width, height: sizes.height }
    const padding = `[top=36,left=14,bottom=14,right=14]`
    return {
      id: state.path,
      width,
      layoutOptions: { 'elk.padding': padding, 'elk.nodeSize.constraints': 'MINIMUM_SIZE' },
      children: children.map(nodeOf),
    }
  }
  return {
    id: 'chart',
    layoutOptions,
    children: topOf(part).map(nodeOf),
    edges: linesOf(part).map(({ from, to, label }, index) => ({
      id: String(index),
      sources: [from],
      targets: [to],
      labels: label === '' ? [] : [{ text: label, width: label.length * sizes.small + 10, height: sizes.label }],
    })),
  }
}

/** Returns the layout of `elkjs` for the page. */
export function chartOfElk(name: string, laid: ElkNode, part: ChartPart, whole: Chart): DrawnChart {
  const byPath = new Map(part.chart.states.map((state) => [state.path, state]))
  const drawn: DrawnState[] = []
  const visit = ({ id, x = 0, y = 0, width = 0, height = 0, children = [] }: ElkNode) => {
    const state = byPath.get(id)
    if (state === undefined) return
    const { path, kind, description } = state
    const parent = byPath.get(path.split('.').slice(0, -1).join('.'))
    drawn.push({
      path,
      name: nameOf(state),
      kind,
      description,
      ...{ x, y, width, height },
      isInitial: (parent?.initial ?? '').split(', ').some((one) => one === path || one.startsWith(`${path}.`)),
      isOuter: children.length > 0,
      opens: opensIn(part, whole, state),
      rows: [],
    })
    for (const child of children) visit(child)
  }
  for (const child of laid.children ?? []) visit(child)
  const { width = 0, height = 0 } = laid
  const { inside, notes } = part
  const arrows = (laid.edges ?? []).flatMap(arrowOf)
  return { name, description: whole.description, inside, width, height, states: drawn, arrows, notes }
}

function arrowOf({ sources, targets, labels = [], sections = [] }: ElkEdge): readonly DrawnArrow[] {
  const [section] = sections
  const [label] = labels
  if (section === undefined) return []
  const points = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint].map(({ x, y }): Spot => [x, y])
  return [
    {
      from: sources[0] ?? '',
      to: targets[0] ?? '',
      label: label?.text ?? '',
      points,
      ...(label === undefined ? {} : { labelAt: [label.x ?? 0, label.y ?? 0] as const }),
    },
  ]
}

function topOf({ chart, inside }: ChartPart): readonly ChartState[] {
  if (inside !== '') return chart.states.filter(({ path }) => path === inside)
  return childrenOf(chart.states, '')
}

function childrenOf(states: readonly ChartState[], parent: string): readonly ChartState[] {
  return states.filter(({ path }) => path !== '' && path.split('.').slice(0, -1).join('.') === parent)
}

function nameOf({ path, kind }: ChartState): string {
  const name = path.split('.').at(-1) ?? path
  return kind === 'parallel' || kind === 'history' ? `${name} (${kind})` : name
}
