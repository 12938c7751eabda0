import assert from 'node:assert/strict'
import { type AssistantMessage, textOf, toolCallsOf, userMessage } from '../../core/domain/message.ts'
import { ModelError } from '../../core/domain/model-error.ts'
import type { Model, ModelEvent, ModelRequest } from '../../core/ports/model.ts'
import { watched } from '../watchdog.ts'

/**
 * The answer that the model under test gives to every request. `text`: a text in several deltas and nothing else.
 * `calls`: thinking, a text and two tool calls with arguments. `failure`: an error after at least one delta. `endless`:
 * at least one delta, and no end until it is cancelled.
 */
export type ModelScenario = 'text' | 'calls' | 'failure' | 'endless'

/** A model that plays one scenario. */
export interface ModelUnderTest {
  readonly model: Model
  /** Releases the resources of the scenario. */
  dispose(): Promise<void>
}

type ModelCase = readonly [name: string, scenario: ModelScenario, run: (model: Model) => Promise<void>]

/** Returns the cases that every model must pass, for any test runner. `make` returns a model that plays a scenario. */
export function modelSuite(
  make: (scenario: ModelScenario) => Promise<ModelUnderTest>,
): readonly { readonly name: string; readonly run: () => Promise<void> }[] {
  return cases.map(([name, scenario, run]) => ({
    name,
    run: () =>
      watched(name, async () => {
        const under = await make(scenario)
        try {
          await run(under.model)
        } finally {
          await under.dispose()
        }
      }),
  }))
}

const cases: readonly ModelCase[] = [
  ['ends a text with exactly one finished event', 'text', endsWithOneFinished],
  ['ends an answer with calls with exactly one finished event', 'calls', endsWithOneFinished],
  [
    'stops with `stop` after a text and with no calls',
    'text',
    async (model) => {
      const message = await answerOf(model)
      assert.equal(message.stopReason, 'stop')
      assert.deepEqual(toolCallsOf(message), [])
      assert.notEqual(textOf(message), '')
    },
  ],
  [
    'stops with `toolUse` after calls, each with an id of its own',
    'calls',
    async (model) => {
      const message = await answerOf(model)
      const calls = toolCallsOf(message)
      assert.equal(message.stopReason, 'toolUse')
      assert.equal(calls.length, 2)
      assert.equal(new Set(calls.map(({ id }) => id)).size, 2)
      for (const call of calls) assert.ok(call.name !== '' && call.malformed === undefined && !call.truncated)
    },
  ],
  ['gives deltas that join to the text', 'text', joinsToTheMessage],
  ['gives deltas that join to thinking, text and arguments', 'calls', joinsToTheMessage],
  [
    'gives texts wherever a text is due, in deltas and in the message',
    'calls',
    async (model) => {
      const { events } = await hear(model)
      const message = messageIn(events)
      const texts: readonly unknown[] = [
        ...events.flatMap((event) => (event.type === 'finished' ? [] : textsOf(event))),
        ...message.content.flatMap(textsOf),
        message.model,
        message.provider,
      ]
      for (const text of texts) assert.equal(typeof text, 'string', `expected a text, got ${JSON.stringify(text)}`)
    },
  ],
  [
    'names its provider, its model, usage and time, in plain JSON',
    'calls',
    async (model) => {
      const message = await answerOf(model)
      assert.equal(message.role, 'assistant')
      assert.equal(message.provider, model.provider)
      assert.match(model.provider, /^[a-z][a-z0-9-]*$/)
      assert.notEqual(message.model, '')
      assert.ok(Number.isInteger(message.timestamp))
      for (const count of Object.values(message.usage)) assert.ok(Number.isInteger(count) && count >= 0)
      const { input, output, cacheRead, cacheWrite, totalTokens } = message.usage
      assert.equal(totalTokens, input + output + cacheRead + cacheWrite)
      assert.deepEqual(JSON.parse(JSON.stringify(message)), message)
    },
  ],
  [
    'keeps two streams at a time apart',
    'calls',
    async (model) => {
      const [first, second] = await Promise.all([hear(model), hear(model)])
      assert.deepEqual(untimed(second.events), untimed(first.events))
    },
  ],
  [
    'throws a ModelError in place of finished when the wire fails',
    'failure',
    async (model) => {
      const { events, error } = await hear(model)
      assert.ok(error instanceof ModelError, `expected a ModelError, got ${String(error)}`)
      assert.notEqual(error.kind, 'cancelled')
      assert.notEqual(error.message, '')
      assert.ok(events.every(({ type }) => type !== 'finished'))
    },
  ],
  [
    'throws `cancelled` for a signal that fired before',
    'text',
    async (model) => {
      const { events, error } = await hear(model, AbortSignal.abort())
      assert.deepEqual(events, [])
      assertCancelled(error)
    },
  ],
  [
    'throws `cancelled` once the signal fires in the middle, and nothing after',
    'endless',
    async (model) => {
      const stop = new AbortController()
      const { events, error } = await hear(model, stop.signal, () => stop.abort())
      assert.equal(events.length, 1)
      assertCancelled(error)
    },
  ],
  [
    'lets a reader leave in the middle, and answers the next one',
    'text',
    async (model) => {
      for await (const event of model.stream(request())) {
        assert.equal(event.type, 'text')
        break
      }
      assert.notEqual(textOf(await answerOf(model)), '')
    },
  ],
]

