import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { isRecord } from '../../domain/json.ts'
import type { ModelError } from '../../domain/model-error.ts'
import type { Model } from '../../ports/model.ts'
import { answerStream, type Line, type WireCall } from '../wire/answer-stream.ts'
import { factsOf } from '../wire/model-facts.ts'
import { askedFor, type ModelOptions } from '../wire/model-options.ts'
import { httpFailure, lineFailure } from '../wire/failure.ts'
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
      const asked = { ...callOptions(request, settings), ...(headers === undefined ? {} : { headers }) }
      return answerStream(
        call,
        (line) => openStream(model, asked, line, call),
        new AiSdkAnswer(provider, model.modelId),
      )
    },
  }
}

/** The package has a fetch of its own, so that silence is counted from here. */
async function openStream(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  line: Line,
  call: WireCall,
): Promise<AsyncIterable<LanguageModelV4StreamPart>> {
  line.listen()
  try {
    const { stream } = await model.doStream({ ...options, abortSignal: line.signal })
    return stream
  } catch (error) {
    throw failureOf(call, error)
  }
}

/** The package's errors of a call hold status, headers and body of the answer. */
function failureOf(call: WireCall, error: unknown): ModelError {
  if (!isRecord(error) || typeof error['statusCode'] !== 'number') return lineFailure(call, error)
  const { statusCode: status, responseBody, responseHeaders } = error
  const headers = new Headers()
  for (const [name, value] of Object.entries(isRecord(responseHeaders) ? responseHeaders : {})) {
    headers.set(name, String(value))
  }
  return httpFailure(call, { status, headers }, typeof responseBody === 'string' ? responseBody : '', call.now())
}
