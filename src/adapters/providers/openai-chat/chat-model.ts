import type { Model } from '../../../core/ports/model.ts'
import { openaiClient, type OpenAIServer } from '../openai-client.ts'
import { answerStream } from '../wire/answer-stream.ts'
import { knownAddress } from '../wire/base-address.ts'
import { factsOf } from '../wire/model-facts.ts'
import { keySourceOf } from '../wire/model-options.ts'
import { ChatAnswer } from './answer.ts'
import { chatRequest } from './request.ts'
import { chatAccepted, compatFor } from './compat.ts'
import type { OpenAIChatOptions } from './options.ts'

/** A model on a server of the Chat Completions wire; `family` is its own name where `model` names a deployment. */
export function chatModel(
  model: string,
  options: OpenAIChatOptions,
  server: OpenAIServer,
  family: string = model,
): Model {
  const { provider = 'openai', maxTokens, thinking, limiter, idleTimeoutMs = 120_000 } = options
  const { fetch = globalThis.fetch, now = Date.now } = options
  const keys = keySourceOf(provider, options, server.variable)
  const keySource = `${server.variable} or the option apiKey`
  return {
    provider,
    id: model,
    wire: 'openai-chat',
    get media() {
      return chatAccepted(compatFor(knownAddress(() => server.address().baseURL) ?? '', options.compat))
    },
    get baseUrl() {
      return knownAddress(() => server.address().baseURL)
    },
    thinking,
    ...factsOf(provider, family, options),
    ...keys.refreshing,
    stream(request) {
      const compat = compatFor(server.address().baseURL, options.compat)
      const { body, leftOut } = chatRequest(request, { provider, model, family, maxTokens, thinking, compat })
      const call = { provider, keySource, signal: request.signal, idleTimeoutMs, fetch, now, limiter, leftOut }
      return answerStream(
        call,
        async (line) => {
          const client = await openaiClient(server, await keys.key(), options.headers, line)
          return await client.chat.completions.create(body, { signal: line.signal })
        },
        new ChatAnswer({ provider, model }, compat),
      )
    },
  }
}
