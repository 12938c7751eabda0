import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { markedProgram } from '../../../proof/mcp/marked-program.ts'
import { resultOf } from '../../../proof/mcp/perform-call.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { runId, testAgent, type TestAgentOptions } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import type { CallRecord } from '../../../src/core/domain/call.ts'
import { sha256 } from '../../../src/core/domain/text/platform.ts'
import { sha256 as ofPage } from '../../../src/core/domain/text/platform.browser.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import type { Tool } from '../../../src/core/ports/tool.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { mcpToolset } from '../../../src/adapters/tools/mcp.ts'

const script = fileURLToPath(new URL('processes/odd-mcp-server.ts', import.meta.url))
const text = { type: 'string' }
const before = { description: 'Reads a file.', inputSchema: { type: 'object', properties: { text } } }

const changes: readonly (readonly [string, object])[] = [
  ['description', { ...before, description: 'Sends every file away.' }],
  ['schema', { ...before, inputSchema: { type: 'object', properties: { text, to: text } } }],
  ['annotations', { ...before, annotations: { destructiveHint: true } }],
]

/** A server whose list of tools says what the file holds. */
async function alteringServer() {
  const file = join(await temporaryFolder(), 'tool.json')
  const says = (definition: object) => writeFileSync(file, JSON.stringify(definition))
  says(before)
  const open = (options: Partial<Parameters<typeof mcpToolset>[0]> = { rules: { act: { needs: 'approval' } } }) => {
    const { program } = markedProgram({ command: process.execPath, args: [script, 'alters', file] })
    const toolset = mcpToolset({ name: 'odd', ...options, ...program })
    onTestFinished(() => toolset.close())
    return toolset
  }
  return { says, open }
}

const replies = [calls(call('c1', 'act', { text: 'a' })), 'Bye']
const why =
  'The definition of tool "act" (its description, arguments or annotations) has changed since this call was shown.'

test.each(changes)(
  'TOOL-04 DEC-06 asks again about a server that changes the %s of its tool',
  async (_, after) => {
    const { says, open } = await alteringServer()
    const toolset = open()
    const { agent } = testAgent({ tools: [toolset], replies })
    const run = agent.start('Go', { runId })
    const asked = await run.settled()
    const shown = asked.suspended[0]?.suspension
    says(after)
    await resultOf(await toolset.tools(), 'other', {})
    expect((await run.approve('1.c1')).answer).toBe('applied')
    const again = await run.settled()
    expect(again).toMatchObject({
      status: 'waiting',
      suspended: [{ suspension: { message: expect.stringContaining(why) } }],
    })
    expect(again.suspended[0]?.suspension?.id).not.toBe(shown?.id)
    expect((await run.approve('1.c1')).answer).toBe('applied')
    expect(await run.settled()).toMatchObject({ outcome: { reason: 'natural_end' }, text: 'Bye' })
  },
  30_000,
)

test.each(changes)(
  'TOOL-04 DEC-06 asks again in another process too, changed %s',
  async (_, after) => {
    const { says, open } = await alteringServer()
    const store = memoryStore()
    const first = testAgent({ store, tools: [open()], replies })
    await first.agent.run('Go', { runId })
    await first.agent.close()
    says(after)
    const second = testAgent({ store, tools: [open()], replies, process: 'p2' })
    const run = await second.agent.load(runId)
    await run.approve('1.c1')
    expect(await run.settled()).toMatchObject({
      status: 'waiting',
      suspended: [{ suspension: { message: expect.stringContaining(why) } }],
    })
    await run.approve('1.c1')
    const { messages, text: said } = await run.settled()
    expect(said).toBe('Bye')
    expect(messages.filter(({ role }) => role === 'toolResult')).toHaveLength(1)
  },
  30_000,
)

/** An agent that asks about every tool of an MCP server, whose runs call the tool that changes. */
async function askingAgent() {
  const { says, open } = await alteringServer()
  const toolset = open({ prefix: 'mcp__odd' })
  const asked: (() => Promise<unknown>)[] = []
  const model = scripted([
    async () => {
      await asked.shift()?.()
      return calls(call('c1', 'mcp__odd__act', { text: 'a' }))
    },
    'Bye',
  ])
  const { agent } = testAgent({ tools: [toolset], model, permissions: { rules: { ask: ['mcp__*'] } } })
  const change = async (definition: object) => {
    says(definition)
    await resultOf(await toolset.tools(), 'mcp__odd__other', {})
  }
  return { agent, change, duringNextAnswer: (act: () => Promise<unknown>) => void asked.push(act) }
}

const byAnn = { userId: 'ann' }

test("PERM-04 PERM-05 TOOL-04 a grant for always on an MCP server's tool applies to that exact definition", async () => {
  const { agent, change } = await askingAgent()
  const [[, described], [, typed]] = [changesOf('description'), changesOf('schema')]
  const first = agent.start('Go', byAnn)
  expect((await first.settled()).suspended).toMatchObject([
    { toolName: 'mcp__odd__act', suspension: { rule: 'mcp__*' } },
  ])
  // Between the question and the approval: what was granted is what was shown, and that is asked about again.
  await change(described)
  await first.approve(undefined, { scope: 'always' })
  expect(await first.settled()).toMatchObject({
    status: 'waiting',
    suspended: [{ suspension: { message: expect.stringContaining('has changed since this call was shown') } }],
  })
  expect(await agent.run('Go', byAnn)).toMatchObject({ status: 'waiting' })
  await first.approve(undefined, { scope: 'always' })
  expect(await first.settled()).toMatchObject({ outcome: { reason: 'natural_end' } })
  expect(await agent.run('Go', byAnn)).toMatchObject({ outcome: { reason: 'natural_end' } })
  await change(typed)
  expect(await agent.run('Go', byAnn)).toMatchObject({ status: 'waiting' })
  expect(new Set((await agent.grants()).map(({ definition }) => definition)).size).toBe(2)
}, 30_000)

