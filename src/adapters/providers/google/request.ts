import { defined } from '../../../core/domain/text/json.ts'
import type { GenerateContentConfig, GenerateContentParameters, ToolConfig } from '@google/genai/web'
import type { ModelRequest, RequestOption, ToolDefinition } from '../../../core/ports/model.ts'
import { accepted } from '../wire/accepted.ts'
import { isSendable, sendableText } from '../wire/history.ts'
import { legalRequest } from '../wire/legal-request.ts'
import { askedFor, type ModelSettings } from '../wire/model-options.ts'
import { googleContents } from './contents.ts'
import { thinkingConfig, thinks } from './thinking.ts'
import type { GoogleSdk } from './google-sdk.ts'

/** A request as the package takes it; whatever it would do beyond asking once is switched off. */
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
export function googleLeftOut(
  request: ModelRequest,
  { model }: Pick<ModelSettings, 'model'>,
): readonly RequestOption[] {
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
