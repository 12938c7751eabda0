import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { compiled } from '../../../proof/support/compiled.ts'
import { resultOf, textIn } from '../../../proof/mcp/perform-call.ts'
import { jsonSchemaOf } from '../../../src/core/effects/tools/json-schema-of.ts'
import type { Toolset } from '../../../src/core/ports/toolset.ts'
import { mcpToolset, type McpHttpOptions } from '../../../src/adapters/tools/mcp.ts'

const script = fileURLToPath(new URL('processes/odd-mcp-server.ts', import.meta.url))

function odd(fault: string, part: unknown, prefix?: string) {
  const told: string[] = []
  const program = { command: process.execPath, args: [script, fault, JSON.stringify(part)], env: compiled }
  const onWarning = (warning: string) => void told.push(warning.replace(/^.*\): /, ''))
  const toolset = mcpToolset({ name: 'odd', ...program, onWarning, ...(prefix === undefined ? {} : { prefix }) })
  onTestFinished(() => toolset.close())
  return { toolset, told }
}

const object = { type: 'object' }
const good = { name: 'good', inputSchema: object }
const png = 'iVBORw0KGgo='

const mendable = [
  ['no schema', {}, object],
  ['a schema of null', { inputSchema: null }, object],
  ['an empty schema', { inputSchema: {} }, object],
  ['a schema that accepts everything', { inputSchema: true }, object],
  ['a list of types', { inputSchema: { type: ['object', 'null'] } }, object],
  [
    'fields of null',
    { description: null, title: null, inputSchema: { ...object, properties: null, required: null, $schema: null } },
    object,
  ],
  [
    'alternatives without a type',
    { inputSchema: { anyOf: [{ properties: { a: {} } }] } },
    { ...object, properties: { a: {} } },
  ],
  [
    'odd fields that are not used',
    { icons: 'x', _meta: 1, outputSchema: { type: 'array' }, annotations: { readOnlyHint: 'yes' }, execution: 'no' },
    object,
  ],
] as const

test('TOOL-04 repairs tools whose meaning is clear, each separately', async () => {
  const { toolset, told } = odd('lists', [good, ...mendable.map(([name, fields]) => ({ name, ...fields }))])
  const tools = await toolset.tools()
  expect(tools.map(({ sourceName, input }) => [sourceName, jsonSchemaOf(input)])).toEqual([
    ['good', object],
    ...mendable.map(([name, , schema]) => [name, schema]),
  ])
  expect(told).toEqual([])
})

test('TOOL-04 leaves out each tool that cannot be repaired, and names the reasons once', async () => {
  const { toolset, told } = odd('lists', [
    null,
    { inputSchema: object },
    { name: '', inputSchema: object },
    { name: 'text', inputSchema: { type: 'string' } },
    { name: 'list', inputSchema: [] },
    good,
    { ...good, description: 'again' },
  ])
  for (let times = 0; times < 2; times++) expect((await toolset.tools()).map(({ name }) => name)).toEqual(['good'])
  const reasons = [
    'a tool: its definition is not an object',
    'a tool: it has no name',
    '"text": its inputSchema is of type "string"',
    '"list": its inputSchema is not an object',
    '"good": it is listed twice',
  ]
  expect(told).toEqual([`left out ${reasons.join('; ')}.`])
})

test.each([
  ['nextCursor null', { tools: [good], nextCursor: null, _meta: null }, ['good']],
  ['an empty cursor', { tools: [good], nextCursor: '' }, ['good']],
  ['null in place of tools', { tools: null }, []],
])('TOOL-04 reads a list with %s', async (_, list, names) => {
  expect((await odd('odd list', list).toolset.tools()).map(({ name }) => name)).toEqual(names)
})

