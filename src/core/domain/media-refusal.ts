import { leftOut, mediaTitle, mediaTypeOf } from './media.ts'
import type { ExtensionMessage, FileContent, ImageContent, Message, ModelMessage } from './message.ts'
import { hashText, isRecord } from './text/json.ts'

/**
 * The kind of the extension message that names pictures and files that a model refused. It is part of the transcript, so
 * restarts, forks and continuations find it. No model receives it.
 */
const refusalKind = 'media.refused'

/** A picture or a file. */
export type Media = ImageContent | FileContent

/** The reasons for leaving pictures and files out of prompts, by their keys. */
export type RefusedMedia = ReadonlyMap<string, string>

const longestReason = 500

/** Returns the reason to leave media out, from the message of the error that refused them. */
export function refusalReason(message: string): string {
  const told = message.slice(0, longestReason).trim().replace(/\.+$/, '')
  return `the model refused a request with it: ${told}`
}

/** Returns the message that names media that a model refused; `timestamp` is in Unix milliseconds. */
export function mediaRefusal(media: readonly Media[], reason: string, timestamp: number): ExtensionMessage {
  const named = media.map((block) => ({ key: mediaKey(block), title: mediaTitle(block) }))
  return { role: 'extension', kind: refusalKind, data: { media: named, reason }, timestamp }
}

/** Returns the media that a message marks as refused, or undefined for other messages. */
export function refusedBy(message: Message): RefusedMedia | undefined {
  if (message.role !== 'extension' || message.kind !== refusalKind || !isRecord(message.data)) return undefined
  const { media, reason } = message.data
  if (!Array.isArray(media) || typeof reason !== 'string') return undefined
  return new Map(
    media.flatMap((one) => (isRecord(one) && typeof one['key'] === 'string' ? [[one['key'], reason] as const] : [])),
  )
}

/** Returns a message with a text in place of each refused picture or file, or the message itself if it has none. */
export function withoutRefused(message: ModelMessage, refused: RefusedMedia): ModelMessage {
  if (message.role === 'assistant' || message.content.every(({ type }) => type === 'text')) return message
  const content = message.content.map((block) => {
    const reason = block.type === 'text' ? undefined : refused.get(mediaKey(block))
    return reason === undefined ? block : leftOut(block, reason)
  })
  return content.every((block, place) => block === message.content[place]) ? message : { ...message, content }
}

/** Returns why each medium is left out, by its key. */
export function refusing(media: readonly Media[], reason: string): RefusedMedia {
  return new Map(media.map((block) => [mediaKey(block), reason]))
}

const keys = new WeakMap<Media, string>()

/** Returns a text that is the same for equal media, and different for others. */
function mediaKey(block: Media): string {
  const known = keys.get(block)
  if (known !== undefined) return known
  const key = `${mediaTypeOf(block)} ${block.data.length} ${hashText(block.data)}`
  if (Object.isFrozen(block)) keys.set(block, key)
  return key
}
