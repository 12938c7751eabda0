import type { GoogleGenAIOptions } from '@google/genai/web'
import type { Model } from '../../../core/ports/model.ts'
import { answerStream } from '../wire/answer-stream.ts'
import { knownAddress } from '../wire/base-address.ts'
import { loadSdk } from '../wire/load-sdk.ts'
import { factsOf } from '../wire/model-facts.ts'
import { keySourceOf } from '../wire/model-options.ts'
import { GoogleAnswer } from './answer.ts'
import { googleLeftOut, googleRequest } from './request.ts'
import type { GoogleOptions } from './options.ts'
import { accepted } from '../wire/accepted.ts'

/** A server of the wire: who it is, and what its client is made with. */
export interface GeminiServer {
  readonly provider: string
  /** The environment variable of the key. */
  readonly variable: string
  /** Where it stands; throws where that is not known yet. */
  readonly address: () => string
  readonly client: (key: string, fetch: typeof globalThis.fetch) => GoogleGenAIOptions
}

/** A model on a server of the wire. */
export function geminiModel(
  model: string,
  options: GoogleOptions,
  { provider, variable, address, client }: GeminiServer,
): Model {
  const { maxTokens, thinking, limiter, idleTimeoutMs = 120_000, fetch = globalThis.fetch, now = Date.now } = options
  const keys = keySourceOf(provider, options, variable)
  const keySource = `${variable} or the option apiKey`
  const settings = { provider, model, maxTokens, thinking }
  return {
    provider,
    id: model,
    wire: 'gemini',
    media: accepted.gemini,
    get baseUrl() {
      return knownAddress(address)
    },
    thinking,
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

/** Loads Google's package; a missing one is a `ModelError` that says how to install it. */
export async function readyGoogle(): Promise<void> {
  await loadGoogleSdk()
}

/**
 * The package's build for browsers reads no environment, writes nothing to the console, and leaves out what only its
 * other parts need.
 */
function loadGoogleSdk() {
  return loadSdk('@google/genai', () => import('@google/genai/web'))
}
