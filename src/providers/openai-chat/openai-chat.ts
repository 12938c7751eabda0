import type { Model } from '../../ports/model.ts'
import { openaiClient, type OpenAIServer } from '../openai-client.ts'
import { answerStream } from '../wire/answer-stream.ts'
import { factsOf } from '../wire/model-facts.ts'
import { keySourceOf, type ModelOptions } from '../wire/model-options.ts'
import { ChatAnswer } from './answer.ts'
import { chatRequest } from './request.ts'
import { compatFor, openAIBaseURL, type OpenAICompat } from './compat.ts'

/** Options of `openaiChat`, all of them optional. The key is OPENAI_API_KEY where none is given; a local server takes any text. */
export interface OpenAIChatOptions extends ModelOptions {
  /** Provider id in messages, e.g. `groq` for that server. Default `openai`. */
  readonly provider?: string
  /** Default: OPENAI_BASE_URL, else the provider's own. */
  readonly baseURL?: string
  /** What the server understands. Default: by base URL. */
  readonly compat?: Partial<OpenAICompat>
}

/**
 * A model on OpenAI's Chat Completions or a compatible server, by the package `openai`.
 *
 * @example
 * openaiChat('llama-4', { baseURL: 'http://127.0.0.1:8080/v1', apiKey: 'none', provider: 'local' })
 */
export function openaiChat(model: string, options: OpenAIChatOptions = {}): Model {
  return chatModel(model, options, {
    variable: 'OPENAI_API_KEY',
    address: () => ({ baseURL: options.baseURL ?? process.env['OPENAI_BASE_URL'] ?? openAIBaseURL }),
  })
}

/** A model on a server of the Chat Completions wire. */
export function chatModel(model: string, options: OpenAIChatOptions, server: OpenAIServer): Model {
  const { provider = 'openai', maxTokens, thinking, limiter, idleTimeoutMs = 120_000 } = options
  const { fetch = globalThis.fetch, now = Date.now } = options
  const keys = keySourceOf(provider, options, server.variable)
  const keySource = `${server.variable} or the option apiKey`
  return {
    provider,
    id: model,
    ...factsOf(provider, model, options),
    ...keys.refreshing,
    stream(request) {
      const compat = compatFor(server.address().baseURL, options.compat)
      const { body, leftOut } = chatRequest(request, { provider, model, maxTokens, thinking, compat })
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
