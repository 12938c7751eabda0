import type { GoogleGenAIOptions } from '@google/genai/web'
import type { Model } from '../../ports/model.ts'
import { answerStream } from '../wire/answer-stream.ts'
import { loadSdk } from '../wire/load-sdk.ts'
import { factsOf } from '../wire/model-facts.ts'
import { keySourceOf, type ModelOptions } from '../wire/model-options.ts'
import { GoogleAnswer } from './answer.ts'
import { googleLeftOut, googleRequest } from './request.ts'

/** Options of `google`, all of them optional. The key is GEMINI_API_KEY where none is given. */
export interface GoogleOptions extends ModelOptions {
  /** Without the version. Default: the provider's own. */
  readonly baseURL?: string
  /** Default: the package's own, `v1`; at Vertex it is always `v1`. */
  readonly apiVersion?: string
}

/**
 * A model on the Gemini API, by the package `@google/genai`.
 *
 * @example
 * google('gemini-3.8-flash', { thinking: 'low' })
 */
export function google(model: string, options: GoogleOptions = {}): Model {
  return geminiModel(model, options, {
    provider: 'google',
    variable: 'GEMINI_API_KEY',
    client: (apiKey, fetch) => ({
      apiKey,
      vertexai: false,
      ...(options.apiVersion === undefined ? {} : { apiVersion: options.apiVersion }),
      httpOptions: { ...(options.baseURL === undefined ? {} : { baseUrl: options.baseURL }), fetch },
    }),
  })
}

/** A server of the wire: who it is, and what its client is made with. */
export interface GeminiServer {
  readonly provider: string
  /** The environment variable of the key. */
  readonly variable: string
  readonly client: (key: string, fetch: typeof globalThis.fetch) => GoogleGenAIOptions
}

/** A model on a server of the wire. */
export function geminiModel(
  model: string,
  options: GoogleOptions,
  { provider, variable, client }: GeminiServer,
): Model {
  const { maxTokens, thinking, limiter, idleTimeoutMs = 120_000, fetch = globalThis.fetch, now = Date.now } = options
  const keys = keySourceOf(provider, options, variable)
  const keySource = `${variable} or the option apiKey`
  const settings = { provider, model, maxTokens, thinking }
  return {
    provider,
    id: model,
    ...factsOf(provider, model, options),
    bindsCallsToReasoning: true,
    ...keys.refreshing,
    stream(request) {
      const leftOut = googleLeftOut(request, settings)
      const call = { provider, keySource, signal: request.signal, idleTimeoutMs, fetch, now, limiter, leftOut }
      return answerStream(
        call,
        async (line) => {
          const key = await keys.key()
          const sdk = await loadGoogleSdk()
          const { config, ...body } = googleRequest(request, settings, sdk)
          const http = { httpOptions: { headers: { ...options.headers } }, abortSignal: line.signal }
          const { models } = new sdk.GoogleGenAI(client(key, line.fetch))
          return await models.generateContentStream({ ...body, config: { ...config, ...http } })
        },
        new GoogleAnswer(settings, `${provider}-fc`),
      )
    },
  }
}

/**
 * Loads Google's package; a missing one is a `ModelError` that says how to install it. The package's build for
 * browsers reads no environment, writes nothing to the console, and leaves out what only its other parts need.
 */
export function loadGoogleSdk() {
  return loadSdk('@google/genai', () => import('@google/genai/web'))
}
