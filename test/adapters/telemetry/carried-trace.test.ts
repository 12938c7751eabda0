import { fileURLToPath } from 'node:url'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { expect, test } from 'vitest'
import { compiled } from '../../../proof/support/compiled.ts'
import { loopbackServer } from '../../../proof/support/loopback-server.ts'
import { documentOf } from '../../../proof/support/open-api.ts'
import { createAgent, textOf, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { openTelemetry } from '../../../src/adapters/telemetry/index.ts'
import { mcpToolset } from '../../../src/adapters/tools/mcp.ts'
import { openApiToolset } from '../../../src/adapters/tools/openapi.ts'
import { traceparentIn } from '../../../src/core/domain/trace-context.ts'

const script = fileURLToPath(new URL('../tools/processes/odd-mcp-server.ts', import.meta.url))

test("OBS-01 calls of OpenAPI and MCP tools propagate their tool's span", async () => {
  await using server = await loopbackServer()
  const exporter = new InMemorySpanExporter()
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  const source = { text: documentOf({ '/a': { get: { operationId: 'op' } } }) }
  const mcp = mcpToolset({ name: 'odd', command: process.execPath, args: [script, 'tells meta'], env: compiled })
  await using agent = createAgent({
    name: 'clerk',
    model: scripted([{ toolCalls: ['op', 'act'].map((name) => ({ id: name, name, arguments: {} })) }, 'Done.']),
    tools: [openApiToolset({ source, baseUrl: server.origin, headers: { 'x-own': '1' } }), mcp],
    tracer: await openTelemetry({ tracerProvider }),
  })
  const { messages, status } = await agent.run('Go')
  expect(status).toBe('done')
  const placeOf = (name: string) => {
    const span = exporter
      .getFinishedSpans()
      .find((one) => one.name === `execute_tool ${name}`)
      ?.spanContext()
    return `00-${span?.traceId}-${span?.spanId}-01`
  }
  expect(server.seen[0]?.headers).toMatchObject({ traceparent: placeOf('op'), 'x-own': '1' })
  const said = messages.find((message) => message.role === 'toolResult' && message.toolName === 'act')
  expect(JSON.parse(said === undefined ? '' : textOf(said))).toMatchObject({ traceparent: placeOf('act') })
})

test('OBS-01 AGT-07 AGT-08 context builder, plugins and output builder receive the span of their work', async () => {
  const exporter = new InMemorySpanExporter()
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  const given: Record<string, string | undefined> = {}
  const formats: unknown[] = []
  const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => 'seen' })
  const schema = { type: 'object', properties: { word: { type: 'string' } } }
  const agent = createAgent({
    name: 'clerk',
    model: scripted([{ toolCalls: [{ id: 'look', name: 'look', arguments: {} }] }, 'fox']),
    tools: [look],
    tracer: await openTelemetry({ tracerProvider }),
    plugins: [
      {
        name: 'watcher',
        stepEnd: ({ trace }) => void (given['phase stepEnd'] = trace?.traceparent),
        reviewCall: ({ trace }) => void (given['review look'] = trace?.traceparent),
      },
      {
        name: 'builder',
        buildContext: ({ trace }) => {
          given['build_context'] = trace?.traceparent
          return { system: 'Be short.' }
        },
      },
    ],
    output: {
      schema: schema,
      build: ({ text, outputFormat, trace }) => {
        formats.push(outputFormat)
        given['invoke_agent clerk'] = trace?.traceparent
        return { word: text }
      },
    },
  })
  expect((await agent.run('Go')).output).toEqual({ word: 'fox' })
  const spans = exporter.getFinishedSpans()
  const places = Object.keys(given).map((name) => {
    const span = spans.findLast((one) => one.name === name)?.spanContext()
    return [name, `00-${span?.traceId}-${span?.spanId}-01`]
  })
  expect(given).toEqual(Object.fromEntries(places))
  expect(Object.keys(given)).toHaveLength(4)
  expect(formats).toEqual([{ name: 'output', schema }])
})

test('OBS-01 uses a trace stored with a run only if it has the right form', () => {
  const sound = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  expect(traceparentIn({ traceparent: sound })).toBe(sound)
  const zeros = [`00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`, `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`]
  for (const traceparent of [...zeros, `${sound}\r\nx: y`, `${sound}-more`, sound.toUpperCase(), '', 5, null])
    expect(traceparentIn({ traceparent })).toBeUndefined()
})
