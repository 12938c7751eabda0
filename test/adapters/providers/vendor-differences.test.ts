import { describe, expect, test } from 'vitest'
import { UsageError } from '../../../src/index.ts'
import { type ModelMessage, textOf } from '../../../src/core/domain/message.ts'
import { aiSdk } from '../../../src/adapters/providers/ai-sdk/ai-sdk.ts'
import { compatible, type PresetName } from '../../../src/adapters/providers/openai-chat/presets.ts'
import { modelRegistry } from '../../../src/adapters/providers/registry.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { faultServer, type Frame, stream } from '../../../proof/wires/fault-server.ts'
import { bedrockWire } from '../../../proof/wires/bedrock-wire.ts'
import { chatChunk, chatWire } from '../../../proof/wires/chat-wire.ts'
import { googleChunk, googleWire } from '../../../proof/wires/google-wire.ts'
import { messageItem, responsesWire, wireItem, wireResponse } from '../../../proof/wires/responses-wire.ts'
import { dataFrame, namedFrame, type Wire } from '../../../proof/wires/wire.ts'
import { wires } from '../../../proof/wires/wires.ts'
import { ask, requestOf } from './ask.ts'
import { assistant, call, result, user } from './history.ts'

async function heard(wire: Wire, ...frames: readonly Frame[]) {
  await using server = await faultServer(stream(frames, 'end', wire.mediaType))
  return await ask(wire.make(server.url))
}

async function sent(wire: Wire, messages: readonly ModelMessage[]): Promise<string> {
  await using server = await faultServer(stream([...wire.opening, ...wire.closing], 'end', wire.mediaType))
  await ask(wire.make(server.url), requestOf({ messages }))
  return JSON.stringify(server.requests[0]?.body)
}

test.each([
  ['beside the completion', { completion_tokens: 1, total_tokens: 303 }, 291],
  ['as a part of it', { completion_tokens: 291, total_tokens: 303 }, 291],
  ['without a total', { completion_tokens: 1 }, 1],
])('PRV-09 counts reasoning that a server reports %s', async (_where, counts, output) => {
  const usage = { prompt_tokens: 12, ...counts, completion_tokens_details: { reasoning_tokens: 290 } }
  const frames = [chatChunk({ content: 'Hi' }), chatChunk({}, 'stop'), dataFrame({ choices: [], usage })]
  const { message } = await heard(chatWire, ...frames)
  expect(message?.usage).toMatchObject({ input: 12, output, totalTokens: 12 + output })
})

test('PRV-01 accepts an answer as complete if its metadata arrive before its stop', async () => {
  const [stop, metadata] = bedrockWire.closing.slice(-2)
  const { message } = await heard(bedrockWire, ...bedrockWire.opening, metadata ?? '', stop ?? '')
  expect(message).toMatchObject({ content: [{ text: 'Hel' }], usage: { input: 5, output: 2 } })
  const { error } = await heard(bedrockWire, ...bedrockWire.opening, metadata ?? '')
  expect(error).toMatchObject({ kind: 'network' })
})

test.each([
  { functionCall: { name: 'weather', willContinue: true } },
  { functionCall: { partialArgs: [{ jsonPath: '$.city', stringValue: 'Os' }] } },
])('PRV-07 refuses the arguments of a call that arrive in such pieces: %j', async (part) => {
  const { error, message } = await heard(googleWire, googleChunk([part]), googleChunk([], 'STOP'))
  expect(message).toBeUndefined()
  expect(error).toMatchObject({
    kind: 'api',
    message: expect.stringContaining('google sent the arguments of a call in'),
  })
})

describe('an item that is finished', () => {
  const completed = namedFrame({ type: 'response.completed', response: wireResponse({ status: 'completed' }) })

  test.each([
    ['more than its deltas', 'Hello', ['Hel'], 'Hello'],
    ['something else', 'Hello', ['Bye'], 'Bye'],
  ])('PRV-01 reads a finished item as the answer if it has %s', async (_what, whole, deltas) => {
    const { message, events } = await heard(
      responsesWire,
      wireItem(0, messageItem(whole), 'output_text', ...deltas),
      completed,
    )
    expect(message === undefined ? undefined : textOf(message)).toBe(whole)
    expect(events[0]).toEqual({ type: 'text', delta: deltas[0] })
  })

  test("PRV-07 reads a call's arguments from a finished item", async () => {
    const item = { id: 'f', type: 'function_call', call_id: 'c', name: 'weather', arguments: '{"city":"Rome"}' }
    const frames = [wireItem(0, item, 'function_call_arguments', '{"city":"Oslo"}'), completed]
    const { message } = await heard(responsesWire, ...frames)
    expect(message?.content).toMatchObject([{ type: 'toolCall', arguments: { city: 'Rome' } }])
  })
})

const strict = new Set(['anthropic', 'bedrock'])

test.each(wires)('PRV-02 $name replaces ids that it would refuse, and pairs them with their results', async (wire) => {
  const from = { provider: wire.provider, model: wire.make('http://127.0.0.1:9').id }
  for (const id of ['a b', `x${'y'.repeat(90)}`, 'é', ...(strict.has(wire.name) ? ['functions.weather:0'] : [])]) {
    const body = await sent(wire, [user('Go'), assistant([call(id)], from), result(id)])
    expect(body).not.toContain(`"${id}"`)
    const ids = [...body.matchAll(/"(?:toolUseId|tool_use_id|id|call_id|tool_call_id)":"([^"]+)"/g)].map(
      ([, one]) => one,
    )
    expect(new Set(ids).size).toBeLessThanOrEqual(1)
    for (const one of ids) expect(one).toMatch(/^[A-Za-z0-9_-]{1,40}$/)
  }
})

const userFirst = wires.filter(({ name }) => /anthropic|bedrock|google|vertex|ai-sdk/.test(name))

test.each(userFirst)(
  'PRV-02 $name adds a user message before a transcript that begins with an answer',
  async (wire) => {
    const from = { provider: 'x', model: 'y' }
    const body = await sent(wire, [assistant([{ type: 'text', text: 'Welcome.' }], from), user('Hi')])
    const [before, after] = body.split('Welcome.')
    expect(before).toContain('[The beginning of this conversation is not shown.]')
    expect(after).toContain('Hi')
    expect(await sent(wire, [user('Hi')])).not.toContain('is not shown')
  },
)

test.each<[string, () => unknown, string]>([
  ['a server nobody knows', () => compatible('acme' as PresetName, 'm'), 'Known: xai, groq'],
  ['a name every object has', () => compatible('toString' as PresetName, 'm'), 'Known: xai, groq'],
  ['a provider nobody knows', () => modelRegistry().model('acme/m'), 'The model "acme/m" is not known.'],
  ['a specification that is not a text', () => modelRegistry().model(5 as never), 'Option spec of registry.model is 5'],
  ['a provider without a default', () => modelRegistry().model('groq'), 'has no default model. Expected groq/<model>.'],
  ['no language model', () => aiSdk('gpt' as never), 'takes a language model of specification v3 or v4'],
  ['an older one', () => aiSdk({ specificationVersion: 'v2' } as never), 'this one is of v2.'],
  ['an unknown field', () => scripted([{ calls: [] } as never]), 'is not known. Did you mean toolCalls?'],
  ['one in a single reply', () => scripted({ message: 'Hi' } as never), 'Option message of scripted in replies'],
])('PRV-08 refuses %s with the code bad_option', (_what, make, message) => {
  expect(make).toThrow(UsageError)
  expect(make).toThrow(expect.objectContaining({ code: 'bad_option', message: expect.stringContaining(message) }))
})
