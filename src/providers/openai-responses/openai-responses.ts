import type { Model } from '../../ports/model.ts'
import { openAIBaseURL } from '../openai-chat/compat.ts'
import { openaiClient, type OpenAIServer } from '../openai-client.ts'
import { answerStream } from '../wire/answer-stream.ts'
import { factsOf } from '../wire/model-facts.ts'
import { keySourceOf, type ModelOptions } from '../wire/model-options.ts'
import { ResponsesAnswer } from './answer.ts'
import { responsesRequest } from './request.ts'

/** Options of `openaiResponses`, all of them optional. The key is OPENAI_API_KEY where none is given. */
export interface OpenAIResponsesOptions extends ModelOptions {
  /** Provider id in messages. Default `openai`. */
  readonly provider?: string
  /** Default: OPENAI_BASE_URL, else the provider's own. */
  readonly baseURL?: string
}

/**
 * A model on OpenAI's Responses API, by the package `openai`. Nothing is kept at the server.
 *
 * @example
 * openaiResponses('gpt-6.1-sol', { thinking: 'high' })
 */
export function openaiResponses(model: string, options: OpenAIResponsesOptions = {}): Model {
  return responsesModel(model, model, options, {
    variable: 'OPENAI_API_KEY',
    address: () => ({ baseURL: options.baseURL ?? process.env['OPENAI_BASE_URL'] ?? openAIBaseURL }),
  })
}

/** A model on a server of the Responses wire; `family` is its own name where `model` names a deployment. */
export function responsesModel(
  model: string,
  family: string,
  options: OpenAIResponsesOptions,
  server: OpenAIServer,
): Model {
  const { provider = 'openai', maxTokens, thinking, limiter, idleTimeoutMs = 120_000 } = options
  const { fetch = globalThis.fetch, now = Date.now } = options
  const keys = keySourceOf(provider, options, server.variable)
  const keySource = `${server.variable} or the option apiKey`
  return {
    provider,
    id: model,
    ...factsOf(provider, family, options),
    bindsCallsToReasoning: true,
    ...keys.refreshing,
    stream(request) {
      const { body, leftOut } = responsesRequest(request, { provider, model, family, maxTokens, thinking })
      const call = { provider, keySource, signal: request.signal, idleTimeoutMs, fetch, now, limiter, leftOut }
      return answerStream(
        call,
        async (line) => {
          const client = await openaiClient(server, await keys.key(), options.headers, line)
          return await client.responses.create(body, { signal: line.signal })
        },
        new ResponsesAnswer({ provider, model }),
      )
    },
  }
}
