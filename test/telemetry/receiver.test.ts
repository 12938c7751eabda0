import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import { expect, test } from 'vitest'
import { type Answer, loopbackServer } from '../../proof/support/loopback-server.ts'
import { createAgent } from '../../src/index.ts'
import { scripted } from '../../src/providers/scripted.ts'
import { openTelemetry } from '../../src/telemetry/index.ts'

/** Plays a run with a batch processor that sends to an address, and counts the spans of batches that did not arrive. */
async function traced(url: string) {
  const sender = new OTLPTraceExporter({ url, timeoutMillis: 150 })
  const count = { dropped: 0 }
  const exporter: SpanExporter = {
    export: (spans, tell) =>
      sender.export(spans, (result) => {
        if (result.error !== undefined) count.dropped += spans.length
        tell(result)
      }),
    shutdown: () => sender.shutdown(),
  }
  const processor = new BatchSpanProcessor({ exporter, scheduledDelayMillis: 60_000 })
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

test('OBS-01 a receiver of OTLP on loopback is sent the spans of a run', async () => {
  await using server = await loopbackServer()
  expect(await traced(`${server.origin}/v1/traces`)).toEqual({ status: 'done', text: 'Hello.', dropped: 0 })
  const names = server.seen.flatMap(({ body }) => [...body.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name))
  expect(names).toEqual(expect.arrayContaining(['invoke_agent clerk', 'chat scripted', 'statewright']))
  expect(server.seen[0]?.body).not.toContain('Hello.')
})

test.each<readonly [string, Answer]>([
  ['answers 500', (response) => response.writeHead(500).end()],
  ['never answers', () => undefined],
  ['hangs up', (response) => response.destroy()],
])('OBS-01 a run goes on with a receiver that %s, and what did not arrive is counted', async (_, answer) => {
  await using server = await loopbackServer(answer)
  expect(await traced(`${server.origin}/v1/traces`)).toEqual({ status: 'done', text: 'Hello.', dropped: 2 })
})

test('OBS-01 a run goes on without the receiver it was told of', async () => {
  const server = await loopbackServer()
  const { origin } = server
  await server[Symbol.asyncDispose]()
  expect(await traced(`${origin}/v1/traces`)).toEqual({ status: 'done', text: 'Hello.', dropped: 2 })
})
