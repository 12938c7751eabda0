import type {
  GenerateContentConfig,
  GenerateContentParameters,
  GoogleGenAIOptions,
  ToolConfig,
} from '@google/genai/web'
import type { Model, ModelRequest, RequestOption, ToolDefinition } from '../../../core/ports/model.ts'
import { accepted } from '../wire/accepted.ts'
import { loadGoogleSdk } from './load-google-sdk.ts'
import type { GoogleOptions } from './options.ts'
import { wireModel } from '../wire/wire-model.ts'
import { GoogleAnswer } from './answer.ts'
import { defined } from '../../../core/domain/text/json.ts'
import { isSendable, sendableText } from '../wire/history.ts'
import { legalRequest } from '../wire/legal-request.ts'
import { askedFor, type ModelSettings } from '../wire/model-options.ts'
import { googleContents } from './contents.ts'
import { thinkingConfig, thinks, type GoogleSdk } from './thinking.ts'

/** A server of the wire, with the settings of its client. */
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

/** Returns a request for the package. Everything that the package would do besides one request is switched off. */
export function googleRequest(
  given: ModelRequest,
  settings: ModelSettings,
  sdk: GoogleSdk,
): GenerateContentParameters & { readonly config: GenerateContentConfig } {
  const request = legalRequest(given, accepted.gemini)
  const maxTokens = request.maxTokens ?? settings.maxTokens
  const thinkingConfigured = thinkingConfig(settings.model, request.thinking ?? settings.thinking, sdk)
  const toolConfig = request.tools.length > 0 ? toolConfigOf(request, sdk) : undefined
  return {
    model: settings.model,
    contents: googleContents(request.messages, settings),
    config: {
      ...(isSendable(request.system) ? { systemInstruction: sendableText(request.system) } : {}),
      ...(request.tools.length > 0 ? { tools: [{ functionDeclarations: request.tools.map(declarationOf) }] } : {}),
      ...defined({
        toolConfig,
        maxOutputTokens: maxTokens,
        temperature: request.temperature,
        thinkingConfig: thinkingConfigured,
      }),
      ...(request.output === undefined
        ? {}
        : { responseMimeType: 'application/json', responseJsonSchema: request.output.schema }),
      automaticFunctionCalling: { disable: true },
      automaticContinuation: false,
    },
  }
}

/** Returns the options that the wire cannot express: it caches by itself, and older models do not think. */
function googleLeftOut(request: ModelRequest, { model }: Pick<ModelSettings, 'model'>): readonly RequestOption[] {
  const isIdle = request.tools.length === 0 || request.toolChoice === 'none'
  return askedFor(request, { cache: true, thinking: !thinks(model), requiredCall: isIdle })
}

function declarationOf({ name, description, parameters }: ToolDefinition) {
  return { name, description, parametersJsonSchema: parameters }
}

function toolConfigOf(
  { toolChoice, requiredCall }: ModelRequest,
  { FunctionCallingConfigMode: modes }: GoogleSdk,
): ToolConfig | undefined {
  if (toolChoice === 'none') return { functionCallingConfig: { mode: modes.NONE } }
  if (requiredCall === undefined) return undefined
  const named = requiredCall === true ? {} : { allowedFunctionNames: [requiredCall] }
  return { functionCallingConfig: { mode: modes.ANY, ...named } }
}
