import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { Client, type ClientOptions } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { compiled } from '../../proof/support/compiled.ts'
import { z } from 'zod'
import { createAgent, tool } from '../../src/index.ts'
import { decisionsOf } from '../../src/servers/mcp/pending-questions.ts'
import { serveMcp } from '../../src/servers/mcp-server.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { cleaner, connected, served, textOf } from './served-cleaner.ts'

const protocols: readonly [string, ClientOptions][] = [
  ['of 2025', {}],
  ['of 2026', { versionNegotiation: { mode: 'auto' } }],
]

test.each(protocols)(
  'TOOL-07 a run that asks a client %s is approved through a tool and finishes',
  async (_, options) => {
    const { agent, deleted } = cleaner()
    const { url, token } = await served(agent)
    const client = await connected(url, token, options)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'file_cleaner',
      'approve',
      'deny',
      'respond',
    ])

    const asked = await client.callTool({ name: 'file_cleaner', arguments: { prompt: 'Tidy up.' } })
    const runId = String(Object(asked.structuredContent).runId)
    const pending = [{ callId: '1.c', toolName: 'delete_file', arguments: { path: 'old.txt' }, reason: 'approval' }]
    expect(asked.structuredContent).toEqual({ runId, status: 'waiting', reason: 'suspended', text: '', pending })
    expect(deleted).toEqual([])

    const answer = await client.callTool({ name: 'approve', arguments: { runId } })
    expect(answer).toMatchObject({ content: [{ type: 'text', text: 'It is gone.' }] })
    expect(deleted).toEqual(['old.txt'])

    const { contents } = await client.readResource({ uri: `run://${runId}` })
    const done = { runId, status: 'done', reason: 'natural_end', text: 'It is gone.', pending: [] }
    expect(contents.map((each) => JSON.parse('text' in each ? each.text : ''))).toEqual([done])
  },
)

test.each([
  ['approve', 'It is gone.', ['old.txt']],
  ['deny', 'It is gone.', []],
])('TOOL-07 asks a client that can be asked, and its %s decides', async (answer, text, expected) => {
  const { agent, deleted } = cleaner()
  const { url, token } = await served(agent)
  const client = await connected(url, token, {
    versionNegotiation: { mode: 'auto' },
    capabilities: { elicitation: { form: {} } },
  })
  const asked: string[] = []
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message)
    return { action: 'accept', content: { answer } }
  })
  const result = await client.callTool({ name: 'file_cleaner', arguments: { prompt: 'Tidy up.' } })
  expect(asked).toEqual(['May the agent call "delete_file" with {"path":"old.txt"}?'])
  expect(result).toMatchObject({ content: [{ type: 'text', text }] })
  expect(deleted).toEqual(expected)
})

const modern: ClientOptions = { versionNegotiation: { mode: 'auto' } }
const patient: ClientOptions = {
  ...modern,
  capabilities: { elicitation: { form: {} } },
  inputRequired: { autoFulfill: false },
}
test('TOOL-07 a question is answered once at another server with its token', async () => {
  const store = memoryStore()
  const first = cleaner(store)
  const token = 'a-token-that-nobody-is-going-to-guess'
  const { url } = await served(first.agent, { token })
  const asking = await connected(url, token, patient)
  const ask = { name: 'file_cleaner', arguments: { prompt: 'Tidy up.' } }
  const asked: unknown = await asking.callTool(ask, { allowInputRequired: true })
  expect(asked).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) })
  const { requestState } = Object(asked)

  const second = cleaner(store)
  const other = await served(second.agent, { token })
  const answering = await connected(other.url, token, patient)
  const inputResponses = { '1.c': { action: 'accept', content: { answer: 'approve' } } }
  const answer = { ...ask, inputResponses, requestState } as Parameters<Client['callTool']>[0]
  expect(textOf(await answering.callTool(answer))).toBe('It is gone.')
  expect(textOf(await answering.callTool(answer))).toBe('It is gone.')
  expect([first.deleted, second.deleted]).toEqual([[], ['old.txt']])

  const forged = { ...answer, requestState: `${requestState.slice(0, -4)}AAAA` }
  await expect(answering.callTool(forged)).rejects.toThrow(/requestState/)
})

