import type { Reading, Shown } from './reading.ts'

/** A picture or a file of another format: bytes as base64 or in a data URL, an address, or a text. */
export interface ForeignMedia {
  readonly mediaType?: unknown
  /** Base64, a data URL or an address. */
  readonly data?: unknown
  readonly text?: unknown
  readonly name?: unknown
}

/**
 * Returns the blocks of a picture, or of a text file as text. Other files and addresses are left out, because our
 * messages cannot hold them; an address is never fetched.
 */
export function mediaBlocks(media: ForeignMedia, reading: Reading): readonly Shown[] {
  const { text, name } = media
  const title = typeof name === 'string' ? ` "${name.slice(0, 100)}"` : ''
  if (typeof text === 'string') return [{ type: 'text', text }]
  const { mimeType, data } = bytesOf(media)
  const what = mimeType.startsWith('image') ? 'image' : 'file'
  if (data === undefined) return reading.leave(what, `its bytes${title} are not in the transcript`)
  if (!/^[A-Za-z0-9+/_=\s-]+$/.test(data)) return reading.leave(what, `its bytes${title} are no base64`)
  if (mimeType.startsWith('image/')) return [{ type: 'image', data, mimeType }]
  const isText = mimeType.startsWith('text/') || mimeType === 'application/json'
  const decoded = isText ? decodedText(data) : undefined
  if (decoded !== undefined) return [{ type: 'text', text: decoded }]
  return reading.leave(what, `no message can hold a file${title} of ${mimeType === '' ? 'an unknown type' : mimeType}`)
}

function bytesOf({ mediaType, data }: ForeignMedia): { readonly mimeType: string; readonly data?: string } {
  const mimeType = typeof mediaType === 'string' ? mediaType.slice(0, 100) : ''
  if (typeof data !== 'string' || /^https?:/i.test(data)) return { mimeType }
  if (!data.startsWith('data:')) return { mimeType, data }
  const comma = data.indexOf(',')
  const head = data.slice('data:'.length, Math.max(comma, 0))
  const [type = ''] = head.split(';')
  return head.endsWith(';base64') ? { mimeType: type, data: data.slice(comma + 1) } : { mimeType: type }
}

function decodedText(base64: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
