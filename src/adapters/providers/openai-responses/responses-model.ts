import type { Model } from '../../../core/ports/model.ts'
import { openaiClient, type OpenAIServer } from '../openai-client.ts'
import { accepted } from '../wire/accepted.ts'
import type { ModelOptions } from '../wire/model-options.ts'
import { wireModel } from '../wire/wire-model.ts'
import { ResponsesAnswer } from './answer.ts'
import { responsesRequest } from './request.ts'

/** Options of `openaiResponses`. All are optional. The default key is OPENAI_API_KEY. */
export interface OpenAIResponsesOptions extends ModelOptions {
  /** Provider id in messages. Default `openai`. */
  readonly provider?: string
  /** Default: OPENAI_BASE_URL, else the provider's own. */
  readonly baseURL?: string
}

/** Returns a model on a server of the Responses wire; `family` is its own name if `id` names a deployment. */
export function responsesModel(
  id: string,
  family: string,
  options: OpenAIResponsesOptions,
  server: OpenAIServer,
): Model {
  const { provider = 'openai', maxTokens, thinking } = options
  return wireModel({
    ...{ provider, id, wire: 'openai-responses', family, options, variable: server.variable },
    media: () => accepted['openai-responses'],
    address: () => server.address().baseURL,
    facts: { bindsCallsToReasoning: true },
    prepare: (request) => {
      const { body, leftOut } = responsesRequest(request, { provider, model: id, family, maxTokens, thinking })
      return {
        leftOut,
        answer: new ResponsesAnswer({ provider, model: id }),
        open: async (line, keys) => {
          const client = await openaiClient(server, await keys.key(), options.headers, line)
          return await client.responses.create(body, { signal: line.signal })
        },
      }
    },
  })
}
