/** A printed line with the time at which it appeared, in milliseconds from the start. */
export interface RecordedLine {
  readonly text: string
  readonly atMs: number
}

const palettes = {
  dark: { ground: '#0d1117', bad: '#ff7b72', text: '#e6edf3', asks: '#e3b341', good: '#7ee787', other: '#8b949e' },
  light: { ground: '#f6f8fa', bad: '#cf222e', text: '#1f2328', asks: '#9a6700', good: '#1a7f37', other: '#59636e' },
}

/** The colours of a picture. */
export type Scheme = keyof typeof palettes

/** The colour of the first pattern that a line matches. */
const colours: readonly (readonly [RegExp, 'bad' | 'text' | 'asks' | 'good'])[] = [
  [/SIGKILL|inside note|^Killed/, 'bad'],
  [/^\$|^Process|^An agent/, 'text'],
  [/suspended|interrupted|waiting|otherwise|broken by|would ask/, 'asks'],
  [/approved|succeeded|Everything held|proven within|says the ledger/, 'good'],
]

const columns = 104
const row = 18
const edge = 16

/** Pauses between lines are kept within these limits, so that the picture can be read and ends soon. */
const pauses = { least: 60, most: 900 }
const holdMs = 6_000

/** Draws a recorded terminal as an animated SVG that begins again after its end. */
export function drawRecording(lines: readonly RecordedLine[], scheme: Scheme): string {
  const times = shownAt(lines)
  const cycle = (times.at(-1) ?? 0) + holdMs
  const appears = (index: number) =>
    `<animate attributeName="opacity" values="0;1;1" keyTimes="0;${((times[index] ?? 0) / cycle).toFixed(4)};1" calcMode="discrete" dur="${cycle}ms" repeatCount="indefinite"/>`
  const rows = lines.map(({ text }, index) => drawLine(text, index, scheme, appears(index)))
  return drawTerminal('A recording of npm start', rows, scheme)
}

/** Draws lines of a terminal as an SVG that stands still. */
export function drawLines(label: string, lines: readonly string[]): string {
  return drawTerminal(
    label,
    lines.map((text, index) => drawLine(text, index, 'dark', '')),
    'dark',
  )
}

function drawTerminal(label: string, rows: readonly string[], scheme: Scheme): string {
  const [width, height] = [columns * 7.85 + 2 * edge, rows.length * row + 2 * edge]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(label)}">
<rect width="100%" height="100%" rx="8" fill="${palettes[scheme].ground}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13">
${rows.join('\n')}
</g>
</svg>
`
}

function shownAt(lines: readonly RecordedLine[]): readonly number[] {
  let [before, shown] = [0, 0]
  return lines.map(({ atMs }) => {
    shown += Math.min(Math.max(atMs - before, pauses.least), pauses.most)
    before = Math.max(atMs, before)
    return Math.round(shown)
  })
}

function drawLine(text: string, index: number, scheme: Scheme, appears: string): string {
  const colour = palettes[scheme][colours.find(([pattern]) => pattern.test(text))?.[1] ?? 'other']
  const cut = text.length > columns ? `${text.slice(0, columns - 1)}…` : text
  const indent = text.length - text.trimStart().length
  return `<text x="${edge + indent * 8}" y="${edge + (index + 0.75) * row}" fill="${colour}">${escaped(cut.trimStart())}${appears}</text>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
