import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { askingServer } from '../../../proof/mcp/asking-server.ts'
import { everythingServer } from '../../../proof/mcp/official-servers.ts'
import { performCall, resultOf, textIn } from '../../../proof/mcp/perform-call.ts'
import { fakeClock } from '../../../proof/support/fake-clock.ts'
import {
  type Agent,
  createAgent,
  type Decision,
  type Json,
  type RunResult,
  textOf,
  type Toolset,
} from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { Suspended } from '../../../src/core/ports/tool.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { mcpToolset } from '../../../src/adapters/tools/mcp.ts'

const agents: Agent[] = []
const toolsets: Toolset[] = []

afterEach(async () => {
  await Promise.all([...agents.splice(0), ...toolsets.splice(0)].map((each) => each.close()))
})

const store = memoryStore()
let runs = 0

/** An agent that calls one tool and is done; each one made is a process of its own as far as questions go. */
function caller(toolset: Toolset, name: string, given: Json): Agent {
  const model = scripted([{ toolCalls: [{ id: 'c', name, arguments: given }] }, 'Done.'])
  const agent = createAgent({ name: 'caller', model, tools: [toolset], store })
  agents.push(agent)
  return agent
}

/** Starts a run that comes to a question. */
async function asked(agent: Agent): Promise<RunResult> {
  const result = await agent.run('Go.', { runId: `asked-${runs++}` })
  expect(result).toMatchObject({ status: 'waiting', suspended: [{ callId: '1.c', suspension: { reason: 'input' } }] })
  return result
}

/** Decides in an agent and drives the run on; the result of the call, or what is asked next. */
async function decided(agent: Agent, runId: string, decision: Omit<Decision, 'target' | 'action'>): Promise<string> {
  const run = await agent.load(runId)
  const receipts = await run.decide([{ target: '1.c', action: 'resume', ...decision }])
  expect(receipts).toMatchObject([{ answer: 'applied' }])
  const { status, suspended } = await run.settled()
  if (status === 'waiting') return suspended[0]?.suspension?.message ?? 'It waits.'
  const results = (await store.calls(runId)).flatMap(({ record }) => record.result ?? [])
  return results.map(textOf).join('\n')
}

const answers = (confirm: Json): Json => ({ $inputResponses: { confirm } })

function deploying() {
  const server = askingServer()
  const fresh = () => caller(mcpToolset({ name: 'asking', ...server }), 'deploy', { place: 'prod' })
  return { server, fresh }
}

test('TOOL-04 DEC-07 a question is stored with its call and answered in another process, once', async () => {
  const { server, fresh } = deploying()
  const first = fresh()
  const { runId, suspended } = await asked(first)
  await first.close()
  expect(server.deployed).toEqual([])
  expect(suspended[0]?.suspension?.message).toContain('MCP server "asking" asks: Deploy to prod?')
  expect(suspended[0]?.suspension?.parameters).toMatchObject({
    mcpQuestion: { tool: 'deploy', arguments: { place: 'prod' }, requestState: expect.any(String), isLive: false },
  })

  const given = { confirm: true, note: 'by Ada' }
  const second = fresh()
  const text = await decided(second, runId, { mode: 'pass-to-tool', result: answers(given) })
  expect(text).toMatch(/^\[A person changed the arguments .*\]Deployed to prod \(1\), note: by Ada\.$/)
  expect(server.deployed).toEqual(['prod'])
})

test.each<[string, Omit<Decision, 'target' | 'action'>, string]>([
  [
    'edited arguments',
    { input: { place: 'prod', ...Object(answers({ confirm: true })) } },
    'Deployed to prod (1), note: none.',
  ],
  ['declining', { mode: 'pass-to-tool', result: answers({ action: 'decline' }) }, 'Not deployed.'],
  [
    'a no',
    { mode: 'pass-to-tool', result: answers({ action: 'accept', content: { confirm: false } }) },
    'Not deployed.',
  ],
  ['other arguments', { input: { place: 'test' } }, 'MCP server "asking" asks: Deploy to test?'],
])('TOOL-04 DEC-03 answers a question by %s', async (_, decision, expected) => {
  const { fresh } = deploying()
  const agent = fresh()
  const { runId } = await asked(agent)
  expect(await decided(agent, runId, decision)).toContain(expected)
})

test.each<[string, Omit<Decision, 'target' | 'action'>, RegExp]>([
  ['approval alone', {}, /^The answer was not accepted: confirm: .*"confirm"/],
  [
    'a misfit',
    { mode: 'pass-to-tool', result: answers({ confirm: 'yes' }) },
    /^The answer was not accepted: confirm: .*confirm/,
  ],
  [
    'another name',
    { mode: 'pass-to-tool', result: { $inputResponses: { sure: {} } } },
    /Nothing named "sure" is asked. Asked: confirm\./,
  ],
  ['no object', { mode: 'pass-to-tool', result: { $inputResponses: 'yes' } }, /is not an object/],
])('TOOL-04 DEC-05 asks a question again if it cannot be answered by %s', async (_, decision, expected) => {
  const { server, fresh } = deploying()
  const agent = fresh()
  const { runId } = await asked(agent)
  expect(await decided(agent, runId, decision)).toMatch(expected)
  expect(await decided(agent, runId, { mode: 'pass-to-tool', result: answers({ confirm: true }) })).toContain('(1)')
  expect(server.deployed).toEqual(['prod'])
})

test('TOOL-04 sends nothing about a denied question', async () => {
  const { server, fresh } = deploying()
  const agent = fresh()
  const { runId } = await asked(agent)
  const run = await agent.load(runId)
  expect(await run.deny('1.c', { reason: 'Not today.' })).toMatchObject({ answer: 'applied' })
  expect(await run.settled()).toMatchObject({ status: 'done', text: 'Done.' })
  expect(server.deployed).toEqual([])
})

