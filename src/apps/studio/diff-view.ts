import { type ComponentChild, h } from 'preact'
import type { Json } from '../../index.ts'
import { valueText } from './format.ts'
import { shownText } from './shown-text.ts'
import { LongText } from './transcript.ts'

const mostLines = 400

/** The preview of a call by its tool: a diff in colours, or text. */
export function Preview({ preview }: { readonly preview: Json }): ComponentChild {
  const diff = diffIn(preview)
  if (diff === undefined) return h('div', { class: 'preview' }, h(LongText, { text: valueText(preview), isCode: true }))
  const lines = shownText(diff).replace(/\n$/, '').split('\n')
  const rest = lines.length - mostLines
  return h('div', { class: 'preview diff', role: 'group', 'aria-label': 'What would change', tabIndex: 0 }, [
    ...lines
      .slice(0, mostLines)
      .map((line, index) => h('div', { key: index, class: classOf(line, index) }, line === '' ? ' ' : line)),
    rest > 0 && h('p', { class: 'note' }, `${rest} lines more`),
  ])
}

function diffIn(preview: Json): string | undefined {
  if (typeof preview !== 'object' || preview === null || !('diff' in preview)) return undefined
  return typeof preview.diff === 'string' && preview.diff !== '' ? preview.diff : undefined
}

/** The first two lines name the files. */
function classOf(line: string, index: number): string {
  if (index < 2 && /^(?:---|\+\+\+) /.test(line)) return 'file'
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : line.startsWith('@@') ? 'hunk' : ''
}
