import type { Model } from '../../../core/ports/model.ts'
import { openAIBaseURL } from '../openai-chat/compat.ts'
import { flag, optional, type OptionShape, text } from '../../../core/domain/text/option-shape.ts'
import { checkModel, modelShape } from '../wire/model-shape.ts'
import { responsesModel, type OpenAIResponsesOptions } from './responses-model.ts'

const shape: OptionShape<OpenAIResponsesOptions> = {
  ...modelShape,
  provider: optional(text),
  baseURL: optional(text),
  compaction: optional(flag),
}

/**
 * Returns a model on OpenAI's Responses API; needs the package `openai`. The server stores nothing.
 *
 * @example
 * openaiResponses('gpt-6.1-sol', { thinking: 'high' })
 */
export function openaiResponses(model: string, options: OpenAIResponsesOptions = {}): Model {
  checkModel('openaiResponses', model, options, shape)
  return responsesModel(model, model, options, {
    variable: 'OPENAI_API_KEY',
    address: () => ({ baseURL: options.baseURL ?? process.env['OPENAI_BASE_URL'] ?? openAIBaseURL }),
  })
}
