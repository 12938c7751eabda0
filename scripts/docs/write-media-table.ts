import type { MediaRule } from '../../src/core/domain/media.ts'
import { type Accepted, accepted } from '../../src/adapters/providers/wire/accepted.ts'

const begin = '<!-- What each wire takes: written by `npm run docs` -->'
const end = '<!-- end -->'

/** Returns the page with the table of what each wire takes, between its two marks. Throws if a mark is missing. */
export function withMediaTable(page: string): string {
  const [before, rest] = page.split(begin)
  const behind = rest?.split(end)[1]
  if (before === undefined || behind === undefined)
    throw new Error(`The page of models needs the marks ${begin} and ${end}.`)
  const rows = Object.entries<Accepted>(accepted).map(([wire, rules]) => {
    const { pictures, files, mediaBytes, beginsWithUser } = rules
    const cells = [
      `\`${wire}\``,
      told(pictures),
      told(files),
      megabytes(mediaBytes),
      beginsWithUser ? 'a user' : 'any',
      'an object',
    ]
    return `| ${cells.join(' | ')} |`
  })
  const head = ['Wire', 'Pictures', 'Files', 'Media of a request', 'First message', 'Root of an output schema']
  const table = [`| ${head.join(' | ')} |`, `|${' --- |'.repeat(head.length)}`, ...rows]
  return `${before}${begin}\n\n${table.join('\n')}\n\n${end}${behind}`
}

function told({ types, bytes, count }: MediaRule): string {
  if (types.length === 0) return 'none'
  return `${types.map(shortType).join(', ')}; ${megabytes(bytes)} each, ${count} in a request`
}

const shortNames: Readonly<Record<string, string>> = {
  'application/pdf': 'PDF',
  'application/msword': 'DOC',
  'application/vnd.ms-excel': 'XLS',
  'application/vnd.ms-powerpoint': 'PPT',
}

function shortType(type: string): string {
  const office = /\.(word|spreadsheet|presentation)/.exec(type)?.[1]
  if (office !== undefined) return { word: 'DOCX', spreadsheet: 'XLSX', presentation: 'PPTX' }[office] ?? type
  return shortNames[type] ?? (type.startsWith('image/') ? type.slice('image/'.length).toUpperCase() : type)
}

function megabytes(bytes: number): string {
  return `${bytes / 1_000_000} MB`
}
