/** What a server of the Chat Completions wire understands. */
export interface OpenAICompat {
  /** The name of the field that bounds the answer's tokens. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** True where instructions go under the role `developer`, else `system`. */
  readonly developerRole: boolean
  /** True where `reasoning_effort` is understood. It is sent only when the option `thinking` is set. */
  readonly reasoningEffort: boolean
  /** True where usage comes on request, with `stream_options`. */
  readonly streamUsage: boolean
}

/** The provider's own address. */
export const openAIBaseURL = 'https://api.openai.com/v1'

/** What the server at a base URL is taken to understand; given flags win. */
export function compatFor(baseURL: string, given: Partial<OpenAICompat> = {}): OpenAICompat {
  const isOpenAI = /^https:\/\/([a-z]+\.)?api\.openai\.com(\/|$)/.test(baseURL)
  return {
    maxTokensField: isOpenAI ? 'max_completion_tokens' : 'max_tokens',
    developerRole: isOpenAI,
    reasoningEffort: true,
    streamUsage: true,
    ...given,
  }
}
