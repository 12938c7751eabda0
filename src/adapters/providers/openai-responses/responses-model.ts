import type { Model } from '../../../core/ports/model.ts'
import { openaiClient, type OpenAIServer } from '../openai-client.ts'
import { answerStream } from '../wire/answer-stream.ts'
import { knownAddress } from '../wire/base-address.ts'
import { factsOf } from '../wire/model-facts.ts'
import { keySourceOf } from '../wire/model-options.ts'
import { ResponsesAnswer } from './answer.ts'
import { responsesRequest } from './request.ts'
import type { OpenAIResponsesOptions } from './options.ts'
import { accepted } from '../wire/accepted.ts'

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
    wire: 'openai-responses',
    media: accepted['openai-responses'],
    get baseUrl() {
      return knownAddress(() => server.address().baseURL)
    },
    thinking,
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
