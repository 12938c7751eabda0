import { describe, expect, test } from 'vitest'
import type { Model, ModelEvent } from '../../src/ports/model.ts'
import { type ScriptedReply, scripted } from '../../src/providers/scripted.ts'
import { type ModelScenario, modelSuite, type ModelUnderTest } from '../../src/testing/models/model-suite.ts'
import { faultServer, type Reply, stream } from '../../proof/wires/fault-server.ts'
import {
  anthropicFrame as frame,
  anthropicWire,
  chatChunk,
  chatFrame,
  chatWire,
  messageStart,
} from '../../proof/wires/wires.ts'

const scripts: Readonly<Record<ModelScenario, ScriptedReply>> = {
  text: 'It rains in both.',
  calls: {
    thinking: 'Two cities.',
    text: 'Looking.',
    toolCalls: [
      { name: 'weather', arguments: { city: 'Oslo' } },
      { name: 'weather', arguments: { city: 'Rome' } },
    ],
    usage: { input: 10, output: 20, cacheRead: 3 },
  },
  failure: { text: 'It', error: { kind: 'network', message: 'The connection broke.' } },
  endless: { text: 'It rains in both.', chunks: 9 },
}

function block(index: number, start: unknown, ...deltas: readonly unknown[]): string {
  const frames = [
    frame({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) => frame({ type: 'content_block_delta', index, delta })),
    frame({ type: 'content_block_stop', index }),
  ]
  return frames.join('')
}

function anthropicCall(index: number, id: string, city: string): string {
  const start = { type: 'tool_use', id, name: 'weather', input: {} }
  return block(index, start, { type: 'input_json_delta', partial_json: `{"city":"${city}"}` })
}

const anthropicReplies: Readonly<Record<ModelScenario, Reply>> = {
  text: stream([...anthropicWire.opening, ...anthropicWire.closing]),
  calls: stream([
    messageStart({ input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 3 }),
    block(0, { type: 'thinking', thinking: '' }, { type: 'thinking_delta', thinking: 'Two cities.' }),
    block(1, { type: 'text', text: '' }, { type: 'text_delta', text: 'Looking.' }),
    anthropicCall(2, 'toolu_1', 'Oslo'),
    anthropicCall(3, 'toolu_2', 'Rome'),
    frame({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 20 } }),
    frame({ type: 'message_stop' }),
  ]),
  failure: stream([...anthropicWire.opening, anthropicWire.error('api_error', 'Internal')]),
  endless: stream(anthropicWire.opening, 'hold'),
}

function chatCall(index: number, id: string, city: string): string {
  const parts = [`{"city":`, `"${city}"}`]
  return parts
    .map((text, place) => ({ index, ...(place === 0 ? { id } : {}), function: { name: 'weather', arguments: text } }))
    .map((call) => chatChunk({ tool_calls: [call] }))
    .join('')
}

const chatReplies: Readonly<Record<ModelScenario, Reply>> = {
  text: stream([...chatWire.opening, ...chatWire.closing]),
  calls: stream([
    chatChunk({ reasoning_content: 'Two cities.' }),
    chatChunk({ content: 'Looking.' }),
    chatCall(0, 'call_1', 'Oslo'),
    chatCall(1, 'call_2', 'Rome'),
    chatChunk({}, 'tool_calls'),
    chatFrame({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 } }),
    'data: [DONE]\n\n',
  ]),
  failure: stream([...chatWire.opening, chatWire.error('server_error', 'Internal')]),
  endless: stream(chatWire.opening, 'hold'),
}

async function served(reply: Reply, make: (url: string) => Model): Promise<ModelUnderTest> {
  const server = await faultServer(reply)
  return { model: make(server.url), dispose: async () => await server[Symbol.asyncDispose]() }
}

const makers: Readonly<Record<string, (scenario: ModelScenario) => Promise<ModelUnderTest>>> = {
  scripted: async (scenario) => ({ model: scripted([scripts[scenario]]), dispose: async () => undefined }),
  anthropic: (scenario) => served(anthropicReplies[scenario], anthropicWire.make),
  'openai-chat': (scenario) => served(chatReplies[scenario], chatWire.make),
}

describe.each(Object.entries(makers))('%s', (_name, make) => {
  test.each(modelSuite(make))('PRV-01 $name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined()
  })
})

/** A model with one fault, played by changing what the scripted one streams. */
function faulty(change: (events: readonly ModelEvent[]) => readonly ModelEvent[]) {
  return async (scenario: ModelScenario): Promise<ModelUnderTest> => {
    const sound = scripted([scripts[scenario]])
    const model: Model = {
      ...sound,
      async *stream(request) {
        const events: ModelEvent[] = []
        try {
          for await (const event of sound.stream(request)) events.push(event)
        } catch {
          // The fault of a model that swallows what goes wrong.
        }
        yield* change(events)
      },
    }
    return { model, dispose: async () => undefined }
  }
}

test.each([
  ['drops a delta', (events: readonly ModelEvent[]) => events.slice(1), 'gives deltas that join to the text'],
  ['never finishes', (events: readonly ModelEvent[]) => events.slice(0, -1), 'ends a text with exactly one'],
  ['finishes twice', (events: readonly ModelEvent[]) => [...events, ...events.slice(-1)], 'ends a text with exactly'],
  ['swallows failures', (events: readonly ModelEvent[]) => events, 'throws a ModelError in place of finished'],
  ['ignores the signal', (events: readonly ModelEvent[]) => events, 'throws `cancelled` for a signal that fired'],
])('PRV-01 the suite catches a model that %s', async (_fault, change, name) => {
  const suite = modelSuite(faulty(change)).find((item) => item.name.startsWith(name))
  await expect(suite?.run()).rejects.toMatchObject({ name: 'AssertionError' })
})
