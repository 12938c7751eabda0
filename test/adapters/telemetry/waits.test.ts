import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { afterEach, expect, test, vi } from 'vitest'
import { start } from '../../../proof/support/fake-clock.ts'
import { messagesOf } from '../../../proof/support/long-prompt.ts'
import { loopbackServer, type LoopbackServer } from '../../../proof/support/loopback-server.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { runId, testAgent, type TestAgentOptions } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { openTelemetry } from '../../../src/adapters/telemetry/index.ts'
import type { Run } from '../../../src/index.ts'

afterEach(() => vi.unstubAllEnvs())

interface SentSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
}

/** The spans that a receiver has received. */
function spansOf({ seen }: LoopbackServer): readonly SentSpan[] {
  type Body = { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] }
  return seen.flatMap(({ body }) =>
    (JSON.parse(body) as Body).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  )
}

const attributesOf = ({ attributes }: SentSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

const millisecondsOf = ({ startTimeUnixNano, endTimeUnixNano }: SentSpan) =>
  [startTimeUnixNano, endTimeUnixNano].map((nano) => Number(BigInt(nano) / 1_000_000n))

const waitsOf = (server: LoopbackServer) => spansOf(server).filter(({ name }) => name.startsWith('wait '))

/** An agent whose spans go to a receiver. */
async function tracedAgent({ origin }: LoopbackServer, options: TestAgentOptions) {
  const exporter = new OTLPTraceExporter({ url: `${origin}/v1/traces` })
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  const tracer = await openTelemetry({ tracerProvider })
  return { ...testAgent({ onPartialSuspension: 'wait', ...options, tracer }), flush: () => tracerProvider.shutdown() }
}

const asks = (ticket = {}) => ({ tools: [toolbox().ask('ask', ticket)], replies: [calls(call('c1', 'ask')), 'Done.'] })
const down = { error: { kind: 'network', message: 'No route.' } } as const

test.each([
  ['of today', '', 'gen_ai.usage.cache_creation.input_tokens'],
  ['of version 0.1.0', 'gen_ai_latest_experimental', 'gen_ai.usage.cache_write.input_tokens'],
])('OBS-05 sends a span for a wait and for a summary by the names %s', async (_, optIn, cacheWrite) => {
  vi.stubEnv('OTEL_SEMCONV_STABILITY_OPT_IN', optIn)
  await using server = await loopbackServer()
  const replies = ['So far.', calls(call('c1', 'ask')), 'Done.']
  const { agent, clock, flush } = await tracedAgent(server, {
    tools: [toolbox().ask('ask')],
    replies: () => replies.shift() ?? 'Done.',
    compaction: { budget: 1000, systemTokens: 100, keepFirst: 2, keepLast: 4, summaries: true },
  })
  const run = agent.start(messagesOf(30, 1500), { runId })
  await run.settled()
  clock.advance(90_000)
  await run.approve(undefined, { by: 'anna' })
  await run.settled()
  await flush()
  const sent = spansOf(server)
  const [wait] = waitsOf(server)
  if (wait === undefined) throw new Error('The span of the wait is missing.')
  expect([waitsOf(server).length, millisecondsOf(wait)]).toEqual([1, [start, start + 90_000]])
  expect(attributesOf(wait)).toEqual({
    'gen_ai.agent.name': 'test',
    'gen_ai.tool.call.id': expect.stringContaining('c1'),
    'gen_ai.tool.name': 'ask',
    'openinference.span.kind': 'CHAIN',
    'statewright.decision': 'resume',
    'statewright.decision.by': 'anna',
    'statewright.run.id': runId,
    'statewright.wait.kind': 'input',
  })
  const summaries = sent.map(attributesOf).filter((all) => all['statewright.effect'] === 'summarise')
  expect(summaries.length).toBeGreaterThan(0)
  expect(summaries.map((all) => Object.keys(all).filter((name) => /cache_(write|creation)/.test(name)))).toEqual(
    summaries.map(() => [cacheWrite]),
  )
})

/** Each way to end a wait: the kind of the wait, its decision, its error, and who decided. */
test.each<readonly [string, TestAgentOptions, (run: Run) => Promise<unknown>, readonly (readonly unknown[])[]]>([
  ['an approval', asks(), (run) => run.approve(), [['wait ask', 'input', 'resume', undefined, undefined]]],
  ['a denial', asks(), (run) => run.deny(undefined, { by: 'bo' }), [['wait ask', 'input', 'cancel', undefined, 'bo']]],
  ['a cancel of the run', asks(), (run) => run.cancel(), [['wait ask', 'input', undefined, 'cancelled', undefined]]],
  [
    'a long name',
    asks(),
    (run) => run.approve(undefined, { by: 'x'.repeat(1000) }),
    [['wait ask', 'input', 'resume', undefined, 'x'.repeat(200)]],
  ],
  [
    'a model that is reached again',
    { onModelFailure: 'wait', retry: { maxRetries: 0 }, replies: [down] },
    (run) => run.deny(),
    [['wait model', 'model_unavailable', 'cancel', undefined, undefined]],
  ],
  ['the answer of a service', asks({ reason: 'service' }), (run) => run.respond(undefined, 'here'), []],
])('OBS-05 ends the span of a wait with %s', async (_, options, decide, expected) => {
  await using server = await loopbackServer()
  const { agent, flush } = await tracedAgent(server, options)
  const run = agent.start('Hi', { runId })
  await run.settled()
  expect(waitsOf(server)).toEqual([])
  await decide(run)
  await run.settled()
  await flush()
  const told = waitsOf(server).map((span) => {
    const all = attributesOf(span)
    const { 'statewright.wait.kind': kind, 'statewright.decision': decision, 'error.type': error } = all
    return [span.name, kind, decision, error, all['statewright.decision.by']]
  })
  expect(told).toEqual(expected)
})

test('OBS-05 gives each wait of a call that asks again its own span', async () => {
  await using server = await loopbackServer()
  const { agent, clock, flush } = await tracedAgent(server, {
    tools: [toolbox().askAgain('ask', 2)],
    replies: [calls(call('c1', 'ask')), 'Done.'],
  })
  const run = agent.start('Hi', { runId })
  for (const by of ['anna', 'bo']) {
    await run.settled()
    clock.advance(1000)
    await run.approve(undefined, { by })
  }
  expect((await run.settled()).status).toBe('done')
  await flush()
  expect(waitsOf(server).map((span) => [attributesOf(span)['statewright.decision.by'], millisecondsOf(span)])).toEqual([
    ['anna', [start, start + 1000]],
    ['bo', [start + 1000, start + 2000]],
  ])
})

test("OBS-05 makes a wait's span from stored times if other processes suspend, decide and continue", async () => {
  await using server = await loopbackServer()
  const path = join(await temporaryFolder(), 'runs.db')
  const clerk = async (...flags: string[]) => {
    const script = [
      'test/adapters/telemetry/processes/traced-clerk.ts',
      path,
      `${server.origin}/v1/traces`,
      runId,
      ...flags,
    ]
    return (await promisify(execFile)(process.execPath, script)).stdout.trim()
  }
  expect([await clerk('new'), waitsOf(server)]).toEqual(['waiting', []])
  const store = sqliteStore(path)
  const entries = await store.entries(runId, 0, 100)
  const asked = entries.find((entry) => entry.kind === 'mark' && entry.event?.type === 'call.suspended')
  if (asked?.kind !== 'mark') throw new Error('The suspension is not stored.')
  const decidedAt = asked.at + 90_000
  const [receipt] = await store.decide(runId, [{ target: '1.a', action: 'resume', by: 'anna' }], decidedAt)
  await store.close()
  expect([receipt?.answer, waitsOf(server)]).toEqual(['applied', []])
  expect(await clerk()).toBe('done')
  const [wait, ...others] = waitsOf(server)
  const [began, wentOn] = spansOf(server).filter(({ name }) => name === 'invoke_agent clerk')
  if (wait === undefined) throw new Error('The span of the wait is missing.')
  expect([others, millisecondsOf(wait)]).toEqual([[], [asked.at, decidedAt]])
  expect(attributesOf(wait)).toMatchObject({ 'statewright.wait.kind': 'approval', 'statewright.decision.by': 'anna' })
  expect([wait.traceId, wait.parentSpanId]).toEqual([began?.traceId, began?.spanId])
  expect(wentOn?.parentSpanId).toBe(began?.spanId)
}, 30_000)