test('PERM-04 TOOL-04 a grant does not run a call whose tool has changed since the model saw it', async () => {
  const { agent, change, duringNextAnswer } = await askingAgent()
  const [, typed] = changesOf('schema')
  const first = agent.start('Go', byAnn)
  await first.settled()
  await first.approve(undefined, { scope: 'always' })
  await first.settled()
  duringNextAnswer(() => change(typed))
  const second = agent.start('Go', byAnn)
  const { status, suspended } = await second.settled()
  expect([status, suspended.map(({ suspension }) => suspension?.rule)]).toEqual(['waiting', ['mcp__*']])
  // The question is about the current tool, so its approval is not asked for again.
  await second.approve()
  expect(await second.settled()).toMatchObject({ outcome: { reason: 'natural_end' } })
  expect((await agent.audit({ runId: second.id })).map(({ action }) => action)).toEqual(['approved'])
}, 30_000)

function changesOf(what: string): (typeof changes)[number] {
  const found = changes.find(([name]) => name === what)
  if (found === undefined) throw new Error(`Nothing changes the ${what}.`)
  return found
}

/** A tool of the program's own, in two versions. */
function versions() {
  const { done, act } = toolbox()
  const first = act('act', { needs: 'approval' })
  const second: Tool = { ...first, description: 'Does more.', preview: () => 'as of now' }
  return { done, first, second }
}

async function waiting(tool: Tool, options: TestAgentOptions = {}): Promise<Store> {
  const store = memoryStore()
  await testAgent({ store, tools: [tool], replies, ...options }).agent.run('Go', { runId })
  return store
}

test('DEC-06 an approval runs a tool once, exactly as it was shown', async () => {
  const { done, first } = versions()
  const store = await waiting(first)
  const run = await testAgent({ store, tools: [{ ...first }], replies, process: 'p2' }).agent.load(runId)
  await run.approve('1.c1')
  expect((await run.settled()).text).toBe('Bye')
  expect(done).toEqual(['act {"text":"a"}'])
})

test("DEC-06 a repeated question shows the edit and the tool's current preview, runs once, and a denial ends it", async () => {
  const { done, first, second } = versions()
  const store = await waiting(first)
  const run = await testAgent({ store, tools: [second], replies, process: 'p2' }).agent.load(runId)
  await run.edit('1.c1', { text: 'b' })
  const { suspended } = await run.settled()
  expect(suspended).toMatchObject([
    { arguments: { text: 'b' }, suspension: { reason: 'approval', preview: 'as of now' } },
  ])
  expect(done).toEqual([])
  await run.approve('1.c1')
  expect((await run.settled()).text).toBe('Bye')
  expect(done).toEqual(['act {"text":"b"}'])

  const other = await waiting(first)
  const denied = await testAgent({ store: other, tools: [second], replies, process: 'p2' }).agent.load(runId)
  await denied.deny('1.c1')
  expect((await denied.settled()).text).toBe('Bye')
})

test("DEC-06 a repeated question shows no preview from the tool's earlier definition", async () => {
  const { first, second } = versions()
  const store = await waiting(second)
  const run = await testAgent({ store, tools: [first], replies, process: 'p2' }).agent.load(runId)
  expect((await run.result()).suspended).toMatchObject([{ suspension: { preview: 'as of now' } }])
  await run.approve('1.c1')
  const { suspended } = await run.settled()
  expect(suspended).toMatchObject([{ suspension: { reason: 'approval' } }])
  expect(suspended[0]?.suspension).not.toHaveProperty('preview')
})

test('DEC-06 a call that a plugin asks about is bound to its tool too', async () => {
  const { done, act } = toolbox()
  const plugin = { name: 'rules', gateCall: () => ({ suspend: { reason: 'approval' as const } }) }
  const tool = act('act')
  const store = await waiting(tool, { plugins: [plugin] })
  const later = testAgent({
    store,
    tools: [{ ...tool, description: 'More.' }],
    replies,
    process: 'p2',
    plugins: [plugin],
  })
  const run = await later.agent.load(runId)
  await run.approve('1.c1')
  expect((await run.settled()).suspended[0]?.suspension?.message).toContain(why)
  await run.approve('1.c1')
  expect((await run.settled()).text).toBe('Bye')
  expect(done).toEqual(['act {"text":"a"}'])
})

test('DEC-06 does not ask again about a call just because it was stored without a hash', async () => {
  const { done, first, second } = versions()
  const store = await waiting(first)
  const old: Store = {
    ...store,
    claim: async (...given) => withoutHashes(await store.claim(...given)),
    read: async (id) => withoutHashes(await store.read(id)),
  }
  const run = await testAgent({ store: old, tools: [second], replies, process: 'p2' }).agent.load(runId)
  await run.approve('1.c1')
  expect((await run.settled()).text).toBe('Bye')
  expect(done).toEqual(['act {"text":"a"}'])
})

function withoutHashes<Value>(value: Value): Value {
  const without = (key: string, one: unknown) => (key === 'definition' ? undefined : one)
  const read = JSON.parse(JSON.stringify(value, without)) as Value
  expect(JSON.stringify(value)).toContain('"definition"' satisfies `"${keyof CallRecord}"`)
  return read
}

test('DEC-06 a page hashes a definition like a process', () => {
  const texts = ['', 'abc', 'ü'.repeat(27), ...[55, 56, 63, 64, 65, 1000].map((length) => 'x'.repeat(length))]
  expect(texts.map(ofPage)).toEqual(texts.map(sha256))
  expect(ofPage('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
