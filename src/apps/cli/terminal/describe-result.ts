import { textOf } from '../../../index.ts'
import type { ToolResultMessage } from '../../../ports.ts'
import { counted } from './cli-error.ts'
import { cutToColumns } from './columns.ts'
import { gutter } from './gutter.ts'
import { plainText } from './safe-text.ts'

/** The maximum number of displayed rows of a result while a run is driven. */
const mostRows = 4

/** Returns the first lines of a result behind the gutter, each cut to one row, and the number of further lines. */
export function previewResult(result: ToolResultMessage, width: number): readonly string[] {
  const text = plainText(textOf(result)).replaceAll('\t', '  ').trim()
  const images = result.content.filter(({ type }) => type === 'image').length
  const files = result.content.filter(({ type }) => type === 'file').length
  const lines = text === '' ? [] : text.split('\n')
  const more = lines.length - mostRows
  const shown = more > 0 ? lines.slice(0, mostRows - 1) : lines
  return [
    ...shown,
    ...(more > 0 ? [`[… ${lines.length - shown.length} lines more]`] : []),
    ...(images > 0 ? [`[${counted(images, 'image')}]`] : []),
    ...(files > 0 ? [`[${counted(files, 'file')}]`] : []),
  ].map((line) => gutter + cutToColumns(line, Math.max(20, width - gutter.length - 1)))
}
