import type { ModelOptions } from '../wire/model-options.ts'
import type { OpenAICompat } from './compat.ts'

/** Options of `openaiChat`, all of them optional. The key is OPENAI_API_KEY where none is given; a local server takes any text. */
export interface OpenAIChatOptions extends ModelOptions {
  /** Provider id in messages, e.g. `groq` for that server. Default `openai`. */
  readonly provider?: string
  /** Default: OPENAI_BASE_URL, else the provider's own. */
  readonly baseURL?: string
  /** What the server understands. Default: by base URL. */
  readonly compat?: Partial<OpenAICompat>
}
