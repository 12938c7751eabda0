import type { Model } from '../../../core/ports/model.ts'
import { optional, type OptionShape, text } from '../../../core/domain/text/option-shape.ts'
import { checkModel, modelShape } from '../wire/model-shape.ts'
import { geminiModel } from './gemini-model.ts'
import type { GoogleOptions } from './options.ts'

const shape: OptionShape<GoogleOptions> = { ...modelShape, baseURL: optional(text), apiVersion: optional(text) }

/**
 * Returns a model on the Gemini API; needs the package `@google/genai`.
 *
 * @example
 * google('gemini-3.8-flash', { thinking: 'low' })
 */
export function google(model: string, options: GoogleOptions = {}): Model {
  checkModel('google', model, options, shape)
  return geminiModel(model, options, {
    provider: 'google',
    variable: 'GEMINI_API_KEY',
    address: () => options.baseURL ?? 'https://generativelanguage.googleapis.com',
    client: (apiKey, fetch) => ({
      apiKey,
      vertexai: false,
      ...(options.apiVersion === undefined ? {} : { apiVersion: options.apiVersion }),
      httpOptions: { ...(options.baseURL === undefined ? {} : { baseUrl: options.baseURL }), fetch },
    }),
  })
}
