import { afterEach, expect, test } from 'vitest'
import { askingServer } from '../../proof/mcp/asking-server.ts'
import { everythingServer } from '../../proof/mcp/official-servers.ts'
import { type Agent, createAgent, type Decision, type Json, type RunResult, textOf } from '../../src/index.ts'
import { scripted } from '../../src/providers/scripted.ts'
import { memoryStore } from '../../src/stores/memory/memory-store.ts'
import { mcpToolset, type Toolset } from '../../src/tools/mcp.ts'

const agents: Agent[] = []

afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.close()))
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
  expect(await decided(second, runId, { mode: 'pass-to-tool', result: answers(given) })).toBe(
    'Deployed to prod (1), note: by Ada.',
  )
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
])('TOOL-04 DEC-03 a question is answered by %s', async (_, decision, expected) => {
  const { fresh } = deploying()
  const agent = fresh()
  const { runId } = await asked(agent)
  expect(await decided(agent, runId, decision)).toContain(expected)
})

test.each<[string, Omit<Decision, 'target' | 'action'>, RegExp]>([
  ['approval alone', {}, /^The answer was not taken: confirm: .*"confirm"/],
  [
    'a misfit',
    { mode: 'pass-to-tool', result: answers({ confirm: 'yes' }) },
    /^The answer was not taken: confirm: .*confirm/,
  ],
  [
    'another name',
    { mode: 'pass-to-tool', result: { $inputResponses: { sure: {} } } },
    /Nothing named "sure" is asked. Asked: confirm\./,
  ],
  ['no object', { mode: 'pass-to-tool', result: { $inputResponses: 'yes' } }, /is no object/],
])('TOOL-04 DEC-05 a question that cannot be answered by %s is asked again', async (_, decision, expected) => {
  const { server, fresh } = deploying()
  const agent = fresh()
  const { runId } = await asked(agent)
  expect(await decided(agent, runId, decision)).toMatch(expected)
  expect(await decided(agent, runId, { mode: 'pass-to-tool', result: answers({ confirm: true }) })).toContain('(1)')
  expect(server.deployed).toEqual(['prod'])
})

test('TOOL-04 a question that was denied is told to nobody', async () => {
  const { server, fresh } = deploying()
  const agent = fresh()
  const { runId } = await asked(agent)
  const run = await agent.load(runId)
  expect(await run.deny('1.c', 'Not today.')).toMatchObject({ answer: 'applied' })
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

test('TOOL-04 a question of an older protocol is gone with its process, and the call says so', async () => {
  const first = eliciting()
  const { runId } = await asked(first)
  await first.close()
  const result = { $inputResponses: { question: { name: 'Ada' } } }
  const text = await decided(eliciting(), runId, { mode: 'pass-to-tool', result })
  expect(text).toMatch(/^The question of MCP server "all" is gone: .* may have had an effect\. Call the tool again/)
}, 20_000)
