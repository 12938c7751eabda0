import type { ChatCompletionChunk, ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions'
import type { Model } from '../../ports/model.ts'
import { answerStream, type Line } from '../wire/answer-stream.ts'
import { apiKeyFor, type ThinkingLevel } from '../wire/model-options.ts'
import { longestTimeout } from '../wire/stop-early.ts'
import { ChatAnswer } from './answer.ts'
import { chatRequest } from './request.ts'
import { compatFor, openAIBaseURL, type OpenAICompat } from './compat.ts'
import { loadSdk } from '../wire/load-sdk.ts'

/** Options of `openaiChat`, all of them optional. */
export interface OpenAIChatOptions {
  /** Provider id in messages, e.g. `groq` for that server. Default `openai`. */
  readonly provider?: string
  /** Default: the environment variable OPENAI_API_KEY, read for each call. A local server takes any text. */
  readonly apiKey?: string
  /** Default: OPENAI_BASE_URL, else the provider's own. */
  readonly baseURL?: string
  /** What the server understands. Default: by base URL. */
  readonly compat?: Partial<OpenAICompat>
  /** Tokens of an answer. Default: left to the model. */
  readonly maxTokens?: number
  /** Default: left to the model. */
  readonly thinking?: ThinkingLevel
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds without a byte after which a call fails. Default 120000. */
  readonly idleTimeoutMs?: number
  readonly fetch?: typeof globalThis.fetch
  /** Unix milliseconds for timestamps and Retry-After dates. Default `Date.now`. */
  readonly now?: () => number
}

/**
 * A model on OpenAI's Chat Completions or a compatible server, by the package `openai`.
 *
 * @example
 * openaiChat('llama-4', { baseURL: 'http://127.0.0.1:8080/v1', apiKey: 'none', provider: 'local' })
 */
export function openaiChat(model: string, options: OpenAIChatOptions = {}): Model {
  const { provider = 'openai', maxTokens, thinking, idleTimeoutMs = 120_000 } = options
  const { fetch = globalThis.fetch, now = Date.now } = options
  return {
    provider,
    id: model,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    stream(request) {
      const baseURL = options.baseURL ?? process.env['OPENAI_BASE_URL'] ?? openAIBaseURL
      const compat = compatFor(baseURL, options.compat)
      const body = chatRequest(request, { provider, model, maxTokens, thinking, compat })
      const call = { provider, keySource, signal: request.signal, idleTimeoutMs, fetch, now }
      return answerStream(call, (line) => openStream(body, line, baseURL, options), new ChatAnswer({ provider, model }))
    },
  }
}

const keySource = 'OPENAI_API_KEY or the option apiKey'

async function openStream(
  body: ChatCompletionCreateParamsStreaming,
  line: Line,
  baseURL: string,
  { provider = 'openai', apiKey, headers }: OpenAIChatOptions,
): Promise<AsyncIterable<ChatCompletionChunk>> {
  const key = apiKeyFor(provider, apiKey, 'OPENAI_API_KEY')
  const { OpenAI } = await loadOpenAISdk()
  const client = new OpenAI({
    apiKey: key,
    baseURL,
    ...(headers === undefined ? {} : { defaultHeaders: headers }),
    fetch: line.fetch,
    maxRetries: 0,
    logLevel: 'off',
    timeout: longestTimeout,
  })
  return await client.chat.completions.create(body, { signal: line.signal })
}

/** Loads OpenAI's package; a missing one is a `ModelError` that says how to install it. */
export function loadOpenAISdk() {
  return loadSdk('openai', () => import('openai'))
}