test('TOOL-04 TOOL-06 adds a hash to tool names that become equal, the same in any order', async () => {
  const alike = ['a.b', 'a_b', 'a/b', 'c.d'].map((name) => ({ ...good, name }))
  const namesOf = async (tools: readonly object[], prefix?: string) => {
    const listed = await odd('lists', tools, prefix).toolset.tools()
    return Object.fromEntries(listed.map(({ sourceName, name }) => [sourceName, name]))
  }
  const names = await namesOf(alike)
  expect(names).toEqual({ 'a.b': 'a_b_4047be5d57', a_b: 'a_b', 'a/b': 'a_b_9374119e4e', 'c.d': 'c_d' })
  expect(await namesOf(alike.toReversed())).toEqual(names)
  const long = await namesOf(alike, 'x'.repeat(60))
  expect(new Set(Object.values(long)).size).toBe(4)
})

const usable = { type: 'text', text: 'usable' }
let sender: Toolset | undefined

/** Returns the result of a call that the server answers in this way. */
async function resultFor(answer: object) {
  sender ??= mcpToolset({
    name: 'odd',
    command: process.execPath,
    args: [script, 'sends what it is given'],
    env: compiled,
  })
  return await resultOf(await sender.tools(), 'act', { ...answer })
}

afterAll(() => sender?.close())

test.each([
  ['an unknown type', { type: 'application/json', data: 1 }, '[Left out: a block of type "application/json"]'],
  ['an unknown type with text', { type: 'markdown', text: 'a text' }, 'a text'],
  ['no type', { data: png }, '[Left out: a block without a type, 9 bytes]'],
  ['a text of null', { type: 'text', text: null }, '[Left out: a text block without text]'],
  ['an image without a media type', { type: 'image', data: png }, '[image/png]'],
  ['an image as an address', { type: 'image', data: `data:image/png;base64,${png}`, mimeType: 'png' }, '[image/png]'],
  ['an image of nothing', { type: 'image', mimeType: 'image/png' }, '[Left out: image, image/png]'],
  ['odd annotations', { type: 'text', text: 'a text', annotations: { priority: 5 }, _meta: null }, 'a text'],
  ['a resource without an address', { type: 'resource', resource: { text: 'inside' } }, '[Resource]\ninside'],
  ['a resource of null', { type: 'resource', resource: null }, '[Left out: a resource without contents]'],
  ['a link without a name', { type: 'resource_link', uri: 'file:///a' }, '[Resource file:///a]'],
  ['plain text', 'a text', 'a text'],
  ['a number', 7, '[Left out: a block that is not an object]'],
])('TOOL-04 reads a result with a block of %s, and keeps the other block', async (_, block, said) => {
  const result = { content: [block, usable], _meta: null }
  expect(textIn(await resultFor({ result }))).toBe(`${said}\nusable`)
})

test.each([
  ['text in place of blocks', { content: 'usable' }, { content: [usable] }],
  ['one block in place of a list', { content: usable }, { content: [usable] }],
  [
    'structured content alone',
    { content: null, structuredContent: { a: 1 } },
    { content: [{ type: 'text', text: '{"a":1}' }], details: { structuredContent: { a: 1 } } },
  ],
  [
    'structured content that is a list',
    { content: [usable], structuredContent: [1] },
    { content: [usable], details: { structuredContent: { result: [1] } } },
  ],
  ['structured content of null', { content: [usable], structuredContent: null }, { content: [usable] }],
  ['an error in words', { content: [usable], isError: 'true' }, { content: [usable], status: 'error' }],
  [
    'an error that does not fit its outputSchema',
    { content: [usable], isError: true, structuredContent: { code: 5 } },
    { content: [usable], status: 'error', details: { structuredContent: { code: 5 } } },
  ],
])('TOOL-04 reads a result of %s', async (_, answer, result) => {
  expect(await resultFor({ result: answer })).toEqual(result)
})

test.each([
  ['a text as its error', { error: 'boom' }, /gave "act" no result: .*boom/],
  ['an error without a message', { error: { code: 'E1' } }, /gave "act" no result: .*E1/],
  ['neither a result nor an error', {}, /gave "act" no result: .*neither a result nor an error/],
  ['a result of null', { result: null, error: null }, /gave "act" no result: .*neither a result nor an error/],
  ['null beside its result', { result: { content: [usable] }, error: null }, /^usable$/],
])('TOOL-04 reads an answer with %s at once', async (_, answer, said) => {
  expect(textIn(await resultFor(answer))).toMatch(said)
})

