import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV3StreamPart, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { createOpenAICompatible as createOlder } from 'ai-sdk-6-openai-compatible'
import { Anthropic } from '@anthropic-ai/sdk'
import { BedrockRuntimeClient, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime'
import { GoogleGenAI } from '@google/genai/web'
import { OpenAI } from 'openai'
import { requestHandler } from '../../src/adapters/providers/bedrock/request-handler.ts'
import { ErrorMask } from '../../src/adapters/providers/wire/error-mask.ts'

/** The provider's own package's reading of a stream. */
export interface SdkReading {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[]
  /** The stop reason in the wire's own word. */
  readonly stop: string
  /** Input with cached tokens, and output with thinking. */
  readonly tokens: { readonly input: number; readonly output: number }
}

/** Reads the answer of a server by the provider's own package, for each wire. */
export const sdkReadings: Readonly<Record<string, (url: string) => Promise<SdkReading>>> = {
  anthropic: readAnthropic,
  'openai-chat': readChat,
  'openai-responses': readResponses,
  azure: (url) => readResponses(`${url}/openai/v1`),
  google: (url) => readGoogle(url, false),
  vertex: (url) => readGoogle(url, true),
  bedrock: readBedrock,
  'ai-sdk': readAiSdk,
  'ai-sdk-v3': readOlderAiSdk,
}

async function readAnthropic(baseURL: string): Promise<SdkReading> {
  const client = new Anthropic({ apiKey: 'key', baseURL, maxRetries: 0, logLevel: 'off' })
  const question = { role: 'user' as const, content: 'Hello' }
  const message = await client.messages
    .stream({ model: 'claude-sonnet-5-5', max_tokens: 100, messages: [question] })
    .finalMessage()
  const { usage } = message
  return {
    text: message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: message.content.flatMap((block) =>
      block.type === 'tool_use' ? [{ name: block.name, arguments: block.input }] : [],
    ),
    stop: message.stop_reason ?? '',
    tokens: { input: usage.input_tokens + (usage.cache_read_input_tokens ?? 0), output: usage.output_tokens },
  }
}

async function readChat(baseURL: string): Promise<SdkReading> {
  const client = new OpenAI({ apiKey: 'key', baseURL, maxRetries: 0, logLevel: 'off' })
  const stream = client.chat.completions.stream({
    model: 'gpt-6-luna',
    messages: [{ role: 'user', content: 'Hello' }],
    stream_options: { include_usage: true },
  })
  let usage: OpenAI.CompletionUsage | undefined
  stream.on('chunk', (chunk) => (usage = chunk.usage ?? usage))
  const { choices } = await stream.finalChatCompletion()
  const [choice] = choices
  return {
    text: choice?.message.content ?? '',
    calls: (choice?.message.tool_calls ?? []).flatMap((call) =>
      call.type === 'function' ? [{ name: call.function.name, arguments: parsed(call.function.arguments) }] : [],
    ),
    stop: choice?.finish_reason ?? '',
    tokens: { input: usage?.prompt_tokens ?? 0, output: usage?.completion_tokens ?? 0 },
  }
}

async function readResponses(baseURL: string): Promise<SdkReading> {
  const client = new OpenAI({ apiKey: 'key', baseURL, maxRetries: 0, logLevel: 'off' })
  const reading = { text: '', calls: [] as { name: string; arguments: unknown }[] }
  for await (const event of await client.responses.create({ model: 'gpt-6.1-sol', input: 'Hello', stream: true })) {
    if (event.type === 'response.output_item.done') {
      if (event.item.type === 'function_call') {
        reading.calls.push({ name: event.item.name, arguments: parsed(event.item.arguments) })
      }
    }
    if (event.type === 'response.output_text.delta') reading.text += event.delta
    if (event.type === 'response.completed' || event.type === 'response.incomplete') {
      const { status, usage, incomplete_details: details } = event.response
      const tokens = { input: usage?.input_tokens ?? 0, output: usage?.output_tokens ?? 0 }
      return { ...reading, stop: details?.reason ?? status ?? '', tokens }
    }
  }
  throw new Error('The package read a stream without an end.')
}

async function readGoogle(url: string, vertexai: boolean): Promise<SdkReading> {
  const baseUrl = vertexai ? `${url}/v1/projects/p/locations/eu` : url
  const options = vertexai ? { apiVersion: '' } : {}
  const ai = new GoogleGenAI({ apiKey: 'key', vertexai, ...options, httpOptions: { baseUrl } })
  const reading = { text: '', calls: [] as { name: string; arguments: unknown }[], stop: '' }
  let tokens = { input: 0, output: 0 }
  const stream = await ai.models.generateContentStream({
    model: 'gemini-3.8-flash',
    contents: 'Hello',
    config: { automaticContinuation: false },
  })
  for await (const { candidates, usageMetadata: usage } of stream) {
    for (const { text, thought, functionCall } of candidates?.[0]?.content?.parts ?? []) {
      if (thought !== true) reading.text += text ?? ''
      if (functionCall) reading.calls.push({ name: functionCall.name ?? '', arguments: functionCall.args ?? {} })
    }
    reading.stop = candidates?.[0]?.finishReason ?? reading.stop
    const output = (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0)
    if (usage !== undefined) tokens = { input: usage.promptTokenCount ?? 0, output }
  }
  return { ...reading, tokens }
}

async function readBedrock(endpoint: string): Promise<SdkReading> {
  const line = { fetch, signal: new AbortController().signal, listen: () => undefined, mask: new ErrorMask() }
  const client = new BedrockRuntimeClient({
    endpoint,
    region: 'us-east-1',
    token: { token: 'key' },
    authSchemePreference: ['httpBearerAuth'],
    maxAttempts: 1,
    requestHandler: requestHandler(line, undefined),
  })
  const messages = [{ role: 'user' as const, content: [{ text: 'Hello' }] }]
  const { stream } = await client.send(new ConverseStreamCommand({ modelId: 'us.anthropic.claude-sonnet-5', messages }))
  const calls = new Map<number, { readonly name: string; text: string }>()
  const reading = { text: '', stop: '' }
  let tokens = { input: 0, output: 0 }
  for await (const event of stream ?? []) {
    const start = event.contentBlockStart?.start?.toolUse
    if (start) calls.set(event.contentBlockStart?.contentBlockIndex ?? 0, { name: start.name ?? '', text: '' })
    const delta = event.contentBlockDelta?.delta
    reading.text += delta?.text ?? ''
    const call = calls.get(event.contentBlockDelta?.contentBlockIndex ?? -1)
    if (call && delta?.toolUse) call.text += delta.toolUse.input ?? ''
    reading.stop = event.messageStop?.stopReason ?? reading.stop
    const usage = event.metadata?.usage
    const input = (usage?.inputTokens ?? 0) + (usage?.cacheReadInputTokens ?? 0)
    if (usage) tokens = { input, output: usage.outputTokens ?? 0 }
  }
  const called = [...calls.values()].map(({ name, text }) => ({ name, arguments: parsed(text) }))
  return { ...reading, calls: called, tokens }
}

async function readAiSdk(baseURL: string): Promise<SdkReading> {
  const local = createOpenAICompatible({ name: 'local', baseURL, apiKey: 'key', includeUsage: true })
  return await readParts((await local('gpt-6-luna').doStream({ prompt: [asked] })).stream)
}

async function readOlderAiSdk(baseURL: string): Promise<SdkReading> {
  const local = createOlder({ name: 'local', baseURL, apiKey: 'key', includeUsage: true })
  return await readParts((await local('gpt-6-luna').doStream({ prompt: [asked] })).stream)
}

const asked = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }

async function readParts(
  stream: AsyncIterable<LanguageModelV3StreamPart | LanguageModelV4StreamPart>,
): Promise<SdkReading> {
  const reading = { text: '', calls: [] as { name: string; arguments: unknown }[], stop: '' }
  let tokens = { input: 0, output: 0 }
  for await (const part of stream) {
    if (part.type === 'text-delta') reading.text += part.delta
    if (part.type === 'tool-call') reading.calls.push({ name: part.toolName, arguments: parsed(part.input) })
    if (part.type !== 'finish') continue
    reading.stop = part.finishReason.raw ?? ''
    tokens = { input: part.usage.inputTokens.total ?? 0, output: part.usage.outputTokens.total ?? 0 }
  }
  return { ...reading, tokens }
}

function parsed(text: string): unknown {
  return text === '' ? {} : JSON.parse(text)
}
