import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { afterEach, expect, test, vi } from 'vitest'
import { start } from '../../../proof/support/fake-clock.ts'
import { messagesOf } from '../../../proof/support/long-prompt.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { eventsOf, testAgent, type TestAgentOptions } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import type { CompactionOptions } from '../../../src/ports.ts'
import { type Model, ModelError, type ModelRequest } from '../../../src/index.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { openTelemetry } from '../../../src/adapters/telemetry/index.ts'

afterEach(() => vi.unstubAllEnvs())

/** A tracer whose spans and sums of metrics can be read. */
async function measured() {
  const exporter = new InMemorySpanExporter()
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  const sums: Record<string, number> = {}
  const add = (name: string) => (value: number) => void (sums[name] = (sums[name] ?? 0) + value)
  const meter = {
    createCounter: (name: string) => ({ add: add(name) }),
    createHistogram: (name: string) => ({ record: add(name) }),
  }
  const tracer = await openTelemetry({ tracerProvider, meterProvider: { getMeter: () => meter } as never })
  const spans = () =>
    exporter
      .getFinishedSpans()
      .filter(({ attributes }) => attributes['openinference.span.kind'] === 'LLM')
      .map(({ name, attributes }) => [
        name,
        attributes['statewright.effect'],
        attributes['gen_ai.usage.input_tokens'] ?? attributes['error.type'],
      ])
  return { tracer, exporter, spans, sums }
}

/** A model that gives its answers in order, the first of which has used 1 token, the next 10, then 100. */
function paid(id: string, replies: readonly ScriptedReply[]): Model & { readonly asked: ModelRequest[] } {
  const asked: ModelRequest[] = []
  const inner = scripted([], { id, now: () => start })
  const stream: Model['stream'] = async function* (request) {
    const index = asked.push(request) - 1
    const reply = replies[index] ?? 'Done.'
    if (reply instanceof Error) throw reply
    const usage = { input: 10 ** index, output: 0 }
    const answer = { ...(typeof reply === 'string' ? { text: reply } : reply), usage }
    yield* scripted(() => answer, { id, now: () => start }).stream(request)
  }
  return { ...inner, asked, stream }
}

const small: CompactionOptions = { budget: 1000, systemTokens: 100, keepFirst: 2, keepLast: 4 }
const away = new ModelError('network', 'Away.')
const tooLong = new ModelError('overflow', 'prompt is too long')
const { act } = toolbox()

/** Each way to ask a model: the spans of its requests, how many turns there are, and how many messages it is begun with. */
test.for<[string, readonly unknown[], TestAgentOptions, readonly (readonly unknown[])[], number, number]>([
  ['one answer', ['Hi.'], {}, [['chat m', 'callModel', 1]], 1, 1],
  [
    'a further attempt',
    [away, 'Hi.'],
    { retry: { maxRetries: 1, initialDelayMs: 0 } },
    [
      ['chat m', 'callModel', 'network_error'],
      ['chat m', 'callModel', 10],
    ],
    1,
    1,
  ],
  [
    'an answer in three parts',
    [{ text: 'One', stopReason: 'length' }, { text: 'Two', stopReason: 'length' }, 'Three'],
    {},
    [
      ['chat m', 'callModel', 1],
      ['chat m', 'callModel', 10],
      ['chat m', 'callModel', 100],
    ],
    1,
    1,
  ],
  [
    'an answer whose second part never comes',
    [{ text: 'One', stopReason: 'length' }, new ModelError('api', 'Gone.')],
    {},
    [
      ['chat m', 'callModel', 1],
      ['chat m', 'callModel', 'api_error'],
    ],
    0,
    1,
  ],
  [
    'the last answer at a limit',
    [calls(call('a', 'act')), 'The best I have.'],
    { tools: [act()], limits: { maxTurns: 1 }, onLimit: 'finish' },
    [
      ['chat m', 'callModel', 1],
      ['chat m', 'callModel', 10],
    ],
    2,
    1,
  ],
  [
    'a fallback model',
    [away],
    { fallbackModels: [paid('other', ['Hi.'])], retry: { maxRetries: 0 } },
    [
      ['chat m', 'callModel', 'network_error'],
      ['chat other', 'callModel', 1],
    ],
    1,
    1,
  ],
  [
    'a prompt that is made smaller without a model',
    ['Hi.'],
    { compaction: small },
    [['chat m', 'callModel', 1]],
    1,
    30,
  ],
  [
    'a summary',
    ['So far.', 'Hi.'],
    { compaction: { ...small, summaries: true } },
    [
      ['chat m', 'summarise', 1],
      ['chat m', 'callModel', 10],
    ],
    1,
    30,
  ],
  [
    'a summary by another model',
    ['Hi.'],
    { compaction: { ...small, summaries: { model: paid('short', ['So far.']) } } },
    [
      ['chat short', 'summarise', 1],
      ['chat m', 'callModel', 1],
    ],
    1,
    30,
  ],
  [
    'a summary without a text, which is paid too',
    ['', 'Hi.'],
    { compaction: { ...small, summaries: true } },
    [
      ['chat m', 'summarise', 1],
      ['chat m', 'callModel', 10],
    ],
    1,
    30,
  ],
  [
    'a prompt that its model has refused, and a summary of it',
    [tooLong, 'So far.', 'Hi.'],
    { compaction: { keepFirst: 2, keepLast: 4, summaries: true } },
    [
      ['chat m', 'callModel', 'context_overflow'],
      ['chat m', 'summarise', 10],
      ['chat m', 'callModel', 100],
    ],
    1,
    30,
  ],
])('OBS-01 gives each request one span and counts it once: %s', async ([, replies, options, spans, turns, count]) => {
  const told = await measured()
  const model = paid('m', replies as readonly ScriptedReply[])
  const { agent } = testAgent({ model, tracer: told.tracer, ...options })
  await eventsOf(agent.start(messagesOf(count, count * 50)))
  expect(told.spans()).toEqual(spans)
  const tokens = spans.reduce((sum, [, , used]) => sum + (typeof used === 'number' ? used : 0), 0)
  expect([told.sums['gen_ai.client.token.usage'] ?? 0, told.sums['statewright.turns'] ?? 0]).toEqual([tokens, turns])
})

