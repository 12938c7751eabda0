import type { FilePreview } from '../../../adapters/tools/files.ts'
import type { Json } from '../../../index.ts'
import type { Paint } from './cli-io.ts'
import { gutterLines } from './gutter.ts'
import { visibleText } from './safe-text.ts'

/** The maximum number of printed lines of a diff; further lines are counted. */
const diffLines = 60

/** The settings with which a preview is printed. */
export interface PreviewLook {
  readonly paint: Paint
  /** Columns of the terminal; `Infinity` without one. */
  readonly width: number
  readonly isFull: boolean
  /** The hint that says how to see the rest. */
  readonly wayOn: string
  /** Default: the preview, cut if it is long; `rest`: only what was cut there. */
  readonly part?: 'rest'
}

/** Describes a tool's preview of a call: a coloured diff, a text, or other JSON on one line. */
export function describePreview(preview: Json, look: PreviewLook): readonly string[] {
  if (isFilePreview(preview)) return describeChange(preview, look)
  const text = visibleText(typeof preview === 'string' ? preview : JSON.stringify(preview))
  return headed(
    '  preview:',
    cutLines(text.split('\n'), look, () => undefined),
    look,
  )
}

type Change = Pick<FilePreview, 'path' | 'change' | 'diff' | 'added' | 'removed' | 'before' | 'after'>

/** Returns true for a preview of the file tools. */
export function isFilePreview(preview: Json): preview is Change {
  if (typeof preview !== 'object' || preview === null || !('diff' in preview) || !('after' in preview)) return false
  const { diff, after } = preview
  return typeof diff === 'string' && typeof after === 'object' && after !== null && 'before' in preview
}

function describeChange({ change, diff, added, removed, before, after }: Change, look: PreviewLook): readonly string[] {
  const sizes = `${before === null ? 'no file' : sizeOf(before)} → ${sizeOf(after)}`
  if (change === 'none') return headed(`  preview: no change, ${sizeOf(after)}`, [], look)
  const lines = visibleText(diff).replace(/\n$/, '').split('\n')
  const counts = added === null ? '' : ` +${added} −${removed},`
  return headed(`  preview:${counts} ${sizes}`, cutLines(lines, look, styleOf), look)
}

function headed(head: string, lines: readonly string[], { part }: PreviewLook): readonly string[] {
  return part === 'rest' ? lines : [head, ...lines]
}

function sizeOf({ lines, bytes }: { readonly lines: number | null; readonly bytes: number }): string {
  return lines === null ? `${bytes} bytes, no text` : `${lines} ${lines === 1 ? 'line' : 'lines'}, ${bytes} bytes`
}

type Style = Parameters<Paint>[0] | undefined

/** Cuts lines before a nearby hunk, or else between lines, and adds the number of hidden changes. */
function cutLines(
  lines: readonly string[],
  { paint, width, isFull, wayOn, part }: PreviewLook,
  style: (line: string, index: number) => Style,
): readonly string[] {
  const end = isFull || lines.length <= diffLines ? lines.length : hunkBefore(lines)
  const [from, to] = part === 'rest' ? [end, lines.length] : [0, end]
  const shown = lines.slice(from, to).flatMap((line, index) => {
    const own = style(line, from + index)
    return gutterLines(line, width).map(({ gutter, text }) => gutter + (own === undefined ? text : paint(own, text)))
  })
  if (to === lines.length) return shown
  const rest = lines.slice(end)
  const changes = rest.filter((line) => /^[+-]/.test(line)).length
  return [...shown, `  [… ${rest.length} lines are not shown, ${changes} of them changes: ${wayOn}]`]
}

function hunkBefore(lines: readonly string[]): number {
  const start = lines.slice(0, diffLines).findLastIndex((line) => line.startsWith('@@ '))
  return start > diffLines / 2 ? start : diffLines
}

/** Returns the style of a diff's line; the first two lines name the files. */
function styleOf(line: string, index: number): Style {
  if (index < 2 && /^(?:---|\+\+\+) /.test(line)) return 'bold'
  if (line.startsWith('+')) return 'green'
  if (line.startsWith('-')) return 'red'
  return line.startsWith('@@ ') ? 'cyan' : undefined
}
