/** MIME type of the image formats models take, told by a file's first bytes; undefined for anything else. */
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
