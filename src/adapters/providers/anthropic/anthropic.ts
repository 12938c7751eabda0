import type { Stream } from '@anthropic-ai/sdk/streaming'
import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages/messages'
import type { CacheStrategy, Model } from '../../../core/ports/model.ts'
import { AnthropicAnswer } from './answer.ts'
import { anthropicRequest } from './request.ts'
import { budgetOf, thinkingPlan, thinksAdaptively } from './thinking.ts'
import type { Line } from '../wire/answer-stream.ts'
import { loadAnthropicSdk } from './load-anthropic-sdk.ts'
import type { KeySource, ModelOptions, ModelSettings } from '../wire/model-options.ts'
import { cache, checkModel, modelShape } from '../wire/model-shape.ts'
import { flag, optional, type OptionShape, text } from '../../../core/domain/text/option-shape.ts'
import { longestTimerMs } from '../../../core/domain/timer.ts'
import { accepted } from '../wire/accepted.ts'
import { wireModel } from '../wire/wire-model.ts'

/** Options of `anthropic`. All are optional. The default key is ANTHROPIC_API_KEY. */
export interface AnthropicOptions extends ModelOptions {
  /** Default: ANTHROPIC_BASE_URL, else the provider's own. */
  readonly baseURL?: string
  /** Tokens of an answer, without a thinking budget. Default 32000 from 4.6 on, where thinking counts, else 8192. */
  readonly maxTokens?: number
  /** Prompt caching: `auto` (default) marks all three places. */
  readonly cache?: CacheStrategy
  /**
   * True to let Anthropic make the summaries that `compaction.summaries` asks for, by its beta `compact-2026-09-04`. Its
   * signed block is sent back as it came; other models read its text. Default false.
   */
  readonly compaction?: boolean
}

const shape: OptionShape<AnthropicOptions> = {
  ...modelShape,
  baseURL: optional(text),
  cache: optional(cache),
  compaction: optional(flag),
}

/**
 * Returns a model on Anthropic's Messages API; needs the package `@anthropic-ai/sdk`. The API does not accept a
 * temperature.
 *
 * @example
 * anthropic('claude-sonnet-5-5', { thinking: 'medium' })
 */
export function anthropic(model: string, options: AnthropicOptions = {}): Model {
  checkModel('anthropic', model, options, shape)
  const settings: ModelSettings = {
    ...{ provider: 'anthropic', model, thinking: options.thinking, cache: options.cache },
    compacts: options.compaction,
    maxTokens: options.maxTokens ?? (thinksAdaptively(model) ? 32_000 : 8192),
  }
  const { maxTokens = 0 } = settings
  return wireModel({
    ...{ provider: 'anthropic', id: model, wire: 'anthropic-messages', options, variable: 'ANTHROPIC_API_KEY' },
    media: () => accepted['anthropic-messages'],
    address: () => options.baseURL ?? process.env['ANTHROPIC_BASE_URL'] ?? 'https://api.anthropic.com',
    facts: {
      maxTokens: maxTokens + budgetOf(thinkingPlan(model, options.thinking)),
      ...(options.compaction === true ? { compacts: true } : {}),
    },
    prepare: (request) => {
      const { body, prefix, leftOut } = anthropicRequest(request, settings)
      const answer = new AnthropicAnswer(model, prefix)
      return { leftOut, answer, open: (line, keys) => openStream(body, line, keys, options) }
    },
  })
}

/** Uses `post` instead of `messages.create`, which writes warnings about models to the console. */
async function openStream(
  body: object,
  line: Line,
  keys: KeySource,
  { baseURL, headers, compaction }: AnthropicOptions,
): Promise<AsyncIterable<RawMessageStreamEvent>> {
  const apiKey = await keys.key()
  const { Anthropic } = await loadAnthropicSdk()
  const client = new Anthropic({
    apiKey,
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
    ...(compaction === true ? { headers: { 'anthropic-beta': betasWith(headers) } } : {}),
    stream: true,
    signal: line.signal,
    timeout: longestTimerMs,
  })
}

/** Returns the betas of a request: those of the options, and the one of compaction. */
function betasWith(headers: AnthropicOptions['headers'] = {}): string {
  const own = Object.entries(headers).flatMap(([name, value]) => (name.toLowerCase() === 'anthropic-beta' ? value : []))
  return [...own, 'compact-2026-09-04'].join(',')
}
