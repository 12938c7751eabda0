import type { GoogleGenAIOptions } from '@google/genai/web'
import type { Model } from '../../../core/ports/model.ts'
import { accepted } from '../wire/accepted.ts'
import { loadSdk } from '../wire/load-sdk.ts'
import type { GoogleOptions } from './options.ts'
import { wireModel } from '../wire/wire-model.ts'
import { GoogleAnswer } from './answer.ts'
import { googleLeftOut, googleRequest } from './request.ts'

/** A server of the wire, and the settings of its client. */
export interface GeminiServer {
  readonly provider: string
  /** The environment variable of the key. */
  readonly variable: string
  /** Returns the server's address; throws if it is not known yet. */
  readonly address: () => string
  readonly client: (key: string, fetch: typeof globalThis.fetch) => GoogleGenAIOptions
}

/** Returns a model on a server of the wire. */
export function geminiModel(
  id: string,
  options: GoogleOptions,
  { provider, variable, address, client }: GeminiServer,
): Model {
  const settings = { provider, model: id, maxTokens: options.maxTokens, thinking: options.thinking }
  return wireModel({
    ...{ provider, id, wire: 'gemini', options, variable, address },
    media: () => accepted.gemini,
    facts: { bindsCallsToReasoning: true },
    prepare: (request) => ({
      leftOut: googleLeftOut(request, settings),
      answer: new GoogleAnswer(settings, `${provider}-fc`),
      open: async (line, keys) => {
        const key = await keys.key()
        const sdk = await loadGoogleSdk()
        const { config, ...body } = googleRequest(request, settings, sdk)
        const http = { httpOptions: { headers: { ...options.headers } }, abortSignal: line.signal }
        const { models } = new sdk.GoogleGenAI(client(key, line.fetch))
        return await models.generateContentStream({ ...body, config: { ...config, ...http } })
      },
    }),
  })
}

/** Loads Google's package; a missing one is a `ModelError` that says how to install it. */
export async function readyGoogle(): Promise<void> {
  await loadGoogleSdk()
}

/**
 * Loads the package's build for browsers, which reads no environment, writes nothing to the console, and does not contain
 * the dependencies of its other parts.
 */
function loadGoogleSdk() {
  return loadSdk('@google/genai', () => import('@google/genai/web'))
}
