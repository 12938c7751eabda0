import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { documentOf } from '../../../proof/support/open-api.ts'
import { loopbackServer } from '../../../proof/support/loopback-server.ts'
import { mcpToolset } from '../../../src/adapters/tools/mcp.ts'
import { openApiToolset } from '../../../src/adapters/tools/openapi.ts'
import type { ProbeQuestion } from '../../../src/core/ports/tool.ts'

const question = {
  callId: '1.c1',
  idempotencyKey: 'r:1.c1:0',
  arguments: { amount: 3 },
  attempt: 2,
  signal: new AbortController().signal,
} as Partial<ProbeQuestion>

test('TOOL-08 a probe of an OpenAPI operation asks a declared operation of the same server', async () => {
  await using server = await loopbackServer((response, { url }) =>
    response.end(url.includes('r%3A1.c1%3A0') ? '{"receipt":7}' : '{}'),
  )
  const key = { name: 'key', in: 'query', schema: { type: 'string' } }
  const paths = {
    '/pay': { post: { operationId: 'pay', responses: {} } },
    '/find': { get: { operationId: 'find', parameters: [key], responses: {} } },
  }
  const toolset = openApiToolset({
    source: { text: documentOf(paths) },
    baseUrl: server.origin,
    rules: {
      pay: {
        probe: async ({ idempotencyKey }, ask) => {
          const missing = await ask('nothing', {})
          const found = JSON.stringify(await ask('find', { key: idempotencyKey }))
          return { status: 'unknown', evidence: `${JSON.stringify(missing)} ${found}` }
        },
      },
    },
  })
  const tools = await toolset.tools()
  const answer = await tools.find(({ name }) => name === 'pay')?.probe?.(question as never)
  expect(answer).toMatchObject({
    status: 'unknown',
    evidence: expect.stringMatching(/There is no operation .*receipt/),
  })
  expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /find?key=r%3A1.c1%3A0'])
  await toolset.close()
})

test('TOOL-08 a probe of an MCP tool asks a declared tool of the same server', async () => {
  const script = fileURLToPath(new URL('processes/odd-mcp-server.ts', import.meta.url))
  const toolset = mcpToolset({
    name: 'odd',
    command: process.execPath,
    args: [script, 'tells meta'],
    rules: { act: { probe: async (_, ask) => ({ status: 'done', result: await ask('act', {}) }) } },
  })
  const [act] = await toolset.tools()
  const answer = await act?.probe?.(question as never)
  expect(answer).toMatchObject({ status: 'done', result: { content: [{ type: 'text' }] } })
  await toolset.close()
})
