import { type AcceptedMedia, everywhere, type MediaRule } from '../../../core/domain/media.ts'
import { anyIds, type IdRule, strictIds } from './history.ts'

/**
 * The parts of a request that the vendors of a wire accept. They reject a whole request for one part that breaks a
 * rule.
 */
export interface Accepted extends AcceptedMedia {
  /** Ids of calls. */
  readonly ids: IdRule
  /** True if a transcript must begin with a user message. */
  readonly beginsWithUser: boolean
  /** Bytes of all pictures and files of one request, before base64. */
  readonly mediaBytes: number
}

const common = ['image/png', 'image/jpeg', 'image/webp']
const withGif = [...common, 'image/gif']
const pdf = ['application/pdf']
const office = 'application/vnd.openxmlformats-officedocument.'
const sheets = ['application/vnd.ms-excel', `${office}spreadsheetml.sheet`]
const documents = [...pdf, 'application/msword', `${office}wordprocessingml.document`, ...sheets]
const slides = ['application/vnd.ms-powerpoint', `${office}presentationml.presentation`]
const none: MediaRule = { types: [], bytes: 0, count: 0 }
const openAiPictures: MediaRule = { types: withGif, bytes: 20_000_000, count: 500 }
const openAi = { ids: anyIds, beginsWithUser: false, pictures: openAiPictures, mediaBytes: 36_000_000 }

/**
 * The accepted parts by wire, as the vendors describe them in November 2026. On all wires, a tool's name is 1 to 64
 * letters, digits, `_` and `-`, the input of a call is an object, no text is blank, each result follows its call, and
 * the root of an output schema is an object. Of the servers with OpenAI's chat API, only OpenAI's own is known to
 * accept files. On `ai-sdk` the vendor is unknown, so the strictest rules apply.
 */
export const accepted = {
  'anthropic-messages': {
    ids: strictIds,
    beginsWithUser: true,
    pictures: { types: withGif, bytes: everywhere.image, count: 100 },
    files: { types: pdf, bytes: 22_000_000, count: 100 },
    mediaBytes: 22_000_000,
  },
  'bedrock-converse': {
    ids: strictIds,
    beginsWithUser: true,
    pictures: { types: withGif, bytes: everywhere.image, count: 20 },
    files: { types: documents, bytes: everywhere.file, count: 5 },
    mediaBytes: 18_000_000,
  },
  gemini: {
    ids: anyIds,
    beginsWithUser: true,
    pictures: { types: common, bytes: 7_000_000, count: 900 },
    files: { types: [...pdf, 'audio/*', 'video/*'], bytes: 14_000_000, count: 100 },
    mediaBytes: 14_000_000,
  },
  'openai-chat': { ...openAi, files: { types: pdf, bytes: 32_000_000, count: 100 } },
  'openai-compatible': { ...openAi, files: none },
  'openai-responses': { ...openAi, files: { types: [...documents, ...slides], bytes: 32_000_000, count: 100 } },
  'ai-sdk': {
    ids: anyIds,
    beginsWithUser: true,
    pictures: { types: common, bytes: everywhere.image, count: 20 },
    files: { types: pdf, bytes: everywhere.file, count: 5 },
    mediaBytes: 14_000_000,
  },
} as const satisfies Readonly<Record<string, Accepted>>
