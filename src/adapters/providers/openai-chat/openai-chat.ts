import type { Model } from '../../../core/ports/model.ts'
import { optional, type OptionShape, text } from '../../../core/domain/text/option-shape.ts'
import { checkModel, modelShape } from '../wire/model-shape.ts'
import { chatModel, type OpenAIChatOptions } from './chat-model.ts'
import { compatShape, openAIBaseURL } from './compat.ts'

const shape: OptionShape<OpenAIChatOptions> = {
  ...modelShape,
  provider: optional(text),
  baseURL: optional(text),
  compat: optional(compatShape),
}

/**
 * Returns a model on OpenAI's Chat Completions or a compatible server; needs the package `openai`.
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
