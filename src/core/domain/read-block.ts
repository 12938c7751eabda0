import { cleaned, leftOut, mediaBytes, mediaLimits, nameOf } from './media.ts'
import { pictureTypes, typeFor } from './media-type.ts'
import type { FileContent, ImageContent, ShownContent, TextContent } from './message.ts'
import { bytesIn } from './text/base64.ts'
import { isRecord } from './text/json.ts'

/** A block as it is stored, or the reason for rejecting it, as the rest of a sentence that names it. */
export type ReadBlock =
  | { readonly block: ShownContent; readonly problem?: undefined }
  | { readonly block?: undefined; readonly problem: string }

/** The verdicts on blocks that cannot change any more. Every other block is judged again. */
const known = new WeakMap<object, ReadBlock>()

/**
 * Judges a block that enters a transcript or leaves for a model.
 *
 * - A text stays as it is. A text file becomes a text, and so does an SVG, which no model is shown as a picture.
 * - The bytes of a picture or a file become plain base64: a `data:` address is taken apart, and the URL alphabet replaced.
 * - The first bytes decide the type. If they contradict the label without naming a type, the block is refused.
 * - A name loses its folders and its invisible characters.
 *
 * It reads the fields of other libraries too (`data`, `url`, `image`; `mediaType`, `mimeType`; `name`, `filename`). It
 * fetches nothing and opens no path.
 */
export function readBlock(given: unknown): ReadBlock {
  if (!isRecord(given)) return { problem: 'it is not an object' }
  const found = known.get(given) ?? judged(given)
  if (Object.isFrozen(given)) known.set(given, found)
  return found
}

/** Returns a block as it is stored, or a text that says what was left out and why. */
export function keptBlock(given: unknown): ShownContent {
  const { block, problem } = readBlock(given)
  return block ?? leftOut(given, problem)
}

function judged(given: Readonly<Record<string, unknown>>): ReadBlock {
  const { type, text } = given
  if (type === 'text') {
    return typeof text === 'string' ? { block: given as unknown as TextContent } : { problem: 'its text is missing' }
  }
  if (type !== 'image' && type !== 'file') return { problem: `expected { type: 'text', text }, or ${mediaWish}` }
  const source = given['data'] ?? given['image'] ?? given['url']
  const label = given['mediaType'] ?? given['mimeType']
  if (typeof source !== 'string') return { problem: `its bytes are missing: expected ${mediaWish}` }
  const most = mediaLimits[type]
  if (/^(?!data:)[a-z][a-z0-9+.-]*:/i.test(source)) return { problem: 'it is an address, and nothing is fetched' }
  if (source.length > most * 2) return { problem: tooLarge(mediaBytes({ data: source }), most) }
  const { data, label: told = label } = bytesIn(source)
  if (data === undefined)
    return { problem: source === '' ? 'it is empty' : `its data is not base64: expected ${mediaWish}` }
  const bytes = mediaBytes({ data })
  if (bytes === 0) return { problem: 'it is empty' }
  const name = nameOf(given['name'] ?? given['filename'])
  const typed = typeFor(typeof told === 'string' ? cleaned(told) : '', type, name, data)
  if (typed.problem !== undefined) return { problem: typed.problem }
  if (typed.text !== undefined) return { block: { type: 'text', text: titled(typed.text, name) } }
  const { type: mediaType } = typed
  const isImage = pictureTypes.has(mediaType)
  const limit = mediaLimits[isImage ? 'image' : 'file']
  if (bytes > limit) return { problem: tooLarge(bytes, limit) }
  if (isImage) {
    const isSame = type === 'image' && given['data'] === data && given['mimeType'] === mediaType
    const { providerData } = given as Partial<ImageContent>
    const own = providerData === undefined ? {} : { providerData }
    return { block: isSame ? (given as unknown as ImageContent) : { type: 'image', data, mimeType: mediaType, ...own } }
  }
  const isSame = type === 'file' && given['data'] === data && given['mediaType'] === mediaType && given['name'] === name
  if (isSame) return { block: given as unknown as FileContent }
  return { block: { type: 'file', data, mediaType, ...(name === undefined ? {} : { name }) } }
}

function titled(text: string, name: string | undefined): string {
  return name === undefined ? text : `[File ${JSON.stringify(name)}]\n${text}`
}

const mediaWish = "{ type: 'image' or 'file', data, mediaType } with data in base64 or a data: address"

function tooLarge(bytes: number, most: number): string {
  return `it has ${bytes} bytes, and at most ${most} are kept`
}
