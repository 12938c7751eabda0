import type { Model } from '../../ports/model.ts'
import type { ModelOptions } from '../wire/model-options.ts'
import { optional, type OptionShape, text } from '../../domain/option-shape.ts'
import { checkModel, modelShape } from '../wire/model-shape.ts'
import { chatModel } from './chat-model.ts'
import { compatShape, openAIBaseURL, type OpenAICompat } from './compat.ts'

/** Options of `openaiChat`, all of them optional. The key is OPENAI_API_KEY where none is given; a local server takes any text. */
export interface OpenAIChatOptions extends ModelOptions {
  /** Provider id in messages, e.g. `groq` for that server. Default `openai`. */
  readonly provider?: string
  /** Default: OPENAI_BASE_URL, else the provider's own. */
  readonly baseURL?: string
  /** What the server understands. Default: by base URL. */
  readonly compat?: Partial<OpenAICompat>
}

const shape: OptionShape<OpenAIChatOptions> = {
  ...modelShape,
  provider: optional(text),
  baseURL: optional(text),
  compat: optional(compatShape),
}

/**
 * A model on OpenAI's Chat Completions or a compatible server, by the package `openai`.
 *
 * @example
 * openaiChat('llama-4', { baseURL: 'http://127.0.0.1:8080/v1', apiKey: 'none', provider: 'local' })
 */
export function openaiChat(model: string, options: OpenAIChatOptions = {}): Model {
  checkModel('openaiChat', model, options, shape)
  return chatModel(model, options, {
    variable: 'OPENAI_API_KEY',
    address: () => ({ baseURL: options.baseURL ?? process.env['OPENAI_BASE_URL'] ?? openAIBaseURL }),
  })
}
