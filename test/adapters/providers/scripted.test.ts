import { expect, test } from 'vitest'
import { type AssistantMessage, textOf, userMessage } from '../../../src/core/domain/message.ts'
import { ModelError } from '../../../src/core/domain/model-error.ts'
import { noUsage } from '../../../src/core/domain/usage.ts'
import type { Model, ModelEvent, ModelRequest } from '../../../src/core/ports/model.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'

const answer: AssistantMessage = {
  role: 'assistant',
  content: [{ type: 'text', text: 'earlier' }],
  stopReason: 'stop',
  model: 'scripted',
  provider: 'scripted',
  usage: noUsage,
  timestamp: 1,
}

function request(answers = 0, signal = new AbortController().signal): ModelRequest {
  const history = Array.from({ length: answers }, () => [userMessage('go on', 1), answer]).flat()
  return { system: '', messages: [...history, userMessage('hello', 1)], tools: [], signal }
}

async function play(model: Model, asked: ModelRequest = request()): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of model.stream(asked)) events.push(event)
  return events
}

async function textFrom(model: Model, asked: ModelRequest): Promise<string> {
  const last = (await play(model, asked)).at(-1)
  return last?.type === 'finished' ? textOf(last.message) : 'not finished'
}

test('PRV-02 streams thinking, text in a few deltas and tool calls, then one final message', async () => {
  const model = scripted(
    [
      {
        thinking: 'hm',
        text: 'abcdef',
        toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }],
        usage: { input: 3, output: 4 },
      },
    ],
    { now: () => 7 },
  )

  expect(await play(model)).toEqual([
    { type: 'thinking', delta: 'hm' },
    { type: 'text', delta: 'ab' },
    { type: 'text', delta: 'cd' },
    { type: 'text', delta: 'ef' },
    { type: 'toolCall', id: 'scripted-0-0', name: 'weather', delta: '{"city":"Oslo"}' },
    {
      type: 'finished',
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'abcdef' },
          { type: 'toolCall', id: 'scripted-0-0', name: 'weather', arguments: { city: 'Oslo' } },
        ],
        stopReason: 'toolUse',
        model: 'scripted',
        provider: 'scripted',
        usage: { input: 3, output: 4, cacheRead: 0, cacheWrite: 0, totalTokens: 7 },
        timestamp: 7,
      },
    },
  ])
})

test('PRV-02 picks the reply by the number of assistant messages in the request, not by the replies played before', async () => {
  const model = scripted(['first', 'second', 'third'])
  expect(await textFrom(model, request(2))).toBe('third')
  expect(await textFrom(model, request(0))).toBe('first')
  expect(await textFrom(model, request(0))).toBe('first')
  expect(await textFrom(scripted(['first', 'second']), request(1))).toBe('second')
})

test('PRV-05 counts calls instead on request, including failed attempts', async () => {
  const model = scripted([{ error: { kind: 'network', message: 'reset', retryAfterMs: 5 } }, 'recovered'], {
    by: 'calls',
  })
  await expect(play(model)).rejects.toMatchObject({
    name: 'ModelError',
    kind: 'network',
    message: 'reset',
    retryAfterMs: 5,
  })
  expect(await textFrom(model, request())).toBe('recovered')
})

test('PRV-02 calls a function for the reply to this request', async () => {
  const model = scripted([async ({ messages }) => `${messages.length} messages`])
  expect(await textFrom(model, request())).toBe('1 messages')
})

test('PRV-02 throws when it has no more replies', async () => {
  await expect(play(scripted(['only']), request(1))).rejects.toMatchObject({
    kind: 'api',
    message: 'The scripted model has 1 reply and was asked for number 2. Add a reply, or end the run earlier.',
  })
})

test('PRV-05 throws a given ModelError unchanged, after the deltas before it', async () => {
  const failure = new ModelError('overflow', 'prompt is too long')
  const seen: ModelEvent[] = []
  const reading = (async () => {
    for await (const event of scripted([{ text: 'ab', chunks: 1, error: failure }]).stream(request())) seen.push(event)
  })()
  await expect(reading).rejects.toBe(failure)
  expect(seen).toEqual([{ type: 'text', delta: 'ab' }])
})

test('PRV-01 keeps malformed and truncated marks, and never splits a character', async () => {
  const model = scripted([
    {
      text: '👍🏽',
      chunks: 5,
      toolCalls: [{ id: 'a', name: 'cut', arguments: {}, truncated: true }],
      stopReason: 'length',
    },
  ])
  const events = await play(model)
  expect(events.filter(({ type }) => type === 'text')).toEqual([
    { type: 'text', delta: '👍' },
    { type: 'text', delta: '🏽' },
  ])
  expect(events.at(-1)).toMatchObject({
    message: {
      stopReason: 'length',
      content: [{ type: 'text' }, { type: 'toolCall', id: 'a', name: 'cut', arguments: {}, truncated: true }],
    },
  })
})

test('PRV-01 can be cancelled before it starts, between deltas, and while a function runs', async () => {
  const model = scripted(['one two three', () => new Promise<string>(() => undefined)])
  await expect(play(model, request(0, AbortSignal.abort()))).rejects.toMatchObject({ kind: 'cancelled' })

  const between = new AbortController()
  const seen: ModelEvent[] = []
  const reading = (async () => {
    for await (const event of model.stream(request(0, between.signal))) {
      seen.push(event)
      between.abort()
    }
  })()
  await expect(reading).rejects.toMatchObject({ kind: 'cancelled' })
  expect(seen).toHaveLength(1)

  const thinking = new AbortController()
  const waiting = play(model, request(1, thinking.signal))
  thinking.abort()
  await expect(waiting).rejects.toMatchObject({ kind: 'cancelled' })
})
