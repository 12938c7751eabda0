import type { Model } from '../../ports/model.ts'
import { openAIBaseURL } from '../openai-chat/compat.ts'
import type { ModelOptions } from '../wire/model-options.ts'
import { optional, type OptionShape, text } from '../../domain/option-shape.ts'
import { checkModel, modelShape } from '../wire/model-shape.ts'
import { responsesModel } from './responses-model.ts'

/** Options of `openaiResponses`, all of them optional. The key is OPENAI_API_KEY where none is given. */
export interface OpenAIResponsesOptions extends ModelOptions {
  /** Provider id in messages. Default `openai`. */
  readonly provider?: string
  /** Default: OPENAI_BASE_URL, else the provider's own. */
  readonly baseURL?: string
}

const shape: OptionShape<OpenAIResponsesOptions> = { ...modelShape, provider: optional(text), baseURL: optional(text) }

/**
 * A model on OpenAI's Responses API, by the package `openai`. Nothing is kept at the server.
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
