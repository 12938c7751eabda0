import { fileURLToPath } from 'node:url'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { expect, test } from 'vitest'
import { loopbackServer } from '../../proof/support/loopback-server.ts'
import { documentOf } from '../../proof/support/open-api.ts'
import { createAgent, textOf } from '../../src/index.ts'
import { scripted } from '../../src/providers/scripted.ts'
import { openTelemetry } from '../../src/telemetry/index.ts'
import { mcpToolset } from '../../src/tools/mcp.ts'
import { openApiToolset } from '../../src/tools/openapi.ts'

const script = fileURLToPath(new URL('../tools/processes/odd-mcp-server.ts', import.meta.url))

test('OBS-01 calls of OpenAPI and MCP tools carry the span of their tool on', async () => {
  await using server = await loopbackServer()
  const exporter = new InMemorySpanExporter()
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  const source = { text: documentOf({ '/a': { get: { operationId: 'op' } } }) }
  const mcp = mcpToolset({ name: 'odd', command: process.execPath, args: [script, 'tells meta'] })
  await using agent = createAgent({
    name: 'clerk',
    model: scripted([{ toolCalls: ['op', 'act'].map((name) => ({ id: name, name, arguments: {} })) }, 'Done.']),
    tools: [openApiToolset({ source, baseUrl: server.origin, headers: { 'x-own': '1' } }), mcp],
    tracer: await openTelemetry({ tracerProvider }),
  })
  const { messages, status } = await agent.run('Go')
  expect(status).toBe('done')
  const placeOf = (name: string) => {
    const span = exporter.getFinishedSpans().find((one) => one.name === `execute_tool ${name}`)?.spanContext()
    return `00-${span?.traceId}-${span?.spanId}-01`
  }
  expect(server.seen[0]?.headers).toMatchObject({ traceparent: placeOf('op'), 'x-own': '1' })
  const said = messages.find((message) => message.role === 'toolResult' && message.toolName === 'act')
  expect(JSON.parse(said === undefined ? '' : textOf(said))).toMatchObject({ traceparent: placeOf('act') })
})
