import { decodedText } from './text/base64.ts'

/** The media type of some bytes, their text, or the problem with them. */
export type Typed =
  | { readonly type: string; readonly text?: undefined; readonly problem?: undefined }
  | { readonly text: string; readonly problem?: undefined }
  | { readonly problem: string }

/** Returns the type of a file by its first bytes, else by its label, else by its name's extension. */
export function typeFor(label: string, kind: 'image' | 'file', name: string | undefined, data: string): Typed {
  const head = Uint8Array.from(atob(data.slice(0, 1_368)), (letter) => letter.charCodeAt(0))
  const found = beginning(head)
  const ending = endings.get(name?.slice(name.lastIndexOf('.') + 1).toLowerCase() ?? '')
  const said = label === '' || label === 'application/octet-stream' ? (ending ?? '') : label
  if (found?.isWhole === true) return { type: found.type }
  if (found !== undefined) {
    return found.holds.test(said)
      ? { type: said }
      : { problem: `${said === '' ? 'its type is unknown' : `it says ${said}`}, and its bytes are ${found.what}` }
  }
  if (said === svg || isTextType(said) || (said === '' && kind === 'file')) {
    const text = decodedText(data)
    if (text !== undefined) return text.trim() === '' ? { problem: 'it is empty' } : { text }
    return { problem: `${said === '' ? 'its type is unknown' : `it says ${said}`}, and it is not UTF-8 text` }
  }
  if (kind === 'image' || said.startsWith('image/')) return { problem: 'it is not a PNG, JPEG, GIF or WebP image' }
  const isTold = signatures.some(({ type, holds }) => type === said || holds.test(said))
  if (isTold) return { problem: `its declared type is ${said}, but its bytes have another type` }
  return isType.test(said)
    ? { type: said }
    : { problem: `its type ${JSON.stringify(said.slice(0, 100))} is not a media type` }
}

const isType = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,60}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,100}$/
const svg = 'image/svg+xml'

function isTextType(type: string): boolean {
  return /^text\/|^application\/(json|xml|yaml|x-yaml|toml|javascript|x-javascript|typescript|x-ndjson|sql|graphql|x-sh)$|\+(json|xml|yaml)$/.test(
    type,
  )
}

/** Returns the type of a picture or a PDF by its first bytes; undefined for anything else. */
export function fileTypeOf(head: Uint8Array): string | undefined {
  const found = beginning(head.subarray(0, 1_026))
  return found?.isWhole === true ? found.type : undefined
}

const office = 'application/vnd.openxmlformats-officedocument.'

/** Types by the ending of a name, if nothing else determines the type. */
const endings: ReadonlyMap<string, string> = new Map(
  Object.entries({
    pdf: 'application/pdf',
    zip: 'application/zip',
    docx: `${office}wordprocessingml.document`,
    xlsx: `${office}spreadsheetml.sheet`,
    pptx: `${office}presentationml.presentation`,
    doc: 'application/msword',
    xls: 'application/vnd.ms-excel',
    csv: 'text/csv',
    md: 'text/markdown',
    html: 'text/html',
    json: 'application/json',
    svg,
    wav: 'audio/wav',
    mp3: 'audio/mpeg',
    mp4: 'video/mp4',
  }),
)

function beginning(head: Uint8Array): Signature | undefined {
  const hex = Array.from(head, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return signatures.find(({ mark }) => mark.test(hex))
}

interface Signature {
  /** The hex digits of the first bytes. */
  readonly mark: RegExp
  readonly type: string
  readonly what: string
  /** True if the mark alone determines the type. */
  readonly isWhole: boolean
  readonly holds: RegExp
}

function picture(name: string, mark: RegExp): Signature {
  return { mark, type: `image/${name}`, what: `a picture`, isWhole: true, holds: /^$/ }
}

const signatures: readonly Signature[] = [
  picture('png', /^89504e470d0a1a0a/),
  picture('jpeg', /^ffd8ff/),
  picture('gif', /^47494638/),
  picture('webp', /^52494646.{8}57454250/),
  {
    mark: /^(efbbbf)?(09|0a|0d|20){0,100}255044462d/,
    type: 'application/pdf',
    what: 'a PDF',
    isWhole: true,
    holds: /^application\/(x-)?pdf$/,
  },
  {
    mark: /^504b0304/,
    type: 'application/zip',
    what: 'a ZIP archive',
    isWhole: false,
    holds: /zip|^application\/(vnd\.(openxmlformats|oasis|ms-|android)|java-archive)/,
  },
  {
    mark: /^d0cf11e0/,
    type: 'application/x-ole-storage',
    what: 'an old office document',
    isWhole: false,
    holds: /^application\/(msword|vnd\.ms-|x-ole-storage)/,
  },
]

/** The media types of pictures that models read. */
export const pictureTypes: ReadonlySet<string> = new Set(
  signatures.flatMap(({ type }) => (type.startsWith('image/') ? [type] : [])),
)
