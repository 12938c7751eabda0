import type { Model, ModelRequest, RequestOption } from '../../../core/ports/model.ts'
import type { Accepted } from './accepted.ts'
import { type Answer, answerStream, type Line } from './answer-stream.ts'
import { knownAddress } from './base-address.ts'
import { factsOf } from './model-facts.ts'
import { type KeySource, keySourceOf, type ModelOptions } from './model-options.ts'

/** One request, ready to be sent. */
export interface WireRequest<Item> {
  /** The options of the request that the wire does not support. */
  readonly leftOut: readonly RequestOption[]
  readonly answer: Answer<Item>
  readonly open: (line: Line, keys: KeySource) => Promise<AsyncIterable<Item>>
}

/** The parts of a model on a wire. */
export interface WireModel<Item> extends Pick<Model, 'provider' | 'id'> {
  readonly wire: string
  /** The model's own name, if `id` names a deployment. Default: `id`. */
  readonly family?: string
  readonly options: ModelOptions
  /** The environment variable of the key. */
  readonly variable: string
  /** The source of the key, for errors. Default: the variable or the option `apiKey`. */
  readonly keySource?: string
  /** The media type of a stream. Default `text/event-stream`. */
  readonly mediaType?: string
  /** Properties of the model that replace the known ones. */
  readonly facts?: Pick<Model, 'maxTokens' | 'bindsCallsToReasoning' | 'compacts'>
  readonly media: () => Accepted
  /** Returns the server's address; throws if it is not known yet. */
  readonly address: () => string
  readonly prepare: (request: ModelRequest) => WireRequest<Item>
}

/** Returns a model that streams the answers of a wire. */
export function wireModel<Item>(parts: WireModel<Item>): Model {
  const { provider, id, wire, family = id, options, variable, mediaType = 'text/event-stream', facts, prepare } = parts
  const { limiter, idleTimeoutMs = 120_000, fetch = globalThis.fetch, now = Date.now } = options
  const { keySource = `${variable} or the option apiKey` } = parts
  const keys = keySourceOf(provider, options, variable)
  return {
    provider,
    id,
    wire,
    get media() {
      return parts.media()
    },
    get baseUrl() {
      return knownAddress(parts.address)
    },
    thinking: options.thinking,
    ...factsOf(provider, family, options),
    ...facts,
    ...keys.refreshing,
    stream(request) {
      const { leftOut, answer, open } = prepare(request)
      const { signal } = request
      const call = { provider, keySource, signal, idleTimeoutMs, fetch, now, limiter, leftOut, mediaType }
      return answerStream(call, (line) => open(line, keys), answer)
    },
  }
}