function eliciting(): Agent {
  return caller(mcpToolset({ name: 'all', ...everythingServer() }), 'trigger-elicitation-request', {})
}

test('TOOL-04 a question of an older protocol suspends its call, which the server keeps open', async () => {
  const agent = eliciting()
  const { runId, suspended } = await asked(agent)
  expect(suspended[0]?.suspension).toMatchObject({
    message: expect.stringContaining('This question does not survive a restart'),
    expiresAt: expect.any(Number),
  })
  const result = { $inputResponses: { question: { name: 'Ada', check: true } } }
  const text = await decided(agent, runId, { mode: 'pass-to-tool', result })
  expect(text).toContain('- Name: Ada')
}, 20_000)

test('TOOL-04 a question of an older protocol ends with its process, and its call reports it', async () => {
  const first = eliciting()
  const { runId } = await asked(first)
  await first.close()
  const result = { $inputResponses: { question: { name: 'Ada' } } }
  const text = await decided(eliciting(), runId, { mode: 'pass-to-tool', result })
  expect(text).toMatch(/The question of MCP server "all" is gone: .* may have had an effect\. Call the tool again/)
}, 20_000)

test('TOOL-04 assigns no question to the wrong call if several calls are running', async () => {
  const toolset = opened()
  const tools = await toolset.tools()
  const name = 'trigger-elicitation-request'
  const calls = ['1.a', '1.b'].map((callId) => resultOf(tools, name, {}, { callId }))
  const texts = (await Promise.all(calls)).map(textIn)
  expect(texts).toEqual([expect.stringContaining('cancel'), expect.stringContaining('cancel')])
}, 20_000)

test('TOOL-04 abandons an unanswered question of an older protocol in time', async () => {
  const clock = fakeClock()
  const toolset = opened({ clock, questionTimeoutMs: 1_000 })
  const tools = await toolset.tools()
  const name = 'trigger-elicitation-request'
  const asking = await performCall(tools, name, {})
  expect(asking).toBeInstanceOf(Suspended)
  if (!(asking instanceof Suspended)) return
  expect(asking.ticket.expiresAt).toBe(clock.now() + 1_000)
  clock.advance(1_000)
  const suspension = { id: 's', reason: 'input' as const, ...asking.ticket }
  const result = { $inputResponses: { question: { name: 'Ada' } } }
  const late = await resultOf(tools, name, result, { suspension, decision: { result } })
  expect(textIn(late)).toMatch(/^The question of MCP server "all" is gone/)
}, 20_000)

function opened(options: object = {}): Toolset {
  const toolset = mcpToolset({ name: 'all', ...everythingServer(), ...options })
  toolsets.push(toolset)
  return toolset
}

test('TOOL-04 a question that refers to a web page shows its address, and does not open it', async () => {
  const tools = await opened().tools()
  const asking = await performCall(tools, 'trigger-url-elicitation', { url: 'http://127.0.0.1:9/form' })
  expect(asking).toBeInstanceOf(Suspended)
  if (!(asking instanceof Suspended)) return
  expect(asking.ticket.message).toMatch(/^MCP server "all" asks: .*\(open http:\/\/127\.0\.0\.1:9\/form/)
  const suspension = { id: 's', reason: 'input' as const, ...asking.ticket }
  const text = textIn(await resultOf(tools, 'trigger-url-elicitation', {}, { suspension, decision: {} }))
  expect(text).toContain('accept')
}, 20_000)

test('TOOL-04 asks a server again that only wants to be asked again, and returns its state to it', async () => {
  const pauses: number[] = []
  const clock = { now: () => 0, sleepUntil: async (due: number) => void pauses.push(due) }
  const rounds: number[] = []
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'busy', version: '1' })
    server.registerTool('act', { inputSchema: z.object({}) }, (_, { mcpReq }) => {
      const round = Number(mcpReq.requestState() ?? 0)
      rounds.push(round)
      return round < 2
        ? inputRequired({ requestState: String(round + 1) })
        : { content: [{ type: 'text', text: 'done' }] }
    })
    return server
  })
  const fetch = async (url: string | URL, init?: RequestInit) => await handler.fetch(new Request(url, init))
  const toolset = mcpToolset({ name: 'busy', url: 'http://busy.invalid/mcp', fetch, clock })
  toolsets.push(toolset)
  expect(textIn(await resultOf(await toolset.tools(), 'act', {}))).toBe('done')
  expect([rounds, pauses]).toEqual([
    [0, 1, 2],
    [250, 250],
  ])
})

test('TOOL-04 tells a server that requests a model that there is none', async () => {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'sampling', version: '1' })
    server.registerTool('act', { inputSchema: z.object({}) }, () => ({ content: [] }))
    return server
  })
  // The package's own server asks no client for what it does not have, so that this answer is written here.
  const fetch = async (url: string | URL, init: RequestInit = {}) => {
    const body = JSON.parse(typeof init.body === 'string' ? init.body : '{}') as { id?: number; method?: string }
    if (body.method !== 'tools/call') return await handler.fetch(new Request(url, init))
    const params = { messages: [], maxTokens: 1 }
    const inputRequests = { ask: { method: 'sampling/createMessage', params } }
    return Response.json({ jsonrpc: '2.0', id: body.id, result: { resultType: 'input_required', inputRequests } })
  }
  const toolset = mcpToolset({ name: 'sampling', url: 'http://sampling.invalid/mcp', fetch })
  toolsets.push(toolset)
  const text = textIn(await resultOf(await toolset.tools(), 'act', {}))
  expect(text).toBe(
    'MCP server "sampling" gave no result: it asks for sampling/createMessage, which is not available to servers here.',
  )
})
