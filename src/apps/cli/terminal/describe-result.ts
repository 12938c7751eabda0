import { textOf } from '../../../index.ts'
import type { ToolResultMessage } from '../../../ports.ts'
import { counted } from './cli-error.ts'
import { cutToColumns } from './columns.ts'
import { gutter } from './gutter.ts'
import { oneLine, plainText } from './safe-text.ts'

/** The maximum numbers of displayed rows of a result while a run is driven: of one that ended well, and of others. */
const mostRows = { well: 4, other: 12 }

/** The maximum number of characters of an argument beside the name of a tool. */
const mostTitle = 60

/**
 * Returns the first lines of a result with a gutter, each cut to one row, and the number of further lines. For a failed
 * command, returns the last lines instead.
 */
export function previewResult(result: ToolResultMessage, width: number): readonly string[] {
  const text = plainText(textOf(result)).replaceAll('\t', '  ').trim()
  const images = result.content.filter(({ type }) => type === 'image').length
  const files = result.content.filter(({ type }) => type === 'file').length
  const lines = text === '' ? [] : text.split('\n')
  const isEnd = result.status === 'warning' || result.status === 'error'
  const most = isEnd ? mostRows.other : mostRows.well
  const more = lines.length - most
  const rows = more > 0 ? most - 1 : most
  const rest = more > 0 ? [`[… ${lines.length - rows} lines ${isEnd ? 'before' : 'more'}]`] : []
  return [
    ...(isEnd ? [...rest, ...lines.slice(-rows)] : [...lines.slice(0, rows), ...rest]),
    ...(images > 0 ? [`[${counted(images, 'image')}]`] : []),
    ...(files > 0 ? [`[${counted(files, 'file')}]`] : []),
  ].map((line) => gutter + cutToColumns(line, Math.max(20, width - gutter.length - 1)))
}

/** Returns the first text among the arguments of a call, such as a path or a command, on one line; empty without one. */
export function titleOf(given: unknown): string {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return ''
  const text = Object.values(given).find((value) => typeof value === 'string')
  return text === undefined ? '' : oneLine(text, mostTitle)
}
