import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Anthropic } from '@anthropic-ai/sdk'
import { BedrockRuntimeClient, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime'
import { GoogleGenAI } from '@google/genai/web'
import { OpenAI } from 'openai'
import { userMessage } from '../src/core/domain/message.ts'
import { requestHandler } from '../src/adapters/providers/bedrock/request-handler.ts'
import { aiSdk } from '../src/adapters/providers/ai-sdk/ai-sdk.ts'
import { anthropicWire } from '../proof/wires/anthropic-wire.ts'
import { bedrockDelta, bedrockWire } from '../proof/wires/bedrock-wire.ts'
import { chatChunk, chatWire } from '../proof/wires/chat-wire.ts'
import { bytesOf, type Frame } from '../proof/wires/fault-server.ts'
import { googleChunk, googleWire } from '../proof/wires/google-wire.ts'
import { responsesWire } from '../proof/wires/responses-wire.ts'
import { namedFrame, type Wire } from '../proof/wires/wire.ts'
import type { Model } from '../src/core/ports/model.ts'
import { timeOf } from './stopwatch.ts'
import { ErrorMask } from '../src/adapters/providers/wire/error-mask.ts'

/** One wire to time: an answer of many deltas, read by us and by the provider's own package. */
export interface WireSubject {
  readonly name: string
  /** Microseconds of processor time a delta through our adapter. */
  readonly ours: (deltas: number) => Promise<number>
  /** The same bytes through the package alone. */
  readonly floor: (deltas: number) => Promise<number>
}

type Fetch = typeof globalThis.fetch

/** Every wire that has a reader of its own; the bytes come from memory, a frame at a time. */
export const wireSubjects: readonly WireSubject[] = [
  subject(
    anthropicWire,
    (text) => namedFrame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    async (fetch) => {
      const client = new Anthropic({ apiKey: 'key', fetch, maxRetries: 0, logLevel: 'off' })
      return await client.messages.create({
        model: 'claude-sonnet-5-5',
        max_tokens: 9,
        stream: true,
        messages: [asked],
      })
    },
  ),
  subject(
    chatWire,
    (text) => chatChunk({ content: text }),
    async (fetch) => {
      const client = new OpenAI({ apiKey: 'key', fetch, maxRetries: 0, logLevel: 'off' })
      return await client.chat.completions.create({ model: 'gpt-6-luna', stream: true, messages: [asked] })
    },
  ),
  subject(
    responsesWire,
    (delta) =>
      namedFrame({ type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'msg_1', delta }),
    async (fetch) => {
      const client = new OpenAI({ apiKey: 'key', fetch, maxRetries: 0, logLevel: 'off' })
      return await client.responses.create({ model: 'gpt-6.1-sol', stream: true, input: 'Hello' })
    },
  ),
  subject(
    googleWire,
    (text) => googleChunk([{ text }]),
    async (fetch) => {
      const client = new GoogleGenAI({ apiKey: 'key', httpOptions: { fetch } })
      const config = { automaticContinuation: false }
      return await client.models.generateContentStream({ model: 'gemini-3.8-flash', contents: 'Hello', config })
    },
  ),
  subject(
    bedrockWire,
    (text) => bedrockDelta(0, { text }),
    async (fetch) => {
      const line = { fetch, signal: new AbortController().signal, listen: () => undefined, mask: new ErrorMask() }
      const client = new BedrockRuntimeClient({
        region: 'us-east-1',
        token: { token: 'key' },
        authSchemePreference: ['httpBearerAuth'],
        maxAttempts: 1,
        requestHandler: requestHandler(line, undefined),
      })
      const messages = [{ role: 'user' as const, content: [{ text: 'Hello' }] }]
      const { stream } = await client.send(new ConverseStreamCommand({ modelId: 'anthropic.claude', messages }))
      if (stream === undefined) throw new Error('There is no stream.')
      return stream
    },
  ),
  subject(
    { ...chatWire, name: 'ai-sdk' },
    (text) => chatChunk({ content: text }),
    async (fetch) => {
      const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }]
      return (await localModel(fetch).doStream({ prompt })).stream
    },
    (fetch) => aiSdk(localModel(fetch)),
  ),
]

const asked = { role: 'user' as const, content: 'Hello' }

function localModel(fetch: Fetch) {
  return createOpenAICompatible({ name: 'local', baseURL: 'http://127.0.0.1:9', apiKey: 'key', fetch })('gpt-6-luna')
}

function subject(
  wire: Wire,
  delta: (text: string) => Frame,
  open: (fetch: Fetch) => Promise<AsyncIterable<unknown>>,
  make: (fetch: Fetch) => Model = (fetch) => wire.make('http://127.0.0.1:9', { fetch }),
): WireSubject {
  const fetchOf = (deltas: number) => {
    const middle = Array.from({ length: deltas }, (_, index) => bytesOf([delta(`word ${index} `)]))
    return replay([bytesOf(wire.opening), ...middle, bytesOf(wire.closing)], wire.mediaType ?? 'text/event-stream')
  }
  const timed = async (deltas: number, read: (fetch: Fetch) => Promise<number>) => {
    const fetch = fetchOf(deltas)
    let count = 0
    const time = await timeOf('processor', async () => {
      count = await read(fetch)
    })
    if (count < deltas) throw new Error(`${wire.name} gave ${count} items of ${deltas} deltas.`)
    return time / deltas
  }
  return {
    name: wire.name,
    ours: (deltas) => timed(deltas, async (fetch) => await countOf(make(fetch).stream(request()))),
    floor: (deltas) => timed(deltas, async (fetch) => await countOf(await open(fetch))),
  }
}

function request() {
  return { system: '', messages: [userMessage('Hello', 1)], tools: [], signal: new AbortController().signal }
}

async function countOf(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  for await (const _item of items) count++
  return count
}

/** A fetch that answers every request with the same chunks, as fast as they are read. */
function replay(chunks: readonly Uint8Array[], mediaType: string): Fetch {
  return async () => {
    let next = 0
    const body = new ReadableStream({
      pull(controller) {
        const chunk = chunks[next++]
        if (chunk === undefined) controller.close()
        else controller.enqueue(chunk)
      },
    })
    return new Response(body, { headers: { 'content-type': mediaType } })
  }
}
