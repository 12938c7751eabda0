import type { LanguageModelV4 } from '@ai-sdk/provider'
import { isRecord } from '../../domain/json.ts'
import type { ModelError } from '../../domain/model-error.ts'
import type { Model } from '../../ports/model.ts'
import { answerStream } from '../wire/answer-stream.ts'
import { factsOf } from '../wire/model-facts.ts'
import { askedFor, type ModelOptions } from '../wire/model-options.ts'
import { httpFailure, lineFailure, type WireName } from '../wire/failure.ts'
import { AiSdkAnswer } from './answer.ts'
import { callOptions } from './prompt.ts'

/** Options of `aiSdk`, all of them optional; keys and addresses are the language model's own. */
export type AiSdkOptions = Omit<ModelOptions, 'apiKey' | 'credentials' | 'fetch'>

/**
 * Any language model of the AI SDK (version 4 of its specification) as a model; its provider id begins with `ai-sdk-`.
 *
 * @example
 * aiSdk(createOpenAICompatible({ name: 'local', baseURL: 'http://127.0.0.1:8080/v1' })('llama-4'))
 */
export function aiSdk(model: LanguageModelV4, options: AiSdkOptions = {}): Model {
  const { maxTokens, thinking, headers, limiter, idleTimeoutMs = 120_000, now = Date.now } = options
  const version: string = model.specificationVersion
  if (version !== 'v4') {
    throw new TypeError(`aiSdk takes a language model of specification v4; this one is of ${version}.`)
  }
  const provider = `ai-sdk-${model.provider.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
  const settings = { provider, model: model.modelId, maxTokens, thinking }
  return {
    provider,
    id: model.modelId,
    ...factsOf(provider, model.modelId, options),
    bindsCallsToReasoning: true,
    stream(request) {
      const isIdle = request.tools.length === 0 || request.toolChoice === 'none'
      const leftOut = askedFor(request, ['cache', ...(isIdle ? (['requiredCall'] as const) : [])])
      const { signal } = request
      const call = {
        provider,
        keySource: 'the key of the language model',
        signal,
        idleTimeoutMs,
        fetch,
        now,
        limiter,
        leftOut,
      }
      const answer = new AiSdkAnswer(provider, model.modelId)
      return answerStream(
        call,
        async (line) => {
          const asked = { ...callOptions(request, settings), abortSignal: line.signal }
          line.listen()
          try {
            const { stream } = await model.doStream({ ...asked, ...(headers === undefined ? {} : { headers }) })
            return stream
          } catch (error) {
            throw failureOf(call, error, now())
          }
        },
        answer,
      )
    },
  }
}

/** The package's errors of a call hold status, headers and body of the answer. */
function failureOf(wire: WireName, error: unknown, now: number): ModelError {
  if (!isRecord(error) || typeof error['statusCode'] !== 'number') return lineFailure(wire, error)
  const { statusCode: status, responseBody, responseHeaders } = error
  const headers = new Headers()
  for (const [name, value] of Object.entries(isRecord(responseHeaders) ? responseHeaders : {})) {
    headers.set(name, String(value))
  }
  return httpFailure(wire, { status, headers }, typeof responseBody === 'string' ? responseBody : '', now)
}
