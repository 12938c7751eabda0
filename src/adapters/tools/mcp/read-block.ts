import { readBlock as judged } from '../../../core/domain/read-block.ts'
import type { ShownContent, TextContent } from '../../../core/domain/message.ts'
import { isRecord } from '../../../core/domain/text/json.ts'
import { cutText } from '../foreign-text.ts'

const maxWord = 100

/** Returns a block of a result in the form for models. A line of text names a block that they do not accept. */
export function readBlock(block: unknown): ShownContent {
  if (typeof block === 'string') return text(block)
  if (!isRecord(block)) return text('[Left out: a block that is not an object]')
  const { type, data, mimeType, uri, description } = block
  switch (type) {
    case 'image':
    case 'audio':
      return media({ type: type === 'image' ? type : 'file', data, mimeType }) ?? leftOut(type, mimeType, data)
    case 'resource_link':
      return text(`[${['Resource', uri, description].filter((part) => typeof part === 'string').join(' ')}]`)
    case 'resource':
      return readResource(block['resource'])
    default:
      return typeof block['text'] === 'string' ? text(block['text']) : leftOut(nameOf(type), mimeType, data)
  }
}

function nameOf(type: unknown): string {
  if (type === 'text') return 'a text block without text'
  return typeof type === 'string'
    ? `a block of type ${JSON.stringify(cutText(type, maxWord, '…'))}`
    : 'a block without a type'
}

function readResource(resource: unknown): ShownContent {
  if (!isRecord(resource)) return leftOut('a resource without contents')
  const { uri, mimeType, blob } = resource
  const name = typeof uri === 'string' ? ` ${uri}` : ''
  if (typeof resource['text'] === 'string') return text(`[Resource${name}]\n${resource['text']}`)
  return (
    media({ type: 'file', data: blob, mimeType, name: uri }) ??
    leftOut(`resource${name}`, mimeType ?? 'application/octet-stream', blob)
  )
}

function media(block: Readonly<Record<string, unknown>>): ShownContent | undefined {
  return typeof block['data'] === 'string' ? judged(block).block : undefined
}

function leftOut(what: string, mimeType?: unknown, base64?: unknown): TextContent {
  const kind = typeof mimeType === 'string' ? [cutText(mimeType, maxWord, '…')] : []
  const size = typeof base64 === 'string' ? [`${Math.floor((base64.length * 3) / 4)} bytes`] : []
  return text(`[Left out: ${[what, ...kind, ...size].join(', ')}]`)
}

/** Returns a block of text. */
export function text(value: string): TextContent {
  return { type: 'text', text: value }
}
