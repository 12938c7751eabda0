import { expect, test } from 'vitest'
import { scripted, type ScriptedToolCall } from '../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { createAgent, type Tool, tool } from '../../src/index.ts'
import { policies } from '../../src/core/plugins/index.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import type { AgentEvent } from '../../src/core/domain/event.ts'
import { calls as sayCalls } from '../../proof/support/say.ts'
import { banking, pay } from '../core/services/banking.ts'
import { temporaryFolder } from '../../proof/support/temporary-folder.ts'

const names = ['read', 'send', 'test', 'deploy'] as const
const ran: string[] = []
const act = (name: string, more: { readonly needs?: 'approval' } = {}): Tool =>
  tool({ name, description: name, input: { type: 'object' }, execute: () => void ran.push(name), ...more })
const calls = (...called: readonly string[]): { toolCalls: readonly ScriptedToolCall[] } => ({
  toolCalls: called.map((name) => ({ name, arguments: {} })),
})

function agentWith(texts: readonly string[], ...turns: readonly (readonly string[])[]) {
  ran.length = 0
  const tools = [...names.map((name) => act(name)), act('pay', { needs: 'approval' })]
  const model = scripted([...turns.map((turn) => calls(...turn)), 'Done.'])
  return createAgent({ name: 'a', model, tools, permissions: { policies: policies(texts) }, store: memoryStore() })
}

const brokenIn = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'policy.broken' ? [event.message] : []))

async function eventsOf(run: { events(options: { after: number }): AsyncIterable<AgentEvent> }) {
  const events: AgentEvent[] = []
  for await (const event of run.events({ after: 0 })) events.push(event)
  return events
}

test.each([
  ['over two turns', [['read'], ['send']]],
  ['beside one another', [['read', 'send']]],
])('TST-06 denies a call that would break a policy before it runs, with calls %s', async (_, turns) => {
  const run = agentWith(['always(ran(read) implies never(ran(send)))'], ...turns).start('Go')
  const { messages, outcome } = await run.settled()
  expect(outcome.reason).toBe('natural_end')
  expect(ran).toEqual(['read'])
  expect(JSON.stringify(messages)).toContain(
    '[Not executed: the policy always(ran(read) implies never(ran(send))) forbids this call.]',
  )
  expect(brokenIn(await eventsOf(run))).toEqual([])
})

test('TST-06 until allows a call as soon as the other has run', async () => {
  const texts = ['until(not ran(deploy), ran(test))']
  await agentWith(texts, ['deploy'], ['test'], ['deploy']).run('Go')
  expect(ran).toEqual(['test', 'deploy'])
})

test('TST-06 an approval by the wrong person does not let a call run', async () => {
  const texts = ['never(ran(pay) and not approvedBy(anna))']
  const run = agentWith(texts, ['pay'], ['pay']).start('Go')
  await run.settled()
  await run.approve(undefined, { by: 'bob' })
  await run.settled()
  expect(ran).toEqual([])
  await run.approve(undefined, { by: 'anna' })
  expect((await run.settled()).outcome.reason).toBe('natural_end')
  expect(ran).toEqual(['pay'])
})

test('TST-06 judges eventually and respond when the run has ended, and emits the unfulfilled obligations', async () => {
  const texts = ['eventually(ran(test))', 'respond(called(pay), ran(pay))', 'respond(called(pay), denied(pay))']
  const run = agentWith(texts, ['pay']).start('Go')
  await run.settled()
  await run.deny()
  await run.settled()
  expect(brokenIn(await eventsOf(run))).toEqual([
    'The run has ended without what eventually(ran(test)) requires.',
    'The run has ended without what respond(called(pay), ran(pay)) requires.',
  ])
})

test('TST-06 no call of the run runs after a step that no judge could prevent has broken a policy', async () => {
  const run = agentWith(['never(called(send))'], ['read'], ['send'], ['read']).start('Go')
  await run.settled()
  expect(ran).toEqual(['read'])
  expect(brokenIn(await eventsOf(run))).toEqual(['The run has broken never(called(send)).'])
})

test('TST-06 does not send a service call that a policy forbids', async () => {
  const permissions = { policies: policies(['always(ran(read) implies never(ran(com_bank_payment)))']) }
  const replies = [calls('read'), sayCalls(pay('a')), 'Paid.']
  const { start, sent } = banking({ replies, tools: [act('read')], permissions })
  expect((await start()).outcome.reason).toBe('natural_end')
  expect(await sent()).toEqual([])
})

test('TST-06 the state of the policies continues in another process', async () => {
  const path = `${await temporaryFolder()}/runs.db`
  const texts = [
    'always(ran(read) implies never(ran(send)))',
    'until(not ran(deploy), ran(test))',
    'always(denied(pay) implies never(ran(deploy)))',
  ]
  const tools = [...names.map((name) => act(name)), act('pay', { needs: 'approval' })]
  const turns = [['test'], ['read'], ['pay'], ['send', 'deploy'], ['test']]
  const options = () => ({
    name: 'a',
    tools,
    permissions: { policies: policies(texts) },
    store: sqliteStore(path),
    model: scripted([...turns.map((turn) => calls(...turn)), 'Done.']),
  })
  ran.length = 0
  const first = createAgent(options())
  const run = first.start('Go', { runId: 'r' })
  await run.settled()
  await first.close()
  const second = createAgent(options())
  const loaded = await second.load('r')
  await loaded.deny()
  await loaded.settled()
  expect(ran).toEqual(['test', 'read', 'test'])
  await second.close()
})

test.each(['never(ran(help) and approvedBy())', 'always(waited(help) implies never(ran(help)))'])(
  'TST-06 the end of a sub-agent is neither an approval of its call nor a second start: %s',
  async (text) => {
    ran.length = 0
    const model = scripted([calls('pay'), 'Paid.'])
    const helper = createAgent({ name: 'helper', model, tools: [act('pay', { needs: 'approval' })] })
    const boss = createAgent({
      name: 'boss',
      model: scripted([{ toolCalls: [{ name: 'help', arguments: { prompt: 'Pay.' } }] }, 'Done.']),
      tools: [helper.asTool({ name: 'help', description: 'Helps.' })],
      permissions: { policies: policies([text]) },
      store: memoryStore(),
    })
    const run = boss.start('Go')
    await run.settled()
    await run.approve()
    const { messages } = await run.settled()
    expect([ran, brokenIn(await eventsOf(run))]).toEqual([['pay'], []])
    expect(JSON.stringify(messages)).toContain('Paid.')
    await boss.close()
  },
)

test('TST-06 refuses a policy that cannot be parsed when the agent is built', () => {
  expect(() => agentWith(['never(ran(pay)'])).toThrow(/policies\[0\].*expected "\)" at the end/s)
  expect(() => agentWith(['never(ran(a) and called(a))'])).toThrow('every run keeps it, so it says nothing')
  const model = scripted(['Done.'])
  const permissions = { policies: { texts: ['never(ran(a))'] } }
  expect(() => createAgent({ name: 'a', model, permissions })).toThrow('policies([...]) of statewright/plugins')
})