/** A server over HTTP whose session is lost when a test says so. */
async function listening(refuse: (id: unknown) => readonly [status: number, body: string]) {
  const seen: string[] = []
  const state = { life: 1, asEvents: false }
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.method !== 'POST') return response.writeHead(405).end()
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>
    const send = (result: object) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id, result })
      const type = state.asEvents ? 'text/event-stream' : 'application/json'
      const session = { 'content-type': type, 'mcp-session-id': `life-${state.life}` }
      const lines = body.replaceAll(',', ',\n').split('\n')
      return response
        .writeHead(200, session)
        .end(state.asEvents ? `event: message\r\n${lines.map((line) => `data: ${line}\r\n`).join('')}\r\n` : body)
    }
    if (method === 'initialize') {
      const { protocolVersion } = params as { protocolVersion: string }
      return send({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'shop', version: '1' } })
    }
    if (method === 'server/discover') return response.writeHead(400).end()
    if (request.headers['mcp-session-id'] !== `life-${state.life}`) {
      const [status, body] = refuse(id)
      return response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    }
    if (id === undefined) return response.writeHead(202).end()
    seen.push(String(method))
    return send(method === 'tools/list' ? { tools: [good, { name: 'odd' }] } : { content: [usable, null], _meta: null })
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const open = (options: Partial<McpHttpOptions> = {}): Toolset => {
    const toolset = mcpToolset({ name: 'shop', url, protocol: 'legacy', onWarning: () => undefined, ...options })
    onTestFinished(() => toolset.close())
    return toolset
  }
  return { open, seen, state }
}

const refusal = (message: string, id: unknown = null) =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message } })

test.each([
  ['400 that names the session', () => [400, refusal('This session is not known here')] as const],
  ['400 of a server that was not initialized', () => [400, refusal('Bad Request: Server not initialized')] as const],
  ['400 with an id of its own', () => [400, refusal('No valid session ID', 'server-error')] as const],
  ['404', () => [404, ''] as const],
])('TOOL-04 begins a new session after %s, and sends the call again once', async (_, refuse) => {
  const { open, seen, state } = await listening(refuse)
  const tools = await open().tools()
  state.life = 2
  expect(textIn(await resultOf(tools, 'good', {}))).toBe('usable\n[Left out: a block that is not an object]')
  expect(seen).toEqual(['tools/list', 'tools/call'])
})

test.each([
  ['says nothing', () => [400, 'Bad Request'] as const],
  ['may have read the call', (id: unknown) => [400, refusal('The session of the shop is over', id)] as const],
])('TOOL-04 begins a new session after a 400 that %s, without a second call', async (_, refuse) => {
  const { open, seen, state } = await listening(refuse)
  const toolset = open()
  const tools = await toolset.tools()
  state.life = 2
  expect(await resultOf(tools, 'good', {})).toMatchObject({ status: 'error' })
  expect(textIn(await resultOf(tools, 'good', {}))).toBe('usable\n[Left out: a block that is not an object]')
  state.life = 3
  expect(await toolset.tools()).toHaveLength(2)
  expect(seen).toEqual(['tools/list', 'tools/call', 'tools/list'])
})

test('TOOL-04 keeps the session after a 400 that answers the call', async () => {
  const { open, seen, state } = await listening((id) => [400, refusal('Invalid arguments', id)])
  const tools = await open().tools()
  state.life = 2
  for (let times = 0; times < 2; times++) {
    expect(await resultOf(tools, 'good', {})).toMatchObject({ status: 'error' })
  }
  expect(seen).toEqual(['tools/list'])
})

test('TOOL-04 reads unusual parts in an event stream, whose data may have several lines', async () => {
  const { open, state } = await listening(() => [404, ''])
  state.asEvents = true
  const tools = await open().tools()
  expect(tools.map(({ name }) => name)).toEqual(['good', 'odd'])
  expect(textIn(await resultOf(tools, 'good', {}))).toBe('usable\n[Left out: a block that is not an object]')
})
