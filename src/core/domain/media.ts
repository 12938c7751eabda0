import type { FileContent, ImageContent, ShownContent, TextContent } from './message.ts'
import { replaceInvisible } from './text/invisible.ts'
import { isRecord } from './text/json.ts'

/** The maximum bytes of one picture or file in a transcript, and the maximum characters of its name. */
export const mediaLimits = { image: 20_000_000, file: 32_000_000, name: 200 } as const

/** The bytes of the largest picture, and of the largest document, that the models of every wire accept. */
export const everywhere = { image: 3_750_000, file: 4_500_000 } as const

/** Media that a model accepts; a server would reject the whole request for any other. */
export interface MediaRule {
  /** Media types; `audio/*` matches all audio types. */
  readonly types: readonly string[]
  /** Bytes of the largest one. */
  readonly bytes: number
  /** The maximum number in one request. */
  readonly count: number
}

/** The media that a model accepts besides text. */
export interface AcceptedMedia {
  readonly pictures: MediaRule
  readonly files: MediaRule
}

/** The types of blocks that a user's message or a result may contain. */
export const shownTypes: ReadonlySet<unknown> = new Set<ShownContent['type']>(['text', 'image', 'file'])

/** Returns the text that replaces an omitted block. */
export function leftOut(given: unknown, why: string): TextContent {
  return { type: 'text', text: `[${mediaTitle(given)} was left out: ${why}.]` }
}

/** Returns the error text for a rejected block. */
export function blockRefusal(given: unknown, why: string): string {
  return `${mediaTitle(given)} is refused: ${why}.`
}

/** Names a block: `A file "x.pdf" of type application/pdf`. */
export function mediaTitle(given: unknown): string {
  const { type, mediaType, mimeType, name, filename } = isRecord(given) ? given : {}
  if (type !== 'image' && type !== 'file') return type === 'text' ? 'A text' : 'A block of an unknown type'
  const said = nameOf(name ?? filename)
  const label = mediaType ?? mimeType
  return [
    type === 'image' ? 'An image' : 'A file',
    ...(said === undefined ? [] : [JSON.stringify(said)]),
    ...(typeof label === 'string' && label !== '' ? [`of type ${cleaned(label).slice(0, 100)}`] : []),
  ].join(' ')
}

/** Returns the number of bytes of a picture or a file. */
export function mediaBytes({ data }: Pick<FileContent, 'data'>): number {
  return Math.floor((data.length * 3) / 4) - (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0)
}

/** Returns the media type of a picture or a file. */
export function mediaTypeOf(block: ImageContent | FileContent): string {
  return block.type === 'image' ? block.mimeType : block.mediaType
}

/** Returns why a rule rejects a picture or a file, or undefined if it accepts it. */
export function mediaProblem(
  block: ImageContent | FileContent,
  { pictures, files }: AcceptedMedia,
): string | undefined {
  const rule = block.type === 'image' ? pictures : files
  const type = mediaTypeOf(block)
  if (!rule.types.some((one) => one === type || (one.endsWith('/*') && type.startsWith(one.slice(0, -1)))))
    return 'the model cannot read it'
  const bytes = mediaBytes(block)
  return bytes > rule.bytes ? `it has ${bytes} bytes, and the model takes at most ${rule.bytes}` : undefined
}

/** Returns a text that lists the pictures and files that a model accepts. */
export function takenMedia(media: AcceptedMedia | undefined): string {
  const types = [...(media?.pictures.types ?? []), ...(media?.files.types ?? [])]
  return types.length === 0 ? 'no pictures and no files' : types.join(', ')
}

/** Returns a media type without its parameters. */
export function cleaned(label: string): string {
  const [type = ''] = label.split(';', 1)
  return replaceInvisible(type, () => '')
    .toWellFormed()
    .trim()
    .toLowerCase()
}

/** Returns the last part of a path without invisible characters, or undefined if nothing is left. */
export function nameOf(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined
  const shown = replaceInvisible(given.slice(-4_000), () => '').toWellFormed()
  const name = shown.split(/[\\/]/).at(-1)?.trim().slice(-mediaLimits.name).toWellFormed() ?? ''
  return /^\.{0,2}$/.test(name) ? undefined : name
}
