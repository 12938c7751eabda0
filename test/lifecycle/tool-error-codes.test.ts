import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, calls } from '../../proof/support/say.ts'
import { temporaryFolder } from '../../proof/support/temporary-folder.ts'
import { eventsOf, runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { type Tool, tool } from '../../src/index.ts'
import type { ToolErrorCode } from '../../src/ports.ts'
import type { JsonObject } from '../../src/core/domain/text/json.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'

const act = (execute: Tool['execute'], more: Partial<Tool> = {}): Tool => ({
  ...tool({ name: 'act', description: 'Acts', input: z.object({ n: z.number() }), execute: () => '' }),
  execute,
  ...more,
})

const fails = act(() => {
  throw new Error('No.')
})
const says = act(() => ({ content: [{ type: 'text', text: 'No.' }], status: 'error' }))
const masked: TestAgentOptions = {
  plugins: [
    {
      name: 'masks',
      onToolValue: ({ value }) => (typeof value === 'object' ? { content: [], status: 'error' } : value),
    },
  ],
}
const rewritten: TestAgentOptions = {
  plugins: [
    {
      name: 'shorter',
      reviewCall: ({ rewrite }) => rewrite({ content: [{ type: 'text', text: 'Shorter.' }], status: 'error' }),
    },
  ],
}

type Row = [what: string, code: ToolErrorCode, tools: readonly Tool[], given: JsonObject, more?: TestAgentOptions]

const table: readonly Row[] = [
  ['of a tool there is not', 'unknown_tool', [], {}],
  ['with arguments that do not fit', 'bad_arguments', [fails], { n: 'x' }],
  ['whose tool throws', 'failed', [fails], { n: 1 }],
  ['whose tool says that it failed', 'failed', [says], { n: 1 }],
  ['whose tool returns what is not JSON', 'failed', [act(() => 1n as never)], { n: 1 }],
  ['whose tool takes too long', 'timed_out', [act(() => new Promise(() => {}), { timeoutMs: 0 })], { n: 1 }],
  ['that a plugin masks', 'timed_out', [act(() => new Promise(() => {}), { timeoutMs: 0 })], { n: 1 }, masked],
  ['whose text a plugin rewrites', 'failed', [fails], { n: 1 }, rewritten],
  ['with arguments that do not fit, rewritten', 'bad_arguments', [fails], { n: 'x' }, rewritten],
]

test.each<Row>(table)(
  'TOOL-01 EVT-01 a call %s fails as %s, stored and emitted',
  async (_, code, tools, given, more = {}) => {
    const file = `${await temporaryFolder()}/runs.db`
    const store = sqliteStore(file)
    const { agent } = testAgent({ store, tools, replies: [calls(call('c1', 'act', given)), 'Bye'], ...more })
    const events = await eventsOf(agent.start('Hi', { runId }))
    const told = events.flatMap((event) => (event.type === 'message.ended' ? event.message : []))
    expect(told.filter(({ role }) => role === 'toolResult')).toMatchObject([{ code }])
    await store.close()
    const later = sqliteStore(file)
    const { messages } = await (await testAgent({ store: later }).agent.load(runId)).result()
    expect(messages.find(({ role }) => role === 'toolResult')).toMatchObject({ isError: true, status: 'error', code })
    await later.close()
  },
)

test('TOOL-01 treats an invalid code as "failed", and adds none to denied, blocked and cut calls', async () => {
  const odd = act(() => ({ content: [], status: 'error', code: 'odd' as never }))
  const { agent } = testAgent({ tools: [odd], replies: [calls(call('c1', 'act', { n: 1 })), 'Bye'] })
  const { messages } = await agent.run('Hi')
  expect(messages[2]).toMatchObject({ isError: true, code: 'failed' })

  const asking = testAgent({
    tools: [act(() => 'x', { needs: 'approval' })],
    replies: [calls(call('c1', 'act', { n: 1 })), 'Bye'],
  })
  const run = asking.agent.start('Hi')
  await run.settled()
  await run.deny()
  expect((await run.settled()).messages[2]).not.toHaveProperty('code')

  const blocking = { name: 'no', gateCall: () => ({ block: 'Never.' }) }
  const blocked = testAgent({
    plugins: [blocking],
    tools: [act(() => 'x')],
    replies: [calls(call('c1', 'act', { n: 1 })), 'Bye'],
  })
  expect((await blocked.agent.run('Hi')).messages[2]).not.toHaveProperty('code')
})
