import { expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, type Store, tool, type ToolOptions, UsageError } from '../../../src/index.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { redactSecrets } from '../../../src/core/plugins/redact-secrets.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { calling, shown } from './background-desk.ts'

const input = z.object({ year: z.string().transform(Number) })
const started = calling('x', 'export', { year: '2026' })
const receipt = "[Tool 'export' runs in the background. Its result will follow as a message.]"

interface Exporting extends Partial<ToolOptions<typeof input, 'export'>> {
  readonly store?: Store
  readonly answers?: readonly ScriptedReply[]
  readonly secret?: string
}

function exporter({ store = memoryStore(), answers = [started, 'Started.', 'Thanks.'], secret, ...others }: Exporting) {
  const exports = tool({
    name: 'export',
    description: 'Exports a year.',
    input,
    background: true,
    execute: ({ year }) => `Exported ${year + 1}.`,
    ...others,
  })
  const agent = createAgent({
    name: 'clerk',
    store,
    model: scripted(answers),
    tools: [exports],
    ...(secret === undefined ? {} : { plugins: [redactSecrets([{ name: 'key', value: secret }])] }),
  })
  const until = async (holds: () => Promise<boolean>) => {
    while (!(await holds())) await new Promise((next) => setImmediate(next))
  }
  const over = async (runId: string) => {
    const run = await agent.load(runId)
    await until(async () => (await run.background())[0]?.status === 'ended')
  }
  return { agent, store, until, over }
}

test("TC-10 a tool in the background returns a receipt, and works in its own run with the call's key", async () => {
  const keys: string[] = []
  const { agent, store, over } = exporter({
    execute: ({ year }, { idempotencyKey }) => {
      keys.push(idempotencyKey)
      return `Exported ${year + 1}.`
    },
  })
  const first = await agent.run('Go.', { runId: 'r1' })
  expect(shown(first.messages)).toEqual(['user: Go.', 'assistant: ', `toolResult: ${receipt}`, 'assistant: Started.'])
  await over('r1')
  const run = await agent.load('r1')
  const { messages } = await (await run.prompt('And?')).settled()
  expect(shown(messages).slice(-3)).toEqual([
    "user: [Result of 'export' (1.x): Exported 2027.]",
    'user: And?',
    'assistant: Thanks.',
  ])
  expect(keys).toEqual(['r1:1.x:0'])
  const [work] = await store.list({ agent: 'clerk/export' })
  expect(work).toMatchObject({ status: 'done', doneReason: 'natural_end' })
  expect((await agent.runs()).length).toBe(2)
})

test('TC-10 a tool in the background asks before its call starts, and only once', async () => {
  const { agent, over } = exporter({ needs: 'approval' })
  const run = agent.start('Go.', { runId: 'r1' })
  const { suspended } = await run.settled()
  expect(suspended.map(({ callId }) => callId)).toEqual(['1.x'])
  await run.approve()
  expect((await run.settled()).text).toBe('Started.')
  await over('r1')
})

test("TC-10 the parent run answers a background tool's question", async () => {
  const { agent, until, over } = exporter({
    execute: ({ year }, { decision, suspend }) =>
      decision === undefined ? suspend({ message: 'Sure?' }) : `Exported ${year}.`,
  })
  await agent.run('Go.', { runId: 'r1' })
  const run = await agent.load('r1')
  await until(async () => (await run.background())[0]?.status === 'waiting')
  const [work] = await run.background()
  expect(work?.suspended.map(({ callId }) => callId)).toEqual([`${work?.childRunId}/1.call`])
  expect((await agent.suspended()).length).toBe(1)
  expect((await run.approve()).answer).toBe('applied')
  await run.settled()
  await over('r1')
})

test('TC-10 no run contains parts that a plugin removes from results', async () => {
  const { agent, store, over } = exporter({ secret: 'hush-hush', execute: () => 'Key: hush-hush.' })
  await agent.run('Go.', { runId: 'r1' })
  await over('r1')
  const run = await agent.load('r1')
  const { messages } = await (await run.prompt('And?')).settled()
  expect(shown(messages).at(-3)).toMatch(/^user: \[Result of 'export' \(1\.x\): Key: (?!hush).*\]$/)
  const [work] = await store.list({ agent: 'clerk/export' })
  expect(JSON.stringify(await store.read(work !== undefined && 'id' in work ? work.id : ''))).not.toContain('hush-hush')
})

test('TC-10 a background tool whose question is denied returns the denial as its result', async () => {
  const { agent, until, over } = exporter({ execute: (_, { suspend }) => suspend({ message: 'Sure?' }) })
  await agent.run('Go.', { runId: 'r1' })
  const run = await agent.load('r1')
  await until(async () => (await run.background())[0]?.status === 'waiting')
  await run.deny(undefined, { reason: 'Not today.' })
  await run.settled()
  await over('r1')
  const { messages } = await (await run.prompt('And?')).settled()
  expect(shown(messages).at(-3)).toBe("user: [Result of 'export' (1.x): Not today.]")
})

test('TC-10 refuses a toolset with a tool that works in the background', async () => {
  const late = tool({ name: 'late', description: 'Late.', input: {}, background: true, execute: () => '' })
  const agent = createAgent({
    name: 'clerk',
    model: scripted(['Hello.']),
    tools: [{ name: 'set', tools: async () => [late], close: async () => undefined }],
  })
  await expect(agent.run('Go.')).rejects.toThrow(UsageError)
  await expect(agent.run('Go.')).rejects.toThrow('Put it into the list of an agent')
})

test('TC-10 gives two background tools and a sub-agent runs with different names', () => {
  const late = tool({ name: 'reader', description: 'Late.', input: {}, background: true, execute: () => '' })
  const reader = createAgent({ name: 'reader', model: scripted(['Hello.']) })
  const tools = [late, reader.asTool({ name: 'read', description: 'Reads.' })]
  expect(() => createAgent({ name: 'clerk', model: scripted(['Hello.']), tools })).toThrow('two different sub-agents')
})

test('TC-10 a fork asks before it repeats background work that its original began', async () => {
  const done: string[] = []
  const { agent, over } = exporter({
    execute: (_, { idempotencyKey }) => {
      done.push(idempotencyKey)
      return 'Exported.'
    },
  })
  const run = agent.start('Go.', { runId: 'r1' })
  await run.settled()
  await over('r1')
  const answered = (await run.history()).find(({ names }) => names.includes('AssistantTurnCommitted'))
  const fork = await agent.fork('r1', { from: answered?.version ?? 0, runId: 'f1' })
  const { suspended } = await fork.settled()
  expect(suspended).toMatchObject([{ toolName: 'export', suspension: { reason: 'interrupted' } }])
  expect(done).toEqual(['r1:1.x:0'])
  await fork.approve()
  expect((await fork.settled()).text).toBe('Started.')
  await over('f1')
  expect(done).toEqual(['r1:1.x:0', 'f1:1.x:0'])
})
