import { expect, test } from 'vitest'
import { call, calls, say } from '../../proof/support/say.ts'
import { runId, testAgent } from '../../proof/support/test-agent.ts'
import type { Plugin, Run, Tool } from '../../src/index.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'

const number = { type: 'number' }
const schemaOf = (name: string) => ({
  type: 'object',
  properties: { [name]: number },
  required: [name],
  additionalProperties: false,
})

/** The sources of the question about the call. */
interface Asking {
  readonly needs: Pick<Tool, 'needs'>
  readonly plugins: readonly Plugin[]
}

const asks: Plugin = {
  name: 'asks',
  gateCall: () => ({ suspend: { message: 'Sure?' }, evenIfApproved: true }),
}
const byTool: Asking = { needs: { needs: 'approval' }, plugins: [] }
const byPlugin: Asking = { needs: {}, plugins: [asks] }

/** Two processes on one store, with two versions of the tool `pay`: the call is made for the first one. */
function processes({ needs, plugins }: Asking = byTool) {
  const store = memoryStore()
  const ran: unknown[] = []
  const agentOf = (field: string, process: string) => {
    const execute = (input: unknown) => (ran.push(input), 'paid')
    const tools: Tool[] = [{ name: 'pay', description: 'Pays', input: schemaOf(field), execute, ...needs }]
    return testAgent({ store, tools, plugins, process, replies: [calls(call('c1', 'pay', { amount: 2 })), 'Bye'] })
      .agent
  }
  return { ran, before: agentOf('amount', 'p1'), after: agentOf('cents', 'p2') }
}

const invalid = expect.stringContaining('result 1.c1 (error): Invalid arguments for "pay":')

test.each<[string, Asking, (run: Run) => Promise<unknown>]>([
  ['approves the call', byTool, (run) => run.approve()],
  ['approves a call that a plugin asks about', byPlugin, (run) => run.approve()],
  ['gives an edit that fits the tool that was shown', byTool, (run) => run.edit('1.c1', { amount: 3 })],
])(
  'TC-07 DEC-06 fails a call whose arguments no longer fit the tool after a person %s, and asks nobody again',
  async (_, options, answer) => {
    const { before, after, ran } = processes(options)
    const asked = await before.run('Go', { runId })
    expect(asked.suspended).toMatchObject([{ callId: '1.c1' }])
    await answer(await before.load(runId))
    const { status, messages } = await (await after.load(runId)).settled()
    expect(status).toBe('done')
    expect(messages.map(say)).toEqual(['user: Go', 'assistant: calls 1.c1 pay', invalid, 'assistant: Bye'])
    expect(ran).toEqual([])
  },
)

test("TC-07 DEC-06 asks again with a person's edit that fits the current tool", async () => {
  const { before, after, ran } = processes()
  await before.run('Go', { runId })
  const run = await after.load(runId)
  expect((await run.edit('1.c1', { cents: 200 })).answer).toBe('applied')
  const again = await run.settled()
  expect(again).toMatchObject({
    status: 'waiting',
    suspended: [{ arguments: { cents: 200 }, suspension: { message: expect.stringContaining('has changed') } }],
  })
  await run.approve()
  expect((await run.settled()).text).toBe('Bye')
  expect(ran).toEqual([{ cents: 200 }])
})
