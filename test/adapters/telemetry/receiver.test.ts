import type { Attributes } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { expect, test } from 'vitest'
import { type Answer, loopbackServer } from '../../../proof/support/loopback-server.ts'
import { createAgent } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { openTelemetry } from '../../../src/adapters/telemetry/index.ts'

/** A meter provider that adds up what the SDK counts of its spans: those that arrived, and those that did not. */
function spanCount() {
  const count = { sent: 0, dropped: 0 }
  const isDropped = (attributes: Attributes = {}) => attributes['error.type'] !== undefined
  const counter = (name: string) => ({
    add(value: number, attributes?: Attributes) {
      if (name === 'otel.sdk.processor.span.processed') count[isDropped(attributes) ? 'dropped' : 'sent'] += value
    },
  })
  const watched = { addCallback: () => undefined, removeCallback: () => undefined }
  const meter = {
    createCounter: counter,
    createUpDownCounter: counter,
    createObservableUpDownCounter: () => watched,
  }
  return { count, provider: { getMeter: () => meter } as never }
}

/** Plays a run with a batch processor that sends to an address. */
async function traced(url: string) {
  const { count, provider } = spanCount()
  const processor = new BatchSpanProcessor({
    exporter: new OTLPTraceExporter({ url, timeoutMillis: 150 }),
    scheduledDelayMillis: 60_000,
    selfObsMeterProvider: provider,
  })
  const tracerProvider = new TracerProvider({ spanProcessors: [processor] })
  const agent = createAgent({
    name: 'clerk',
    model: scripted(['Hello.']),
    tracer: await openTelemetry({ tracerProvider }),
  })
  const { status, text } = await agent.run('Hi')
  // The processor rejects where its receiver does not answer, as it tells its owner; the run has ended by then.
  await tracerProvider.forceFlush().catch(() => undefined)
  await tracerProvider.shutdown().catch(() => undefined)
  return { status, text, ...count }
}

test('OBS-01 sends the spans of a run to an OTLP receiver on loopback', async () => {
  await using server = await loopbackServer()
  expect(await traced(`${server.origin}/v1/traces`)).toEqual({ status: 'done', text: 'Hello.', sent: 2, dropped: 0 })
  const names = server.seen.flatMap(({ body }) => [...body.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name))
  expect(names).toEqual(expect.arrayContaining(['invoke_agent clerk', 'chat scripted', 'statewright']))
  expect(server.seen[0]?.body).not.toContain('Hello.')
})

test.each<readonly [string, Answer]>([
  ['answers 500', (response) => response.writeHead(500).end()],
  ['never answers', () => undefined],
  ['hangs up', (response) => response.destroy()],
])('OBS-01 a run continues with a receiver that %s, and lost spans are counted', async (_, answer) => {
  await using server = await loopbackServer(answer)
  expect(await traced(`${server.origin}/v1/traces`)).toEqual({ status: 'done', text: 'Hello.', sent: 0, dropped: 2 })
})

test('OBS-01 a run continues if its receiver does not exist', async () => {
  const server = await loopbackServer()
  const { origin } = server
  await server[Symbol.asyncDispose]()
  expect(await traced(`${origin}/v1/traces`)).toEqual({ status: 'done', text: 'Hello.', sent: 0, dropped: 2 })
})
