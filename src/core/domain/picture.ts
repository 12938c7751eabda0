import type { ImageContent } from './message.ts'

/** The maximum size in bytes of a picture that every wire's models accept. */
export const pictureLimit = 3_750_000

/** Returns the number of bytes in base64 of this length. */
export function pictureBytes({ data }: Pick<ImageContent, 'data'>): number {
  return Math.floor((data.length * 3) / 4) - (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0)
}

const mended = new WeakMap<ImageContent, ImageContent | 'unreadable'>()

/**
 * Returns a picture with plain base64 and the type of its first bytes: it removes the prefix of a `data:` URL, converts
 * the other base64 alphabet, and corrects a wrong type. Returns undefined if models cannot read the picture's format.
 */
export function mendedPicture(block: ImageContent): ImageContent | undefined {
  const known = mended.get(block) ?? mend(block) ?? 'unreadable'
  mended.set(block, known)
  return known === 'unreadable' ? undefined : known
}

function mend(block: ImageContent): ImageContent | undefined {
  const data = plainBase64(block.data)
  if (data === undefined) return undefined
  const head = Uint8Array.from(atob(data.slice(0, 24)), (letter) => letter.charCodeAt(0))
  const mimeType = imageType(head)
  if (mimeType === undefined) return undefined
  return data === block.data && mimeType === block.mimeType ? block : { ...block, data, mimeType }
}

function plainBase64(given: string): string | undefined {
  if (isPlain(given)) return given
  const text = given.startsWith('data:') ? given.slice(given.indexOf(',') + 1) : given
  const letters = text
    .replaceAll(/[\s=]+/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
  const whole = letters + '='.repeat((4 - (letters.length % 4)) % 4)
  return isPlain(whole) ? whole : undefined
}

function isPlain(text: string): boolean {
  return text !== '' && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)
}

/** Returns the MIME type of a picture that models can read, by its first bytes, or undefined for anything else. */
export function imageType(head: Uint8Array): string | undefined {
  return signatures.find(({ parts }) => parts.every(([offset, bytes]) => matches(head, offset, bytes)))?.mimeType
}

const ascii = (text: string) => [...text].map((character) => character.charCodeAt(0))

interface Signature {
  readonly mimeType: string
  readonly parts: readonly (readonly [offset: number, bytes: readonly number[]])[]
}

const signatures: readonly Signature[] = [
  { mimeType: 'image/png', parts: [[0, [0x89, ...ascii('PNG\r\n'), 0x1a, 0x0a]]] },
  { mimeType: 'image/jpeg', parts: [[0, [0xff, 0xd8, 0xff]]] },
  { mimeType: 'image/gif', parts: [[0, ascii('GIF8')]] },
  {
    mimeType: 'image/webp',
    parts: [
      [0, ascii('RIFF')],
      [8, ascii('WEBP')],
    ],
  },
]

function matches(head: Uint8Array, offset: number, bytes: readonly number[]): boolean {
  return bytes.every((byte, index) => head[offset + index] === byte)
}
