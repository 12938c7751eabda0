import type { ModelOptions } from '../wire/model-options.ts'

/** Options of `openaiResponses`, all of them optional. The key is OPENAI_API_KEY where none is given. */
export interface OpenAIResponsesOptions extends ModelOptions {
  /** Provider id in messages. Default `openai`. */
  readonly provider?: string
  /** Default: OPENAI_BASE_URL, else the provider's own. */
  readonly baseURL?: string
}
