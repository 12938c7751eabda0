import type { ImageContent, Said, TextContent } from '../../ports.ts'
import type { PromptMessage } from '../../index.ts'
import { clientIdMessage } from '../chat/client-id.ts'
import { HttpError } from '../http/http-error.ts'
import type { ChatMessage } from './read-chat.ts'

/**
 * What a user has said: texts and pictures, in their order. Before it stands the id that the client gave it, so that a
 * request that comes again begins nothing. Throws an `HttpError` for a file that is refused; nothing is fetched.
 */
export function promptOf({ id, parts }: ChatMessage): Said {
  const content = parts.flatMap((part): readonly (TextContent | ImageContent)[] => {
    if (part['type'] === 'text' && typeof part['text'] === 'string') return [{ type: 'text', text: part['text'] }]
    return part['type'] === 'file' ? [fileOf(part)] : []
  })
  if (content.length === 0) throw new HttpError(400, 'bad_prompt', 'The last message has neither a text nor a file.')
  const said: PromptMessage = { role: 'user', content }
  return [clientIdMessage(id), said]
}

const dataUrl = /^data:([\w.+-]+\/[\w.+-]+)((?:;[\w.+-]+=[^;,]{1,100}){0,5})(;base64)?,/

function fileOf({ url, filename }: Readonly<Record<string, unknown>>): TextContent | ImageContent {
  const text = typeof url === 'string' ? url : ''
  const [head, mimeType = '', , base64] = dataUrl.exec(text) ?? []
  const data = head === undefined ? '' : text.slice(head.length)
  if (mimeType.startsWith('image/') && base64 !== undefined && isBase64(data)) return { type: 'image', data, mimeType }
  if (mimeType.startsWith('text/') || mimeType === 'application/json')
    return { type: 'text', text: textIn(data, base64) }
  const name = typeof filename === 'string' ? ` "${filename.slice(0, 80)}"` : ''
  const wish = 'Expected an image or a text as a data: URL; a file that lies elsewhere is not fetched.'
  throw new HttpError(400, 'file_refused', `The file${name} is refused. ${wish}`)
}

function isBase64(data: string): boolean {
  return data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data)
}

function textIn(data: string, base64: string | undefined): string {
  try {
    if (base64 === undefined) return decodeURIComponent(data)
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new HttpError(400, 'file_refused', 'A file is refused. Expected UTF-8 text in its data: URL.')
  }
}
