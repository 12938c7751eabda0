import { type Chart, type ChartArrow, type ChartMarks, type ChartState, lastOf, parentOf, targetsOf } from './chart.ts'
import { checkChart } from './check-given.ts'
import { placesText } from './mark-states.ts'

/**
 * Returns a Mermaid `stateDiagram-v2` of a chart. Mermaid cannot draw an arrow between children of two different
 * composite states: such an arrow connects the composite states, and its label names both ends. Mermaid cannot draw an
 * arrow from a composite state to itself either: these arrows, and transitions that only run actions, are left out.
 * `marks` colours states.
 */
export function drawMermaid(chart: Chart, marks?: ChartMarks): string {
  checkChart(chart, { field: 'chart', owner: 'drawMermaid' })
  const parents = new Set(chart.states.map(({ path }) => parentOf(path)))
  const arrows = chart.states
    .flatMap((state) => state.arrows)
    .flatMap((arrow) => targetsOf(arrow).map((target) => lift(arrow, target)))
    .filter(({ from, to }) => from !== to || !parents.has(from))
  const drawing = { states: chart.states, arrows, marks }
  return ['stateDiagram-v2', ...drawInside('', drawing, '  '), ...classLines(chart.states, marks)].join('\n')
}

interface Lifted {
  readonly inside: string
  readonly from: string
  readonly to: string
  readonly label: string
}

interface Drawing extends Pick<Chart, 'states'> {
  readonly arrows: readonly Lifted[]
  readonly marks: ChartMarks | undefined
}

function drawInside(path: string, drawing: Drawing, indent: string): readonly string[] {
  const { states, arrows } = drawing
  const children = states.filter((state) => state.path !== '' && parentOf(state.path) === path)
  const parent = states.find((state) => state.path === path)
  const isSplit = parent?.kind === 'parallel'
  const drawn = children.flatMap((child, index) => [
    ...(isSplit && index > 0 ? [`${indent}--`] : []),
    ...drawState(child, drawing, indent),
  ])
  return [
    ...(parent?.initial ? [`${indent}[*] --> ${idOf(childOn(path, parent.initial))}`] : []),
    ...drawn,
    ...merge(arrows.filter(({ inside }) => inside === path)).map((line) => `${indent}${line}`),
  ]
}

function drawState(state: ChartState, drawing: Drawing, indent: string): readonly string[] {
  const places = placesText(state.path, drawing.marks)
  const name = plain(lastOf(state.path)) + (places === '' ? '' : ` (${places})`)
  const id = idOf(state.path)
  const title = `${indent}state "${name}" as ${id}`
  const inside = drawInside(state.path, drawing, `${indent}  `)
  if (inside.length > 0) return [`${title} {`, ...inside, `${indent}}`]
  return [title, ...(state.kind === 'final' ? [`${indent}${id} --> [*]`] : [])]
}

function lift({ from, event, guard }: ChartArrow, target: string): Lifted {
  const inside = from === '' ? '' : commonParent(from, target)
  const start = from === '' ? childOn('', target) : childOn(inside, from)
  const end = childOn(inside, target)
  const source = from === '' ? '(anywhere) ' : start === from ? '' : `(${from.slice(start.length + 1)}) `
  const condition = guard === '' ? '' : ` [${shortGuard(guard)}]`
  const arrival = end === target ? '' : ` → ${target.slice(end.length + 1)}`
  return { inside, from: start, to: end, label: plain(`${source}${event}${condition}${arrival}`) }
}

/** Returns a guard with its literal parameters only: `hasPerformed(succeeded)`. */
function shortGuard(guard: string): string {
  const [name = ''] = guard.split('(')
  const literals = [...guard.matchAll(/'([^']*)'/g)].map(([, text]) => text)
  return literals.length === 0 ? name : `${name}(${literals.join(', ')})`
}

function commonParent(from: string, target: string): string {
  let parent = parentOf(from)
  while (parent !== '' && !target.startsWith(`${parent}.`)) parent = parentOf(parent)
  return parent
}

/** Merges all arrows between the same two states into one line, so that a chart stays readable. */
function merge(arrows: readonly Lifted[]): readonly string[] {
  const labels = new Map<string, string[]>()
  for (const { from, to, label } of arrows) {
    const line = `${idOf(from)} --> ${idOf(to)}`
    labels.set(line, [...(labels.get(line) ?? []), label])
  }
  return [...labels].map(([line, texts]) => `${line} : ${[...new Set(texts)].join('<br/>')}`)
}

/** Returns the child of `ancestor` on the way down to `path`. */
function childOn(ancestor: string, path: string): string {
  const depth = ancestor === '' ? 1 : ancestor.split('.').length + 1
  return path.split('.').slice(0, depth).join('.')
}

function idOf(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9]/g, '_')
}

/** Returns the lines that colour the marked states; a folded chart does not have all of them. */
function classLines(states: readonly ChartState[], marks: ChartMarks | undefined): readonly string[] {
  if (marks === undefined) return []
  const known = new Set(states.map(({ path }) => path))
  const passed = [...marks.places.keys()].filter((path) => !marks.active.has(path))
  const line = (paths: Iterable<string>, name: string) =>
    [...paths].filter((path) => known.has(path)).map((path) => `  class ${idOf(path)} ${name}`)
  return [
    '  classDef passed fill:#dbeafe,stroke:#1d4ed8,color:#111827',
    '  classDef active fill:#1d4ed8,stroke:#1e3a8a,color:#ffffff',
    ...line(passed, 'passed'),
    ...line(marks.active, 'active'),
  ]
}

/** Removes the characters that have a meaning in Mermaid's syntax from a label. */
function plain(label: string): string {
  return label
    .replaceAll(/[;#{}"]/g, ' ')
    .replaceAll(/: /g, ' ')
    .replaceAll(/ +/g, ' ')
    .trim()
}
