import type { ImageContent, TextContent } from '../../../core/domain/message.ts'
import { mendedPicture } from '../../../core/domain/picture.ts'
import { isRecord } from '../../../core/domain/text/json.ts'
import { cutText } from '../foreign-text.ts'

/** Characters of a server's own word for a kind of block or data. */
const maxWord = 100

/**
 * Returns one block of a result as models read it: a text or a picture as it is, and a line that names any other block.
 * A block of another form costs its own place, never the result, whose work has been done.
 */
export function readBlock(block: unknown): TextContent | ImageContent {
  if (typeof block === 'string') return text(block)
  if (!isRecord(block)) return text('[Left out: a block that is not an object]')
  const { type, data, mimeType, uri, description } = block
  switch (type) {
    case 'image':
      return picture(data, mimeType) ?? leftOut('image', mimeType, data)
    case 'audio':
      return leftOut('audio', mimeType, data)
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

function readResource(resource: unknown): TextContent | ImageContent {
  if (!isRecord(resource)) return leftOut('a resource without contents')
  const { uri, mimeType, blob } = resource
  const name = typeof uri === 'string' ? ` ${uri}` : ''
  if (typeof resource['text'] === 'string') return text(`[Resource${name}]\n${resource['text']}`)
  return picture(blob, mimeType) ?? leftOut(`resource${name}`, mimeType ?? 'application/octet-stream', blob)
}

function picture(data: unknown, mimeType: unknown): ImageContent | undefined {
  if (typeof data !== 'string') return undefined
  return mendedPicture({ type: 'image', data, mimeType: typeof mimeType === 'string' ? mimeType : '' })
}

function leftOut(what: string, mimeType?: unknown, base64?: unknown): TextContent {
  const kind = typeof mimeType === 'string' ? [cutText(mimeType, maxWord, '…')] : []
  const size = typeof base64 === 'string' ? [`${Math.floor((base64.length * 3) / 4)} bytes`] : []
  return text(`[Left out: ${[what, ...kind, ...size].join(', ')}]`)
}

function text(value: string): TextContent {
  return { type: 'text', text: value }
}
