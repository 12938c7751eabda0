import type { Model } from '../../../core/ports/model.ts'
import { ModelError } from '../../../core/domain/model-error.ts'
import { compatFor, openAIBaseURL } from '../openai-chat/compat.ts'
import { chatModel } from '../openai-chat/chat-model.ts'
import type { OpenAIServer } from '../openai-client.ts'
import { oneOf, optional, type OptionShape, text } from '../../../core/domain/text/option-shape.ts'
import { withoutSlashes } from '../wire/base-address.ts'
import { checkModel, modelShape } from '../wire/model-shape.ts'
import { responsesModel } from './responses-model.ts'
import type { ModelOptions } from '../wire/model-options.ts'

/** Options of `azure`. All are optional. The default key is AZURE_OPENAI_API_KEY. */
export interface AzureOptions extends ModelOptions {
  /** The resource, e.g. `https://example.openai.azure.com`. Default: AZURE_OPENAI_ENDPOINT. */
  readonly endpoint?: string
  /** Replaces the address derived from the endpoint. */
  readonly baseURL?: string
  /**
   * Without a version the path `/openai/v1` is asked; with one the deployment's own URL on the chat wire, and
   * `/openai` on the Responses wire, which has none. Default: OPENAI_API_VERSION.
   */
  readonly apiVersion?: string
  /** The wire to speak. Default `responses`. */
  readonly wire?: 'responses' | 'chat'
  /**
   * The name of the deployed model, if the deployment has another name. It determines the form of the thinking level.
   */
  readonly model?: string
}

const shape: OptionShape<AzureOptions> = {
  ...modelShape,
  endpoint: optional(text),
  baseURL: optional(text),
  apiVersion: optional(text),
  wire: optional(oneOf('responses', 'chat')),
  model: optional(text),
}

/**
 * Returns a model for a deployment on Azure OpenAI; needs the package `openai`. The key is sent as `api-key`.
 *
 * @example
 * azure('my-gpt', { endpoint: 'https://example.openai.azure.com', model: 'gpt-6-luna' })
 */
export function azure(deployment: string, options: AzureOptions = {}): Model {
  checkModel('azure', deployment, options, shape)
  const { wire = 'responses', model = deployment } = options
  const server = azureServer(deployment, options)
  const named = { ...options, provider: 'azure' }
  if (wire === 'responses') return responsesModel(deployment, model, named, server)
  return chatModel(deployment, { ...named, compat: compatFor(openAIBaseURL) }, server, model)
}

/** A token from `credentials` goes as a bearer, a key under `api-key`. */
function azureServer(deployment: string, options: AzureOptions): OpenAIServer {
  return {
    variable: 'AZURE_OPENAI_API_KEY',
    ...(options.credentials === undefined
      ? { headersFor: (key: string) => ({ 'api-key': key, authorization: null }) }
      : {}),
    address: () => {
      const version = options.apiVersion ?? process.env['OPENAI_API_VERSION']
      const baseURL = options.baseURL ?? baseFor(deployment, version, options)
      return { baseURL, ...(version ? { query: { 'api-version': version } } : {}) }
    },
  }
}

function baseFor(deployment: string, version: string | undefined, { endpoint, wire }: AzureOptions): string {
  const resource = endpoint ?? process.env['AZURE_OPENAI_ENDPOINT']
  if (!resource) {
    throw new ModelError('api', 'azure has no endpoint. Set AZURE_OPENAI_ENDPOINT or pass the option endpoint.')
  }
  const root = `${withoutSlashes(resource)}/openai`
  if (!version) return `${root}/v1`
  return wire === 'chat' ? `${root}/deployments/${encodeURIComponent(deployment)}` : root
}
