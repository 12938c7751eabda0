import { AsyncLocalStorage } from 'node:async_hooks'
import { join } from 'node:path'
import { type Context, context, type ContextManager, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api'
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { afterEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { createAgent, ModelError, tool, type Tracer } from '../../../src/index.ts'
import type { JsonObject } from '../../../src/core/domain/text/json.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { openTelemetry, type OpenTelemetryOptions } from '../../../src/adapters/telemetry/index.ts'

afterEach(() => context.disable())

/** A provider that keeps its spans, and a tracer on it. */
async function traced(options: Omit<OpenTelemetryOptions, 'tracerProvider'> = {}) {
  const exporter = new InMemorySpanExporter()
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  return { exporter, tracerProvider, tracer: await openTelemetry({ tracerProvider, ...options }) }
}

const named = (spans: readonly ReadableSpan[], name: string) => spans.filter((span) => span.name === name)
const call = (name: string, more: JsonObject = {}) => ({ id: name, name, arguments: more })

/** Keeps the active context across awaits, as an SDK does. */
class Contexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>()
  active = () => this.#storage.getStore() ?? ROOT_CONTEXT
  with: ContextManager['with'] = (active, act, self, ...given) =>
    this.#storage.run(active, () => act.apply(self as never, given))
  bind<T>(_: Context, target: T): T {
    return target
  }
  enable = () => this
  disable = () => this
}

test('OBS-01 a run is one trace across a wait and a restart, and later spans are linked to its first span', async () => {
  const path = join(await temporaryFolder(), 'runs.db')
  const ask = tool({
    name: 'ask',
    description: 'Asks.',
    input: { type: 'object' },
    needs: 'approval',
    execute: () => 'yes',
  })
  const agentOn = (store: ReturnType<typeof sqliteStore>, tracer: Tracer) => {
    const model = scripted(({ messages }) => (messages.length > 1 ? 'Done.' : { toolCalls: [call('ask')] }), {
      id: 'm1',
    })
    return createAgent({ name: 'clerk', model, tools: [ask], store, tracer, onPartialSuspension: 'wait' })
  }
  const before = await traced()
  const first = sqliteStore(path)
  const { runId, status } = await agentOn(first, before.tracer).run('Go', { subject: 'talk-7' })
  expect(status).toBe('waiting')
  await first.close()

  const after = await traced()
  const second = sqliteStore(path)
  const run = await agentOn(second, after.tracer).load(runId)
  await run.approve()
  expect((await run.settled()).status).toBe('done')
  await second.close()

  const [began, ...others] = named(before.exporter.getFinishedSpans(), 'invoke_agent clerk')
  const [wentOn] = named(after.exporter.getFinishedSpans(), 'invoke_agent clerk')
  if (began === undefined || wentOn === undefined) throw new Error('A span is missing.')
  expect(others).toEqual([])
  const { traceId, spanId } = began.spanContext()
  expect(began.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'clerk',
    'gen_ai.conversation.id': 'talk-7',
    'openinference.span.kind': 'AGENT',
    'statewright.run.id': runId,
    'statewright.run.status': 'waiting',
  })
  expect([wentOn.spanContext().traceId, wentOn.parentSpanContext?.spanId]).toEqual([traceId, spanId])
  expect(wentOn.links.map((link) => link.context.spanId)).toEqual([spanId])
  expect(wentOn.attributes['statewright.run.status']).toBe('done')
  const all = [...before.exporter.getFinishedSpans(), ...after.exporter.getFinishedSpans()]
  expect(new Set(all.map((span) => span.spanContext().traceId))).toEqual(new Set([traceId]))
  expect(all.map(({ name }) => name).toSorted()).toEqual([
    'chat m1',
    'chat m1',
    'execute_tool ask',
    'invoke_agent clerk',
    'invoke_agent clerk',
    'permission ask',
    'wait ask',
  ])
  expect(Object.fromEntries(all.map(({ name, attributes }) => [name, attributes['openinference.span.kind']]))).toEqual({
    'chat m1': 'LLM',
    'execute_tool ask': 'TOOL',
    'invoke_agent clerk': 'AGENT',
    'permission ask': 'CHAIN',
    'wait ask': 'CHAIN',
  })
  const [performed] = named(after.exporter.getFinishedSpans(), 'execute_tool ask')
  expect([performed?.parentSpanContext?.spanId, performed?.attributes['gen_ai.tool.call.id']]).toEqual([
    wentOn.spanContext().spanId,
    '1.ask',
  ])
})