test('TOOL-07 a no has its reason, and a decision that arrives too late is refused', async () => {
  const { agent, deleted } = cleaner()
  const { url, token } = await served(agent)
  const client = await connected(url, token)
  const asked = await client.callTool({ name: 'file_cleaner', arguments: { prompt: 'Tidy up.' } })
  expect(textOf(asked)).toMatch(
    /^Run ".*" waits for a decision on:\n- 1\.c: delete_file \{"path":"old\.txt"\} \(approval\)\n/,
  )
  const { runId } = Object(asked.structuredContent)
  const given = { runId, callId: '1.c', reason: 'Not today.' }
  expect(textOf(await client.callTool({ name: 'deny', arguments: given }))).toBe('It is gone.')
  const late = await client.callTool({ name: 'approve', arguments: { runId, callId: '1.c' } })
  expect(late).toMatchObject({ isError: true })
  expect(textOf(late)).toMatch(/^The decision was not accepted \(stale\)\./)
  expect(deleted).toEqual([])
  const run = await agent.load(runId)
  expect(await run.result()).toMatchObject({ status: 'done' })
})

test('TOOL-07 a client supplies the result instead of the tool', async () => {
  const { agent, deleted } = cleaner()
  const { url, token } = await served(agent)
  const client = await connected(url, token)
  const asked = await client.callTool({ name: 'file_cleaner', arguments: { prompt: 'Tidy up.' } })
  const { runId } = Object(asked.structuredContent)
  const done = await client.callTool({ name: 'respond', arguments: { runId, result: 'Done by hand.' } })
  expect([textOf(done), deleted]).toEqual(['It is gone.', []])
})

test.each(['approve', 'deny', 'respond'])('TOOL-07 %s does not reach runs that others started', async (name) => {
  const { agent } = cleaner()
  const { runId } = await agent.run('Tidy up.')
  const { url, token } = await served(agent)
  const client = await connected(url, token)
  for (const id of [runId, 'nobody', '../x']) {
    const given = { runId: id, ...(name === 'respond' ? { result: 'x' } : {}) }
    const answer = await client.callTool({ name, arguments: given })
    expect(answer).toMatchObject({ isError: true })
    expect(textOf(answer)).toBe(`There is no run "${id}" of this agent that was started over MCP.`)
  }
  await expect(client.readResource({ uri: `run://${runId}` })).rejects.toThrow(/There is no run/)
})

test('TOOL-07 reports a failed run as an error, and cancels a run whose client cancels', async () => {
  const model = scripted([{ error: { kind: 'auth', message: 'No key.' } }])
  const failing = await served(createAgent({ name: 'failing', model }))
  const client = await connected(failing.url, failing.token)
  const failed = await client.callTool({ name: 'failing', arguments: { prompt: 'Go.' } })
  expect(failed).toMatchObject({ isError: true })
  expect(textOf(failed)).toContain('No key.')

  const store = memoryStore()
  const controller = new AbortController()
  const cancelled = Promise.withResolvers<void>()
  const hang = tool({
    name: 'hang',
    description: 'Hangs.',
    input: z.object({}),
    execute: async (_, { signal }) => {
      signal.addEventListener('abort', () => cancelled.resolve(), { once: true })
      controller.abort()
      await cancelled.promise
      return 'too late'
    },
  })
  const hanging = createAgent({
    name: 'hanging',
    model: scripted([{ toolCalls: [{ id: 'c', name: 'hang', arguments: {} }] }, 'Never.']),
    tools: [hang],
    store,
  })
  const other = await served(hanging)
  const impatient = await connected(other.url, other.token, modern)
  const call = impatient.callTool({ name: 'hanging', arguments: { prompt: 'Go.' } }, { signal: controller.signal })
  await expect(call).rejects.toThrow(/abort/)
  await cancelled.promise
})

test('TOOL-07 reports progress to clients that ask for it', async () => {
  const { agent } = cleaner()
  const { url, token } = await served(agent)
  const client = await connected(url, token, modern)
  const told: (string | undefined)[] = []
  const onprogress = ({ message }: { message?: string | undefined }) => void told.push(message)
  await client.callTool({ name: 'file_cleaner', arguments: { prompt: 'Tidy up.' } }, { onprogress })
  expect(told).toEqual(['Turn 1'])
})

