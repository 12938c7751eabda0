import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider'
import { isRecord } from '../../../core/domain/text/json.ts'
import type { ModelError } from '../../../core/domain/model-error.ts'
import { checkOptions } from '../../../core/domain/text/option-shape.ts'
import { UsageError } from '../../../core/domain/text/usage-error.ts'
import type { Model, ModelRequest, RequestOption } from '../../../core/ports/model.ts'
import { answerStream, type Line, type WireCall } from '../wire/answer-stream.ts'
import { factsOf } from '../wire/model-facts.ts'
import { askedFor, type ModelOptions, type ModelSettings } from '../wire/model-options.ts'
import { modelShape } from '../wire/model-shape.ts'
import { httpFailure, lineFailure } from '../wire/failure.ts'
import { AiSdkAnswer, type StreamPart } from './answer.ts'
import { callOptions, olderCallOptions } from './prompt.ts'
import { accepted } from '../wire/accepted.ts'

/** Options of `aiSdk`. All are optional. The language model has its own key and address. */
export type AiSdkOptions = Omit<ModelOptions, 'apiKey' | 'credentials' | 'fetch'>

const { apiKey: _, credentials: __, fetch: ___, ...shape } = modelShape

/**
 * Returns a model for a language model of the AI SDK (versions 3 and 4 of its specification). Its provider id begins
 * with `ai-sdk-`.
 *
 * @example
 * aiSdk(createOpenAICompatible({ name: 'local', baseURL: 'http://127.0.0.1:8080/v1' })('llama-4'))
 */
export function aiSdk(model: LanguageModelV3 | LanguageModelV4, options: AiSdkOptions = {}): Model {
  checkOptions('aiSdk', options, shape)
  const { maxTokens, thinking, headers, limiter, idleTimeoutMs = 120_000, now = Date.now } = options
  const version: unknown = isRecord(model) ? model.specificationVersion : undefined
  if (version !== 'v4' && version !== 'v3') {
    const found = typeof version === 'string' ? `of ${version}` : 'none'
    throw new UsageError(
      'bad_option',
      `aiSdk takes a language model of specification v3 or v4; this one is ${found}. Pass a model from a provider of the AI SDK.`,
    )
  }
  const provider = `ai-sdk-${model.provider.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
  const settings = { provider, model: model.modelId, maxTokens, thinking }
  return {
    provider,
    id: model.modelId,
    wire: 'ai-sdk',
    media: accepted['ai-sdk'],
    thinking,
    ...factsOf(provider, model.modelId, options),
    bindsCallsToReasoning: true,
    stream(request) {
      const { signal } = request
      const leftOut = leftOutOf(request, version)
      const call = { provider, keySource, signal, idleTimeoutMs, fetch, now, limiter, leftOut }
      return answerStream(
        call,
        (line) =>
          openStream(model, () => streamOf(model, request, settings, headers, line.signal), headers, line, call),
        new AiSdkAnswer(provider, model.modelId),
      )
    },
  }
}

const keySource = 'the key of the language model'

/** Returns the options that the package cannot express. The stream reports those that the model does not support. */
function leftOutOf(request: ModelRequest, version: 'v3' | 'v4'): readonly RequestOption[] {
  const isIdle = request.tools.length === 0 || request.toolChoice === 'none'
  return askedFor(request, { cache: true, requiredCall: isIdle, thinking: version === 'v3' })
}

/** Opens the stream and starts the idle timer, because the package uses its own fetch. */
async function openStream(
  model: LanguageModelV3 | LanguageModelV4,
  ask: () => PromiseLike<{ readonly stream: AsyncIterable<StreamPart> }>,
  headers: AiSdkOptions['headers'],
  line: Line,
  call: WireCall,
): Promise<AsyncIterable<StreamPart>> {
  line.mask.note(new Headers(headers))
  line.mask.note(await ownHeaders(model))
  line.listen()
  try {
    return (await ask()).stream
  } catch (error) {
    throw failureOf({ ...call, mask: line.mask.text }, error)
  }
}

/** Returns the headers in a model's configuration, which the specification does not define. */
async function ownHeaders(model: object): Promise<Headers> {
  try {
    const config: unknown = Reflect.get(model, 'config')
    const headers: unknown = isRecord(config) ? config['headers'] : undefined
    const given: unknown = typeof headers === 'function' ? await headers() : headers
    const texts = Object.entries(isRecord(given) ? given : {}).filter(([, value]) => typeof value === 'string')
    return new Headers(texts.map(([name, value]): [string, string] => [name, String(value)]))
  } catch {
    return new Headers()
  }
}

function streamOf(
  model: LanguageModelV3 | LanguageModelV4,
  request: ModelRequest,
  settings: ModelSettings,
  headers: AiSdkOptions['headers'],
  abortSignal: AbortSignal,
): PromiseLike<{ readonly stream: AsyncIterable<StreamPart> }> {
  const more = { abortSignal, ...(headers === undefined ? {} : { headers }) }
  if (model.specificationVersion === 'v3') return model.doStream({ ...olderCallOptions(request, settings), ...more })
  return model.doStream({ ...callOptions(request, settings), ...more })
}

/** Returns the failure of a call by the package's error, which has no error status if the body broke off. */
function failureOf(call: WireCall, error: unknown): ModelError {
  const status = isRecord(error) ? error['statusCode'] : undefined
  if (!isRecord(error) || typeof status !== 'number' || status < 400) return lineFailure(call, error)
  const { responseBody, responseHeaders, url } = error
  const headers = new Headers()
  for (const [name, value] of Object.entries(isRecord(responseHeaders) ? responseHeaders : {})) {
    headers.set(name, String(value))
  }
  const body = typeof responseBody === 'string' ? responseBody : ''
  return httpFailure(call, { status, headers, body, asked: typeof url === 'string' ? url : '' }, call.now())
}
