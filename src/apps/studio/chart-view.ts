import { type ComponentChild, h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ChartCoverage } from '../../servers/studio/cover-chart.ts'
import type { DrawnArrow, DrawnChart, DrawnState, Spot } from '../../servers/studio/drawn-chart.ts'
import { alertOf, button, useRead } from './parts.ts'
import { type DrawnWay, lineOf, type RunMarks, wayIn } from './run-marks.ts'

/** A chart is drawn no smaller than this part of its size, so that it can be read; then its box scrolls. */
const least = 0.72

/** The scale of a chart: a multiple of its size, or all of it in its box. */
type Zoom = number | 'fit'

interface ChartViewProps {
  readonly chart: string
  readonly inside: string
  readonly marks?: RunMarks | undefined
  /** The transitions that stored runs walk, if they are shown. */
  readonly cover?: ChartCoverage | undefined
  onInside(path: string): void
}

/** A chart as SVG, with active states highlighted, the taken path marked, and compound states that can be opened. */
export function ChartView({ chart, inside, marks, cover, onInside }: ChartViewProps): ComponentChild {
  const [zoom, setZoom] = useState<Zoom>(1)
  const box = useRef<HTMLDivElement>(null)
  const query = inside === '' ? '' : `?inside=${encodeURIComponent(inside)}`
  const { value: drawn, problem } = useRead<DrawnChart>(`charts/${encodeURIComponent(chart)}${query}`)
  const active = marks === undefined ? '' : [...marks.active].join(' ')
  useEffect(() => showActive(box.current), [drawn, active, zoom])
  if (problem !== undefined) return alertOf(problem)
  if (drawn === undefined) return h('div', { class: 'chart loading', 'aria-busy': true })
  const unknown = unknownStates(drawn, marks)
  const notes = drawn.notes.map((note) => h('li', { key: note }, note))
  return h('div', { class: 'chart' }, [
    h('div', { class: 'tools' }, [h(Crumbs, { chart, inside, onInside }), h(Sizes, { zoom, onZoom: setZoom })]),
    h(
      'div',
      { class: 'scroll', ref: box, tabIndex: 0, role: 'region', 'aria-label': `Chart ${chart}` },
      h(Drawing, { drawn, marks, cover, zoom, onInside }),
    ),
    unknown.length > 0 && h('p', { class: 'note' }, `Only in an older version of the chart: ${unknown.join(', ')}`),
    notes.length > 0 &&
      h('details', { class: 'notes' }, [
        h('summary', null, inside === '' ? 'In every state' : 'Ways out'),
        h('ul', null, notes),
      ]),
  ])
}

function Sizes({ zoom, onZoom }: { readonly zoom: Zoom; onZoom(zoom: Zoom): void }): ComponentChild {
  const size = zoom === 'fit' ? 1 : zoom
  const isFit = zoom === 'fit'
  return h('span', { class: 'zoom', role: 'group', 'aria-label': 'Size' }, [
    button('−', () => onZoom(size / 1.25), { class: 'quiet', 'aria-label': 'Smaller' }),
    button('Fit', () => onZoom(isFit ? 1 : 'fit'), { class: 'quiet', 'aria-pressed': isFit }),
    button('+', () => onZoom(size * 1.25), { class: 'quiet', 'aria-label': 'Larger' }),
  ])
}

function Crumbs({ chart, inside, onInside }: Pick<ChartViewProps, 'chart' | 'inside' | 'onInside'>): ComponentChild {
  const keys = inside === '' ? [] : inside.split('.')
  const crumbs = [chart, ...keys].map((name, depth) => {
    const path = keys.slice(0, depth).join('.')
    const leads = button(name, () => onInside(path), { class: 'quiet' })
    return h('li', { key: path }, leads)
  })
  return h('ol', { class: 'crumbs', 'aria-label': 'Part of the chart' }, crumbs)
}

interface DrawingProps {
  readonly drawn: DrawnChart
  readonly marks: RunMarks | undefined
  readonly cover: ChartCoverage | undefined
  readonly zoom: Zoom
  onInside(path: string): void
}

/** The tip of every arrow. */
const tip = { id: 'tip', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: 'auto' }

function Drawing({ drawn, marks, cover, zoom, onInside }: DrawingProps): ComponentChild {
  const { width, height, states, arrows } = drawn
  const way = wayIn(drawn, marks)
  const boxes = (areOuter: boolean) =>
    states
      .filter(({ isOuter }) => isOuter === areOuter)
      .map((state) => h(StateBox, { key: state.path, state, marks, way, onInside }))
  const marker = h('marker', { ...tip, markerUnits: 'userSpaceOnUse' }, h('path', { d: 'M0 0L8 4L0 8z' }))
  return h(
    'svg',
    {
      class: zoom === 'fit' ? 'drawing fit' : 'drawing',
      viewBox: `0 0 ${width} ${height}`,
      style: { width: widthAt(zoom, width) },
      role: 'group',
      'aria-label': `${drawn.name} ${drawn.inside}`.trim(),
    },
    [
      h('defs', { key: 'defs' }, marker),
      ...boxes(true),
      ...arrows.map((arrow, index) => h(Arrow, { key: `arrow-${index}`, arrow, way, cover })),
      ...boxes(false),
    ],
  )
}

function widthAt(zoom: Zoom, width: number): string {
  if (zoom === 'fit') return `min(100%, ${Math.round(width)}px)`
  if (zoom !== 1) return `${Math.round(width * zoom)}px`
  return `clamp(${Math.round(width * least)}px, 100%, ${Math.round(width)}px)`
}

