import { pictureLimit } from '../../../core/domain/picture.ts'
import { anyIds, type IdRule, strictIds } from './history.ts'

/** What the vendors of a wire accept in a request. They refuse a request whole for one part that breaks a rule. */
export interface Accepted {
  /** Ids of calls. */
  readonly ids: IdRule
  /** True if a transcript must begin with a user message. */
  readonly beginsWithUser: boolean
  /** Media types of pictures. */
  readonly pictures: readonly string[]
  /** Bytes of the largest picture. */
  readonly pictureBytes: number
  /** Pictures of one request. */
  readonly pictureCount: number
}

const common = ['image/png', 'image/jpeg', 'image/webp']
const withGif = [...common, 'image/gif']

/**
 * What each wire accepts, as the vendors describe it in November 2026. On all wires, a tool's name is 1 to 64 letters,
 * digits, `_` and `-`, the input of a call is an object, no text is blank, and each result follows its call. On `ai-sdk`
 * the vendor is unknown, so that the strictest rules hold.
 */
export const accepted = {
  'anthropic-messages': {
    ids: strictIds,
    beginsWithUser: true,
    pictures: withGif,
    pictureBytes: pictureLimit,
    pictureCount: 100,
  },
  'bedrock-converse': {
    ids: strictIds,
    beginsWithUser: true,
    pictures: withGif,
    pictureBytes: pictureLimit,
    pictureCount: 20,
  },
  gemini: { ids: anyIds, beginsWithUser: true, pictures: common, pictureBytes: 7_000_000, pictureCount: 900 },
  'openai-chat': { ids: anyIds, beginsWithUser: false, pictures: withGif, pictureBytes: 20_000_000, pictureCount: 500 },
  'openai-responses': {
    ids: anyIds,
    beginsWithUser: false,
    pictures: withGif,
    pictureBytes: 20_000_000,
    pictureCount: 500,
  },
  'ai-sdk': { ids: anyIds, beginsWithUser: true, pictures: common, pictureBytes: pictureLimit, pictureCount: 20 },
} as const satisfies Readonly<Record<string, Accepted>>
