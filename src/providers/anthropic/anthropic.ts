import type { Stream } from '@anthropic-ai/sdk/streaming'
import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages/messages'
import type { Model } from '../../ports/model.ts'
import { AnthropicAnswer } from './answer.ts'
import { anthropicRequest, type AnthropicSettings } from './request.ts'
import { budgetOf, thinkingPlan, thinksAdaptively } from './thinking.ts'
import { answerStream, type Line } from '../wire/answer-stream.ts'
import { loadSdk } from '../wire/load-sdk.ts'
import { apiKeyFor, cacheMarks, type CacheMarks, type ThinkingLevel } from '../wire/model-options.ts'
import { longestTimeout } from '../wire/stop-early.ts'

/** Options of `anthropic`, all of them optional. */
export interface AnthropicOptions {
  /** Default: the environment variable ANTHROPIC_API_KEY, read for each call. */
  readonly apiKey?: string
  /** Default: ANTHROPIC_BASE_URL, else the provider's own. */
  readonly baseURL?: string
  /** Tokens of an answer, without a thinking budget. Default 32000 from 4.6 on, where thinking counts, else 8192. */
  readonly maxTokens?: number
  /** Default: left to the model. `off` is the least thinking the model allows. */
  readonly thinking?: ThinkingLevel
  /** Prompt caching: `auto` (default) marks all three places. */
  readonly cache?: 'auto' | 'disabled' | Partial<CacheMarks>
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds without a byte after which a call fails. Default 120000. */
  readonly idleTimeoutMs?: number
  readonly fetch?: typeof globalThis.fetch
  /** Unix milliseconds for timestamps and Retry-After dates. Default `Date.now`. */
  readonly now?: () => number
}

/**
 * A model on Anthropic's Messages API, by the package `@anthropic-ai/sdk`. The wire knows no temperature.
 *
 * @example
 * anthropic('claude-sonnet-5-5', { thinking: 'medium' })
 */
export function anthropic(model: string, options: AnthropicOptions = {}): Model {
  const { idleTimeoutMs = 120_000, fetch = globalThis.fetch, now = Date.now } = options
  const settings: AnthropicSettings = {
    model,
    maxTokens: options.maxTokens ?? (thinksAdaptively(model) ? 32_000 : 8192),
    thinking: options.thinking,
    cache: cacheMarks(options.cache ?? 'auto'),
  }
  return {
    provider: 'anthropic',
    id: model,
    maxTokens: settings.maxTokens + budgetOf(thinkingPlan(model, options.thinking)),
    stream(request) {
      const { body, prefix } = anthropicRequest(request, settings)
      const call = { provider: 'anthropic', keySource, signal: request.signal, idleTimeoutMs, fetch, now }
      return answerStream(call, (line) => openStream(body, line, options), new AnthropicAnswer(model, prefix))
    },
  }
}

const keySource = 'ANTHROPIC_API_KEY or the option apiKey'

/** `post` in place of `messages.create`, which writes warnings about models to the console. */
async function openStream(
  body: object,
  line: Line,
  { apiKey, baseURL, headers }: AnthropicOptions,
): Promise<AsyncIterable<RawMessageStreamEvent>> {
  const key = apiKeyFor('anthropic', apiKey, 'ANTHROPIC_API_KEY')
  const { Anthropic } = await loadAnthropicSdk()
  const client = new Anthropic({
    apiKey: key,
    authToken: null,
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(headers === undefined ? {} : { defaultHeaders: headers }),
    fetch: line.fetch,
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
  })
  return await client.post<Stream<RawMessageStreamEvent>>('/v1/messages', {
    body,
    stream: true,
    signal: line.signal,
    timeout: longestTimeout,
  })
}

/** Loads Anthropic's package; a missing one is a `ModelError` that says how to install it. */
export function loadAnthropicSdk() {
  return loadSdk('@anthropic-ai/sdk', () => import('@anthropic-ai/sdk'))
}