interface StateProps extends Pick<DrawingProps, 'marks' | 'onInside'> {
  readonly state: DrawnState
  readonly way: DrawnWay
}

function StateBox({ state, marks, way, onInside }: StateProps): ComponentChild {
  const { path, name, kind, description, x, y, width, height, isInitial, isOuter, opens } = state
  const isPassed = way.passed.has(path)
  const isActive = marks?.active.has(path) === true
  const mark = isActive ? 'active' : isPassed ? 'passed' : ''
  const said = `${path}${isActive ? ', active' : isPassed ? ', passed' : ''}${description === '' ? '' : `: ${description}`}`
  const inside: ComponentChild[] = [
    h('title', { key: 'title' }, said),
    h('rect', { key: 'box', class: 'box', x, y, width, height, rx: 7 }),
    kind === 'final' &&
      h('rect', { key: 'final', class: 'inner', x: x + 3, y: y + 3, width: width - 6, height: height - 6, rx: 5 }),
    isInitial &&
      h('circle', { key: 'start', class: 'start', cx: x + 11, cy: isOuter ? y + 17 : y + height / 2, r: 3.5 }),
    h(
      'text',
      {
        key: 'name',
        x: isOuter ? x + (isInitial ? 20 : 12) : x + width / 2 + (isInitial ? 5 : 0),
        y: isOuter ? y + 21 : y + height / 2 + 4,
        class: isOuter ? 'name outer' : 'name',
      },
      name,
    ),
    opens &&
      h('text', { key: 'opens', class: 'opens', x: x + width - 12, y: isOuter ? y + 20 : y + height / 2 + 4 }, '+'),
  ]
  const shape = `state ${kind} ${mark} ${isOuter ? 'outer' : 'leaf'}`
  if (!opens) return h('g', { class: shape, 'data-state': path }, inside)
  const open = (event: Event) => {
    event.stopPropagation()
    onInside(path)
  }
  const byKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    onInside(path)
  }
  const acts = { tabIndex: 0, role: 'button', onClick: open, onKeyDown: byKey } as const
  const label = { class: `${shape} opens`, 'data-state': path, 'aria-label': `${said}. Look inside` }
  return h('g', { ...label, ...acts }, inside)
}

function Arrow({ arrow, way, cover }: { readonly arrow: DrawnArrow } & ArrowMarks): ComponentChild {
  const { from, to, label, words, labelAt, points } = arrow
  const line = lineOf(from, to)
  const count = way.taken.get(line) ?? 0
  const told = words.length === 0 ? 'goes on' : words.join(', ')
  const found = cover?.lines[line]
  const covered = found && (found.walked === 0 ? 'never' : found.untested > 0 ? 'untested' : 'tested')
  const mark = covered ?? (way.last.has(line) ? 'passed last' : count > 0 ? 'passed' : '')
  const taken = count === 0 ? '' : count === 1 ? '. Taken once' : `. Taken ${count} times`
  const walks = found && `. ${found.walked} of ${found.all} transitions taken, ${found.untested} of these never tested`
  return h('g', { class: `arrow ${mark}`, 'data-line': line }, [
    h('title', null, `${line}: ${told}${walks ?? taken}`),
    h('path', { d: pathOf(points), 'marker-end': 'url(#tip)' }),
    labelAt !== undefined &&
      label.length > 0 &&
      h(
        'text',
        { class: 'event', y: labelAt[1] + 10 },
        label.map((text, index) => h('tspan', { key: text, x: labelAt[0], dy: index === 0 ? 0 : 13 }, text)),
      ),
  ])
}

interface ArrowMarks {
  readonly way: DrawnWay
  readonly cover: ChartCoverage | undefined
}

/** Straight lines with round corners. */
function pathOf(points: readonly Spot[]): string {
  const corner = 5
  return points
    .map(([x, y], index) => {
      const [beforeX, beforeY] = points[index - 1] ?? [x, y]
      const after = points[index + 1]
      if (index === 0) return `M${x} ${y}`
      if (after === undefined) return `L${x} ${y}`
      const from = nearer([x, y], [beforeX, beforeY], corner)
      const to = nearer([x, y], after, corner)
      return `L${from[0]} ${from[1]}Q${x} ${y} ${to[0]} ${to[1]}`
    })
    .join('')
}

function nearer([x, y]: Spot, [towardX, towardY]: Spot, most: number): Spot {
  const length = Math.hypot(towardX - x, towardY - y)
  const part = length === 0 ? 0 : Math.min(most, length / 2) / length
  return [x + (towardX - x) * part, y + (towardY - y) * part]
}

/** Marked states that are not in the overview, such as those of an older chart. */
function unknownStates({ inside, states }: DrawnChart, marks: RunMarks | undefined): readonly string[] {
  if (inside !== '' || marks === undefined) return []
  const known = states.map(({ path }) => path)
  return [...marks.active].filter((path) => !known.some((one) => path === one || path.startsWith(`${one}.`)))
}

/** Brings the active state into sight, inside of the chart's own box. */
function showActive(box: HTMLDivElement | null): void {
  const lit = [...(box?.querySelectorAll<SVGGElement>('.leaf.active') ?? [])].at(-1)
  if (box === null || lit === undefined) return
  const [outer, inner] = [box.getBoundingClientRect(), lit.getBoundingClientRect()]
  const isHidden =
    inner.top < outer.top || inner.bottom > outer.bottom || inner.left < outer.left || inner.right > outer.right
  if (!isHidden) return
  const middle = { top: inner.top - outer.top - outer.height / 2, left: inner.left - outer.left - outer.width / 2 }
  box.scrollBy({ ...middle, behavior: 'smooth' })
}