test('OBS-01 a tool receives its trace, and spans that it starts belong to its span', async () => {
  context.setGlobalContextManager(new Contexts())
  const { exporter, tracer, tracerProvider } = await traced()
  const own = tracerProvider.getTracer('app')
  let given: string | undefined
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    execute: async (_, ctx) => {
      given = ctx.trace?.traceparent
      await Promise.resolve()
      own.startSpan('query').end()
      return 'seen'
    },
  })
  const outer = own.startSpan('request')
  await context.with(trace.setSpan(context.active(), outer), async () =>
    createAgent({
      name: 'clerk',
      model: scripted([{ toolCalls: [call('look')] }, 'Done.']),
      tools: [look],
      tracer,
    }).run('Go'),
  )
  const spans = exporter.getFinishedSpans()
  const [performed] = named(spans, 'execute_tool look')
  const { traceId, spanId } = performed?.spanContext() ?? {}
  expect(given).toBe(`00-${traceId}-${spanId}-01`)
  expect(named(spans, 'query')[0]?.parentSpanContext?.spanId).toBe(spanId)
  expect(named(spans, 'invoke_agent clerk')[0]?.parentSpanContext?.spanId).toBe(outer.spanContext().spanId)
})

const secretive = async (tracer: Tracer) => {
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    execute: () => `found ${'k3Y9'.repeat(8)} and sk-proj-${'a1B2'.repeat(8)}`,
  })
  const model = scripted([
    { text: 'I look for Ada.', toolCalls: [call('look', { whom: 'Ada', password: 'swordfish' })] },
    'It is the fox.',
  ])
  await createAgent({ name: 'clerk', model, tools: [look], tracer }).run('Who is Ada?')
}

test('OBS-01 spans contain no messages, arguments or results unless requested', async () => {
  const { exporter, tracer } = await traced()
  await secretive(tracer)
  const text = JSON.stringify(
    exporter.getFinishedSpans().map(({ name, attributes, status, events }) => [name, attributes, status, events]),
  )
  expect(['Ada', 'fox', 'found', 'swordfish', 'k3Y9', 'a1B2'].filter((word) => text.includes(word))).toEqual([])
  expect(text).toContain('gen_ai.usage.input_tokens')
})

test('OBS-01 masks requested contents', async () => {
  const { exporter, tracer } = await traced({ content: true, secrets: [{ name: 'VAULT', value: 'k3Y9'.repeat(8) }] })
  await secretive(tracer)
  const spans = exporter.getFinishedSpans()
  const text = JSON.stringify(spans.map(({ attributes }) => attributes))
  expect(['swordfish', 'k3Y9', 'a1B2'].filter((word) => text.includes(word))).toEqual([])
  const [performed] = named(spans, 'execute_tool look')
  expect(performed?.attributes['gen_ai.tool.call.arguments']).toBe('{"whom":"Ada","password":"[secret]"}')
  expect(performed?.attributes['gen_ai.tool.call.result']).toContain('found [secret VAULT] and [secret]')
  expect(named(spans, 'chat scripted')[1]?.attributes['gen_ai.output.messages']).toContain('It is the fox.')
})

