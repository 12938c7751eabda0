import { type Chart, type ChartMarks, lastOf } from './chart.ts'
import { checkChart } from './check-given.ts'
import { placesText } from './mark-states.ts'
import { type Lane, layOut, type PlacedState } from './svg-layout.ts'

/** Options of an SVG drawing. */
export interface SvgOptions {
  readonly marks?: ChartMarks
  /** The heading. Default: the name of the chart. */
  readonly title?: string
}

/**
 * Returns a self-contained SVG of a chart, with light and dark styles and without scripts. States are listed in the
 * order of the chart, children inside their parents, each with its transitions as text. One line per target state
 * connects the transitions to the state that they enter.
 *
 * @example
 * await writeFile('run.svg', drawSvg(foldChart(readChart(runMachine))))
 */
export function drawSvg(chart: Chart, options: SvgOptions = {}): string {
  checkChart(chart, { field: 'chart', owner: 'drawSvg' })
  const { marks, title = chart.name } = options
  const { states, lanes, width, height } = layOut(chart, (path) => placesText(path, marks))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">`,
    `<style>${svgStyle}</style>`,
    `<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>`,
    `<rect class="page" width="${width}" height="${height}"/>`,
    `<text class="title" x="16" y="26">${escaped(title)}</text>`,
    ...states.map((state) => drawBox(state, marks)),
    ...lanes.map(drawLane),
    ...states.map((state) => drawTexts(state, marks)),
    '</svg>',
    '',
  ].join('\n')
}

function drawBox({ state, x, y, width, height }: PlacedState, marks: ChartMarks | undefined): string {
  if (state.path === '') return ''
  const isActive = marks?.active.has(state.path) === true
  const mark = isActive ? ' active' : marks?.places.has(state.path) === true ? ' passed' : ''
  const box = `x="${x}" y="${y}" width="${width}" height="${height}"`
  const inner = `x="${x + 3}" y="${y + 3}" width="${width - 6}" height="${height - 6}"`
  return [
    `<g class="${state.kind}${mark}"><title>${escaped(about(state.path, state.description))}</title>`,
    `<rect id="${idOf(state.path)}" class="state" ${box} rx="6"/>`,
    ...(state.kind === 'final' ? [`<rect class="inner" ${inner} rx="4"/>`] : []),
    '</g>',
  ].join('')
}

function about(path: string, description: string): string {
  return description === '' ? path : `${path}: ${description}`
}

function drawTexts({ state, x, y, isInitial, places, rows }: PlacedState, marks: ChartMarks | undefined): string {
  const isActive = marks?.active.has(state.path) === true
  const start = isInitial ? `<circle class="start" cx="${x + 12}" cy="${y + 14}" r="4"/>` : ''
  const number = places === '' ? '' : `<tspan class="places" dx="8">${escaped(places)}</tspan>`
  const name = state.path === '' ? 'in every state' : lastOf(state.path) + kindText(state.kind)
  const heading = state.path === '' && rows.length === 0 ? '' : `${escaped(name)}${number}`
  return [
    `<g class="texts${isActive ? ' lit' : ''}">${start}<text class="name" x="${x + (isInitial ? 22 : 10)}" y="${y + 18}">${heading}</text>`,
    ...rows.map(
      (row) =>
        `<text class="row" x="${x + 22}" y="${row.y + 4}"><title>${escaped(row.whole)}</title>${escaped(row.text)}</text>`,
    ),
    '</g>',
  ].join('')
}

function kindText(kind: string): string {
  return kind === 'parallel' || kind === 'history' ? ` (${kind})` : ''
}

function drawLane({ x, tone, target, stubs }: Lane): string {
  const ys = [target.y, ...stubs.map(({ y }) => y)]
  const way = `M${x} ${Math.min(...ys)}V${Math.max(...ys)}`
  const ends = stubs.map((stub) => `M${stub.x} ${stub.y}H${x}`).join('')
  return [
    `<g class="lane tone${tone}"><path d="${way}${ends}"/>`,
    `<path marker-end="url(#tip)" d="M${x} ${target.y}H${target.x}"/>`,
    ...stubs.map((stub) => `<circle cx="${stub.x}" cy="${stub.y}" r="2"/>`),
    '</g>',
  ].join('')
}

function idOf(path: string): string {
  return `state-${escaped(path.replaceAll(/\s/g, '_'))}`
}

/** Escapes text for SVG and removes characters that XML does not allow. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

const tonesLight = ['#1d4ed8', '#b45309', '#047857', '#7c3aed', '#be123c', '#475569']
const tonesDark = ['#93c5fd', '#fcd34d', '#6ee7b7', '#c4b5fd', '#fda4af', '#cbd5e1']

/** The style of a chart's SVG, for light and dark. */
const svgStyle = [
  'text{font:12px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2937}',
  '.title{font-size:16px;font-weight:700}.name{font-weight:700}.row{font-size:11px}.places{fill:#1d4ed8;font-weight:400}',
  '.page{fill:#ffffff}.state{fill:#f8fafc;stroke:#64748b}.inner{fill:none;stroke:#64748b}.start{fill:#1f2937}',
  '.parallel .state{stroke-dasharray:6 3}.passed .state{fill:#dbeafe;stroke:#1d4ed8}',
  '.active .state{fill:#bfdbfe;stroke:#1d4ed8;stroke-width:2.5}.lane path{fill:none;stroke-width:1.2}marker path{fill:#475569}',
  ...tonesLight.map((tone, index) => `.tone${index} path{stroke:${tone}}.tone${index} circle{fill:${tone}}`),
  '@media (prefers-color-scheme:dark){text{fill:#e5e7eb}.page{fill:#0f172a}.state{fill:#1e293b;stroke:#94a3b8}.inner{stroke:#94a3b8}',
  '.start{fill:#e5e7eb}.places{fill:#93c5fd}.passed .state{fill:#1e3a5f;stroke:#60a5fa}.active .state{fill:#1e40af;stroke:#93c5fd}',
  'marker path{fill:#cbd5e1}',
  ...tonesDark.map((tone, index) => `.tone${index} path{stroke:${tone}}.tone${index} circle{fill:${tone}}`),
  '}',
].join('\n')