test('OBS-01 shows the messages of each request on request', async () => {
  const exporter = new InMemorySpanExporter()
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  const model = paid('m', [{ text: 'One', stopReason: 'length' }, 'Two'])
  const { agent } = testAgent({ model, tracer: await openTelemetry({ tracerProvider, content: true }) })
  await agent.run('Count.')
  const texts = exporter.getFinishedSpans().flatMap(({ attributes }) => {
    const messages = attributes['gen_ai.input.messages']
    if (typeof messages !== 'string') return []
    return [(JSON.parse(messages) as { parts: { text: string }[] }[]).map(({ parts }) => parts[0]?.text)]
  })
  expect(texts).toEqual([['Count.'], ['Count.', 'One', 'Continue exactly where you stopped.']])
})

test('OBS-01 counts metrics without a span provider', async () => {
  const sums: Record<string, number> = {}
  const add = (name: string) => (value: number) => void (sums[name] = (sums[name] ?? 0) + value)
  const meter = {
    createCounter: (name: string) => ({ add: add(name) }),
    createHistogram: (name: string) => ({ record: add(name) }),
  }
  const tracer = await openTelemetry({ meterProvider: { getMeter: () => meter } as never })
  await testAgent({ model: paid('m', ['Hi.']), tracer }).agent.run('Hi')
  expect([sums['gen_ai.client.token.usage'], sums['statewright.turns']]).toEqual([1, 1])
})

test.each([
  [
    'by default',
    '',
    'gen_ai.usage.cache_creation.input_tokens',
    { 'gen_ai.client.token.usage': 17, 'gen_ai.client.operation.duration': expect.any(Number) },
  ],
  [
    'of version 0.1.0, which the environment asks for among others',
    'http, gen_ai_latest_experimental',
    'gen_ai.usage.cache_write.input_tokens',
    {
      'gen_ai.client.inference.duration': expect.any(Number),
      'gen_ai.client.inference.usage.input_tokens': 15,
      'gen_ai.client.inference.usage.output_tokens': 2,
      'gen_ai.client.inference.usage.cache_read.input_tokens': 4,
      'gen_ai.client.inference.usage.cache_write.input_tokens': 8,
      'gen_ai.client.inference.operation.input_tokens': 15,
      'gen_ai.client.inference.operation.output_tokens': 2,
    },
  ],
])('OBS-05 the names of the conventions %s', async (_, optIn, attribute, metrics) => {
  vi.stubEnv('OTEL_SEMCONV_STABILITY_OPT_IN', optIn)
  const { tracer, exporter, sums } = await measured()
  const usage = { input: 3, output: 2, cacheRead: 4, cacheWrite: 8 }
  await testAgent({ tracer, model: scripted([{ text: 'Hi.', usage }]) }).agent.run('Hello')
  const [chat] = exporter.getFinishedSpans().filter(({ name }) => name.startsWith('chat'))
  expect(Object.keys(chat?.attributes ?? {}).filter((name) => /cache_(write|creation)/.test(name))).toEqual([attribute])
  expect(chat?.attributes[attribute]).toBe(8)
  const ofConventions = Object.entries(sums).filter(([name]) => name.startsWith('gen_ai.'))
  expect(Object.fromEntries(ofConventions)).toEqual(metrics)
})
