import { drawMermaid } from '../../src/core/charts/draw-mermaid.ts'
import { foldChart } from '../../src/core/charts/fold-chart.ts'
import type { Chart, ChartState } from '../../src/core/charts/chart.ts'

/**
 * Returns the documentation page of one chart: an overview if it has compound states, the whole diagram, and a table of
 * its states.
 */
export function writePage(chart: Chart): string {
  const rows = chart.states.filter(({ path }) => path !== '').map(rowOf)
  const folded = foldChart(chart)
  const [root] = chart.states
  const anywhere = root === undefined ? [] : root.arrows.map(arrowText)
  return [
    `# The machine \`${chart.name}\``,
    '',
    `<!-- Generated from machines/${chart.name} by \`npm run docs\`; do not edit. -->`,
    '',
    ...(chart.description === '' ? [] : [chart.description, '']),
    ...(folded === chart
      ? []
      : ['From compound to compound:', '', '```mermaid', drawMermaid(folded), '```', '', 'State by state:', '']),
    '```mermaid',
    drawMermaid(chart),
    '```',
    '',
    ...(anywhere.length === 0 ? [] : ['In every state:', '', ...anywhere.map((text) => `- ${text}`), '']),
    '| State | What it is | On entry, invokes | Goes on |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

function rowOf({ path, kind, description, entry, invokes, arrows }: ChartState): string {
  const marks = kind === 'atomic' || kind === 'compound' ? '' : ` *(${kind})*`
  const does = [...entry, ...invokes.map((invoke) => `invokes ${invoke}`)].map(code)
  const cells = [`\`${path}\`${marks}`, description, does.join('<br>'), arrows.map(arrowText).join('<br>')]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function arrowText({ event, guard, to }: ChartState['arrows'][number]): string {
  return `${code(event)}${guard === '' ? '' : ` if ${code(guard)}`} → ${to === null ? 'stays' : code(to)}`
}

function code(text: string): string {
  return `\`${text}\``
}