async function endsWithOneFinished(model: Model): Promise<void> {
  const { events, error } = await hear(model)
  assert.equal(error, undefined)
  assert.deepEqual(
    events.flatMap(({ type }, index) => (type === 'finished' ? [index] : [])),
    [events.length - 1],
  )
  assert.ok(events.length > 1, 'expected deltas before the finished event')
}

async function joinsToTheMessage(model: Model): Promise<void> {
  const { events } = await hear(model)
  const message = messageIn(events)
  assert.equal(joined(events, 'text'), textOf(message))
  const thinking = message.content.map((block) => (block.type === 'thinking' ? block.thinking : ''))
  assert.equal(joined(events, 'thinking'), thinking.join(''))
  const calls = new Map<string, string>()
  for (const event of events) {
    if (event.type === 'toolCall') calls.set(event.id, (calls.get(event.id) ?? '') + event.delta)
  }
  assert.deepEqual(
    [...calls].map(([id, text]) => ({ id, arguments: JSON.parse(text) })),
    toolCallsOf(message).map((call) => ({ id: call.id, arguments: call.arguments })),
  )
}

/** Returns every value of a delta or a block that must be a text. */
function textsOf(piece: Exclude<ModelEvent, { type: 'finished' }> | AssistantMessage['content'][number]): unknown[] {
  const delta = 'delta' in piece ? [piece.delta] : []
  if (piece.type === 'toolCall') return [...delta, piece.id, piece.name]
  if ('delta' in piece) return delta
  return piece.type === 'text' ? [piece.text] : [piece.thinking]
}

function joined(events: readonly ModelEvent[], type: 'text' | 'thinking'): string {
  return events.map((event) => (event.type === type ? event.delta : '')).join('')
}

function assertCancelled(error: unknown): void {
  assert.ok(error instanceof ModelError, `expected a ModelError, got ${String(error)}`)
  assert.equal(error.kind, 'cancelled')
}

async function answerOf(model: Model): Promise<AssistantMessage> {
  return messageIn((await hear(model)).events)
}

function messageIn(events: readonly ModelEvent[]): AssistantMessage {
  const last = events.at(-1)
  assert.ok(last?.type === 'finished', `expected finished as the last event, got ${last?.type ?? 'no event'}`)
  return last.message
}

function untimed(events: readonly ModelEvent[]): readonly ModelEvent[] {
  return events.map((event) =>
    event.type === 'finished' ? { ...event, message: { ...event.message, timestamp: 0 } } : event,
  )
}

async function hear(
  model: Model,
  signal: AbortSignal = new AbortController().signal,
  onEvent: () => void = () => undefined,
): Promise<{ readonly events: readonly ModelEvent[]; readonly error?: unknown }> {
  const events: ModelEvent[] = []
  try {
    for await (const event of model.stream(request(signal))) {
      events.push(event)
      onEvent()
    }
    return { events }
  } catch (error) {
    return { events, error }
  }
}

function request(signal: AbortSignal = new AbortController().signal): ModelRequest {
  const parameters = { type: 'object', properties: { city: { type: 'string' } } }
  const tools = [{ name: 'weather', description: 'Tells the weather of a city.', parameters }]
  return { system: 'Be brief.', messages: [userMessage('Weather in Oslo and Rome?', 1)], tools, signal }
}