test('OBS-01 reports errors by their codes, and ends the span of cancelled work', async () => {
  const { exporter, tracer } = await traced()
  const held = Promise.withResolvers<void>()
  const wait = tool({
    name: 'wait',
    description: 'Waits.',
    input: { type: 'object' },
    execute: async () => (held.resolve(), new Promise<string>(() => {})),
  })
  const fail = tool({
    name: 'fail',
    description: 'Fails.',
    input: { type: 'object' },
    execute: () => Promise.reject(new Error('The swordfish is out.')),
  })
  const run = createAgent({
    name: 'clerk',
    model: scripted([{ toolCalls: [call('fail')] }, { toolCalls: [call('wait')] }]),
    tools: [wait, fail],
    tracer,
  }).start('Go')
  await held.promise
  await run.cancel()
  await run.settled()
  const model = scripted(() => {
    throw new ModelError('auth', 'The swordfish is no key.')
  })
  await createAgent({ name: 'guide', model, tracer, retry: { maxRetries: 0 } }).run('Hi')
  const spans = exporter.getFinishedSpans()
  const failed = spans.filter(({ status }) => status.code === SpanStatusCode.ERROR)
  expect(failed.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
    ['execute_tool fail', 'failed'],
    ['execute_tool wait', 'cancelled'],
    ['chat scripted', 'auth_error'],
    ['invoke_agent guide', 'auth_error'],
  ])
  expect(JSON.stringify(failed.map(({ attributes, status }) => [attributes, status]))).not.toContain('swordfish')
})

test('OBS-01 counts turns, tokens, cost, waits and retries', async () => {
  const counted = new Map<string, number>()
  const add = (name: string) => (value: number) => void counted.set(name, (counted.get(name) ?? 0) + value)
  const meter = {
    createCounter: (name: string) => ({ add: add(name) }),
    createHistogram: (name: string) => ({ record: add(name) }),
  }
  const { tracer, exporter } = await traced({ meterProvider: { getMeter: () => meter } as never })
  let tries = 0
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    effects: 'none',
    retry: { attempts: 2, baseMs: 0 },
    execute: () => (++tries === 1 ? Promise.reject(new Error('Not yet.')) : Promise.resolve('seen')),
  })
  const ask = tool({
    name: 'ask',
    description: 'Asks.',
    input: { type: 'object' },
    needs: 'approval',
    execute: () => 'yes',
  })
  const cached = { input: 3, output: 5, cacheRead: 7, cacheWrite: 11, totalTokens: 26 }
  const model = scripted([
    { toolCalls: [call('look')], usage: cached },
    { toolCalls: [call('ask')], usage: cached },
  ])
  const { status, usage, cost } = await createAgent({
    name: 'clerk',
    model,
    tools: [look, ask],
    tracer,
    onPartialSuspension: 'wait',
    prices: { 'scripted/scripted': { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 } },
  }).run('Go')
  expect(status).toBe('waiting')
  expect(counted.get('statewright.turns')).toBe(2)
  expect(counted.get('statewright.waits')).toBe(1)
  expect(counted.get('statewright.retries')).toBe(1)
  expect(counted.get('gen_ai.client.token.usage')).toBe(usage.totalTokens)
  expect(cost).toBeGreaterThan(0)
  const answered = exporter.getFinishedSpans().find(({ name }) => name.startsWith('chat'))
  expect(answered?.attributes).toMatchObject({ 'gen_ai.usage.input_tokens': 21, 'gen_ai.usage.output_tokens': 5 })
  expect(counted.get('statewright.cost')).toBe(cost)
})

test('OBS-01 a tracer that throws changes no run', async () => {
  const refuse = () => {
    throw new Error('Not now.')
  }
  const broken = { traceparent: '00-x', performing: refuse, end: refuse }
  const late = { ...broken, performing: () => ({ within: (act: () => never) => act(), end: refuse }) }
  for (const tracer of [{ open: refuse }, { open: () => broken }, { open: () => late }] as Tracer[]) {
    const agent = createAgent({ name: 'guide', model: scripted(['Hi.']), tracer })
    expect((await agent.run('Hi')).text).toBe('Hi.')
  }
})

test('OBS-01 without an SDK creates nothing, and a tool has no trace', async () => {
  let has: unknown = 'nothing'
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    execute: (_, ctx) => {
      has = ctx.trace
      return 'seen'
    },
  })
  const tracer = await openTelemetry()
  await createAgent({
    name: 'clerk',
    model: scripted([{ toolCalls: [call('look')] }, 'Done.']),
    tools: [look],
    tracer,
  }).run('Go')
  expect(has).toBeUndefined()
})