/** A bare request, with headers no client package would send. */
async function status(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return await new Promise((resolve, reject) => {
    const asking = request(url, { method: 'POST', headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    asking.once('error', reject)
    asking.end('{}')
  })
}

test('TOOL-07 listens on loopback, and accepts nothing without its token, for another host or from a foreign page', async () => {
  const { url, token } = await served(cleaner().agent)
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/)
  const authorization = `Bearer ${token}`
  expect(await status(url, {})).toBe(401)
  expect(await status(url, { authorization: 'Bearer wrong' })).toBe(401)
  expect(await status(`${url}?token=${token}`, {})).toBe(401)
  expect(await status(url, { authorization, host: 'evil.example' })).toBe(403)
  expect(await status(url, { authorization, origin: 'https://evil.example' })).toBe(403)
  expect(await status(url, { authorization, origin: 'null' })).toBe(403)
  expect(await status(url.replace('/mcp', '/other'), { authorization })).toBe(404)
  expect(await status(url, { authorization })).toBe(415)
})

test.each([
  [{ token: 'short' }, /The token, of 5 characters, is refused\. Expected 32 or more/],
  [{ toolName: 'deny' }, /^The tool name "deny" is refused\. .* Give another as toolName\.$/],
  [{ toolName: 'a b' }, /^The tool name "a b" is refused\./],
  [{ stateKey: 'short' }, /stateKey has 5 characters\. Expected 32 or more/],
])('TOOL-07 refuses %j', async (options, expected) => {
  const serving = serveMcp(cleaner().agent, { transport: 'http', ...options })
  await expect(serving).rejects.toMatchObject({ code: 'bad_option', message: expect.stringMatching(expected) })
})

test('TOOL-07 reports an address that is in use', async () => {
  const { url } = await served(cleaner().agent)
  const port = Number(new URL(url).port)
  const serving = serveMcp(cleaner().agent, { transport: 'http', port })
  const message = expect.stringMatching(/cannot be served at 127\.0\.0\.1:\d+: .*EADDRINUSE.* Give another port/)
  await expect(serving).rejects.toMatchObject({ name: 'ServeMcpError', code: 'cannot_listen', message })
})

test('TOOL-07 serves an agent over standard input and output', async () => {
  const program = fileURLToPath(new URL('processes/served-agent.ts', import.meta.url))
  const client = new Client({ name: 'official', version: '1' }, modern)
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program], env: compiled, stderr: 'ignore' }),
  )
  onTestFinished(() => client.close())
  const asked = await client.callTool({ name: 'clerk', arguments: { prompt: 'Send it.' } })
  const { runId } = Object(asked.structuredContent)
  expect(textOf(await client.callTool({ name: 'approve', arguments: { runId } }))).toBe('It is out.')
}, 20_000)

test("AGT-09 passes a run's transcript to the client only if its agent requests history", async () => {
  const asking = async (history: boolean) => {
    const agent = createAgent({ name: 'guide', model: scripted(['Hello.']), history })
    const { url, token } = await served(agent)
    const client = await connected(url, token)
    return (await client.callTool({ name: 'guide', arguments: { prompt: 'Hi' } })).structuredContent
  }
  const answer = { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }], place: expect.any(Number) }
  expect(await asking(true)).toMatchObject({ text: 'Hello.', history: [{ role: 'user', place: 2 }, answer] })
  expect(await asking(false)).not.toHaveProperty('history')
})

test('TOOL-07 refuses another token of the same length', async () => {
  const { agent } = cleaner()
  const { url, token } = await served(agent)
  const other = token.replace(/^./, (first) => (first === 'a' ? 'b' : 'a'))
  for (const authorization of [`Bearer ${other}`, `Bearer ${token}x`, `Basic ${token}`, token, '']) {
    const answer = await fetch(url, { method: 'POST', headers: { authorization }, body: '{}' })
    expect([authorization, answer.status]).toEqual([authorization, 401])
  }
})

test('TOOL-07 DEC-03 an unclear answer decides nothing, and an answer applies only to the suspension that it was given for', () => {
  const asked = { '1.c': 'sus_1' }
  const accepting = (content: unknown) => decisionsOf(asked, { '1.c': { action: 'accept', content } })
  for (const content of [undefined, null, {}, { answer: 'maybe' }, { answer: true }, 'approve'])
    expect(accepting(content)).toEqual([])
  expect(decisionsOf(asked, { '1.c': { action: 'cancel' } })).toEqual([])
  expect(decisionsOf(asked, { '2.c': { action: 'accept', content: { answer: 'approve' } } })).toEqual([])
  expect(accepting({ answer: 'approve' })).toEqual([{ target: 'sus_1', by: 'mcp', action: 'resume' }])
  expect(accepting({ answer: 'deny', reason: 'No.' })).toEqual([
    { target: 'sus_1', by: 'mcp', action: 'cancel', reason: 'No.' },
  ])
})
