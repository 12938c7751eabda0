import { accepted, type Accepted } from '../wire/accepted.ts'
import { flag, oneOf, optional, type OptionCheck, options } from '../../../core/domain/text/option-shape.ts'

/** The features of a Chat Completions server. */
export interface OpenAICompat {
  /** The name of the field that bounds the answer's tokens. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** True if instructions have the role `developer` instead of `system`. */
  readonly developerRole: boolean
  /** True for OpenAI's own models, some of which refuse a temperature. */
  readonly ownModels: boolean
  /** True if the server knows `reasoning_effort`, which is sent only with a thinking level. */
  readonly reasoningEffort: boolean
  /**
   * The field a model's thinking comes in and goes back in; `either` takes both and sends back what came. Thinking that
   * comes in parts of the content is read everywhere, and goes back in parts.
   */
  readonly reasoningField: 'reasoning_content' | 'reasoning' | 'either'
  /** True if the server sends usage only if `stream_options` asks for it. */
  readonly streamUsage: boolean
  /** True if tools are sent with `strict` if their schema allows it. */
  readonly strictTools: boolean
  /** True if parts of calls have no index, and a name starts the next call. */
  readonly indexlessCalls: boolean
  /** True if a request can require a call. */
  readonly requiredCalls: boolean
  /** True if a request can set the answer's schema. */
  readonly jsonSchema: boolean
  /** True if call ids must have nine letters and digits. */
  readonly shortCallIds: boolean
}

/** The check of a server's declared features. */
export const compatShape: OptionCheck = options<OpenAICompat>({
  maxTokensField: optional(oneOf('max_tokens', 'max_completion_tokens')),
  developerRole: optional(flag),
  ownModels: optional(flag),
  reasoningEffort: optional(flag),
  reasoningField: optional(oneOf('reasoning_content', 'reasoning', 'either')),
  streamUsage: optional(flag),
  strictTools: optional(flag),
  indexlessCalls: optional(flag),
  requiredCalls: optional(flag),
  jsonSchema: optional(flag),
  shortCallIds: optional(flag),
})

/** The provider's own address. */
export const openAIBaseURL = 'https://api.openai.com/v1'

/** Returns the accepted parts of a request. Of compatible servers, only OpenAI's own is known to accept files. */
export function chatAccepted({ ownModels }: OpenAICompat): Accepted {
  return accepted[ownModels ? 'openai-chat' : 'openai-compatible']
}

/** Returns the assumed features of the server at a base URL. The given flags take precedence. */
export function compatFor(baseURL: string, given: Partial<OpenAICompat> = {}): OpenAICompat {
  const isOpenAI = /^https:\/\/([a-z]+\.)?api\.openai\.com(\/|$)/.test(baseURL)
  return {
    maxTokensField: isOpenAI ? 'max_completion_tokens' : 'max_tokens',
    developerRole: isOpenAI,
    ownModels: isOpenAI,
    reasoningEffort: true,
    reasoningField: 'either',
    streamUsage: true,
    strictTools: false,
    indexlessCalls: false,
    requiredCalls: true,
    jsonSchema: true,
    shortCallIds: false,
    ...given,
  }
}
