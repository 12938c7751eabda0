import { inspect } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { resultOf } from '../../../proof/mcp/perform-call.ts'
import { type Answer, loopbackServer } from '../../../proof/support/loopback-server.ts'
import { jsonSchemaOf } from '../../../src/core/effects/tools/json-schema-of.ts'
import { type McpHttpOptions, mcpToolset } from '../../../src/adapters/tools/mcp.ts'

const token = 'to/ken+of "2026"'
const forms = [
  token,
  encodeURIComponent(token),
  JSON.stringify(token).slice(1, -1),
  Buffer.from(token).toString('base64'),
]
const all = `Bearer ${forms.join(' ')}`
const named = (name: string) => ({ name, description: all, inputSchema: { type: 'object', description: all } })
const names = ['fails', 'says', 'structures', 'cut', 'breaks']

/** A server of 2025 that repeats the credentials it is sent, each time in another place. */
const repeating: Answer = (response, { method, body }) => {
  if (method !== 'POST') return response.writeHead(405).end()
  const { id, method: asked, params = {} } = JSON.parse(body) as { id?: number; method: string; params?: object }
  const send = (answer: object) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  }
  const text = (said: string, more: object = {}) =>
    send({ result: { content: [{ type: 'text', text: said }], ...more } })
  if (id === undefined) return response.writeHead(202).end()
  if (asked === 'initialize') {
    const serverInfo = { name: 'repeating', version: '1' }
    return send({ result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } })
  }
  if (asked === 'tools/list') return send({ result: { tools: names.map(named) } })
  switch ('name' in params ? params.name : '') {
    case 'fails':
      return send({ error: { code: -32_000, message: all, data: all } })
    case 'says':
      return text(all, { isError: true })
    case 'structures':
      return text('', { structuredContent: { [token]: all } })
    case 'cut':
      return text(`${'x'.repeat(255_990)}${token}`)
    default:
      response.writeHead(500).end(all)
  }
}

const credentials: readonly [string, Partial<McpHttpOptions>][] = [
  ['a token that is given for each request', { auth: { token: async () => token } }],
  ['a header with a scheme', { headers: { authorization: `Bearer ${token}` } }],
  ['a header of its own', { headers: { 'x-key': token } }],
]

async function opened(answer: Answer, options: Partial<McpHttpOptions>) {
  const server = await loopbackServer(answer)
  onTestFinished(() => server[Symbol.asyncDispose]())
  const toolset = mcpToolset({
    name: 'odd',
    url: `${server.origin}/mcp`,
    protocol: 'legacy',
    transport: 'http',
    ...options,
  })
  onTestFinished(() => toolset.close())
  return { server, toolset }
}

test.each(credentials)('TOOL-04 shows %s nowhere, wherever the server repeats it', async (_, options) => {
  const { toolset } = await opened(repeating, options)
  const tools = await toolset.tools()
  const seen: string[] = tools.map(({ description, input }) => inspect([description, jsonSchemaOf(input)]))
  for (const name of names) seen.push(inspect(await resultOf(tools, name, {}), { depth: 9 }))
  for (const one of seen) for (const form of forms) expect(one).not.toContain(form)
  expect(seen.filter((one) => one.includes('[secret '))).toHaveLength(seen.length - 1)
  expect(seen.filter((one) => one.includes('xto/'))).toEqual([])
})

test.each(credentials)('TOOL-04 prints no %s in a refusal', async (_, options) => {
  const { toolset } = await opened((response) => void response.writeHead(403).end(all), options)
  const failure = await toolset.tools().catch((error: unknown) => inspect(error, { depth: 9 }))
  for (const form of forms) expect(failure).not.toContain(form)
  expect(failure).toContain('unreachable')
})

test.each([307, 308])(
  'TOOL-04 a redirect %i sends no call to another origin, and is followed within its own',
  async (status) => {
    const other = await loopbackServer(repeating)
    onTestFinished(() => other[Symbol.asyncDispose]())
    let place = `${other.origin}/mcp`
    const answer: Answer = (response, request) =>
      request.url === '/mcp' ? void response.writeHead(status, { location: place }).end() : repeating(response, request)
    const { server, toolset } = await opened(answer, { headers: { 'x-key': token } })
    await expect(toolset.tools()).rejects.toThrow(`sends its clients on to ${other.origin}, another origin`)
    expect(other.seen).toEqual([])
    place = '/moved'
    expect((await toolset.tools()).map(({ name }) => name)).toEqual(names)
    expect(server.seen.at(-1)).toMatchObject({ url: '/moved', method: 'POST' })
  },
)
