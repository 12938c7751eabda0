import { expect, test } from 'vitest'
import { createAgent, textOf, tool } from '../../../src/index.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import type { SubAgentOptions } from '../../../src/core/family/child-tool.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { calling, handing, saidIn } from './handing-desk.ts'

/** Agents whose `inner` hands its conversation over to repairs, which pays after an approval. */
function withRepairs(script: readonly ScriptedReply[]) {
  const model = scripted(script, { maxTokens: 40 })
  const execute = () => 'Paid.'
  const pay = tool({ name: 'pay', description: 'Pays.', input: { type: 'object' }, needs: 'approval', execute })
  const repairs = createAgent({ name: 'repairs', model, tools: [pay] })
  return createAgent({ name: 'inner', model, tools: [repairs.asHandover({ when: 'Something is broken.' })] })
}

/** A boss whose sub-agent has handed its conversation over to repairs, which ask. */
async function asked(how: Pick<SubAgentOptions, 'background' | 'continue'>) {
  const store = memoryStore()
  const answer = { text: 'Mended by repairs.', usage: { totalTokens: 7 } }
  const inner = withRepairs([calling('repairs'), calling('pay'), answer])
  const tools = [inner.asTool({ description: 'Helps.', ...how })]
  const model = scripted([calling('inner'), 'I go on.', 'All is done.'])
  const boss = createAgent({ name: 'boss', store, model, tools, limits: { maxTokens: 100_000 } })
  const run = boss.start('Go.', { runId: 'r1' })
  const { suspended } = await run.settled()
  while ((await boss.suspended()).length === 0) await new Promise((next) => setImmediate(next))
  return { store, boss, run, suspended, child: 'r1.6.sub.1', address: 'r1.6.sub.1.to.1/2.pay0' }
}

test.each(['waits', 'continues'])(
  'AGT-05 a sub-agent hands its conversation over, and its last run answers the call that %s',
  async (how) => {
    const { store, boss, run, suspended, child, address } = await asked({ continue: how === 'continues' })
    expect(suspended).toMatchObject([{ callId: address, toolName: 'pay' }])
    expect((await (await boss.load('r1')).approve(address)).answer).toBe('applied')
    const { text, totalUsage, messages } = await run.settled()
    const link = { parentRunId: 'r1', child, level: 2, account: 'r1' }
    expect(await store.input(`${child}.to.1`)).toMatchObject({ family: link, parentRunId: child })
    const [answer] = messages.flatMap((one) => (one.role === 'toolResult' ? [[textOf(one), one.childRunId]] : []))
    expect([answer, text, totalUsage.totalTokens]).toEqual([['Mended by repairs.', child], 'I go on.', 7])
  },
)

test('AGT-05 TC-10 a sub-agent in the background hands its conversation over, and its last run brings the result', async () => {
  const { store, boss, run, child, address } = await asked({ background: true })
  expect(await run.background()).toMatchObject([
    { childRunId: child, status: 'waiting', suspended: [{ callId: address }] },
  ])
  expect((await (await boss.load('r1')).approve(address)).answer).toBe('applied')
  await run.settled()
  while ((await store.record(`${child}.to.1`)).status !== 'done') await new Promise((next) => setImmediate(next))
  expect(await run.background()).toMatchObject([{ childRunId: child, status: 'ended' }])
  const { messages } = await (await run.prompt('Well?')).settled()
  expect(messages.some((one) => one.role === 'user' && textOf(one).includes('Mended by repairs.'))).toBe(true)
})

test('AGT-05 a cancel reaches the run that a sub-agent has handed its conversation over to', async () => {
  const store = memoryStore()
  const inner = withRepairs([calling('repairs'), calling('pay'), 'Never.'])
  const model = scripted([calling('inner'), 'Cancelled.'])
  const boss = createAgent({ name: 'boss', store, model, tools: [inner.asTool({ description: 'Helps.' })] })
  const waiting = await boss.run('Go.', { runId: 'r1' })
  expect(waiting.suspended).toMatchObject([{ callId: 'r1.6.sub.1.to.1/2.pay0' }])
  const run = await boss.load('r1')
  await run.cancelCall('1.inner0')
  expect((await run.settled()).text).toBe('Cancelled.')
  await boss.close()
  expect(await store.record('r1.6.sub.1.to.1')).toMatchObject({ status: 'done', doneReason: 'cancelled' })
})

test('AGT-05 AGT-06 a branch hands its conversation over, and the session continues from its last run', async () => {
  const store = memoryStore()
  const inner = withRepairs([calling('repairs'), 'Mended by repairs.'])
  const other = createAgent({ name: 'other', model: scripted(['I cannot.']) })
  const model = scripted(['', '', 'The desk goes on.'])
  const chat = createAgent({ name: 'desk', store, model }).session('talk')
  const group = await chat.parallel([inner, other], { prompt: 'My lamp is broken.', strategy: 'pickFirst' })
  expect(await group.settled()).toMatchObject({ status: 'done', text: 'Mended by repairs.' })
  // Another process knows nothing of the group.
  const next = createAgent({ name: 'desk', store, model }).session('talk')
  expect((await (await next.prompt('And now?')).settled()).text).toBe('The desk goes on.')
  expect(await saidIn(next.messages())).toEqual([
    'user: My lamp is broken.',
    'assistant: ',
    handing,
    'assistant: Mended by repairs.',
    'user: And now?',
    'assistant: The desk goes on.',
  ])
})

test('AGT-05 AGT-18 a sub-agent hands its own account over with its conversation', async () => {
  const usage = { totalTokens: 600 }
  const inner = withRepairs([
    { toolCalls: [{ id: 'h', name: 'repairs', arguments: {} }], usage },
    { text: 'Beyond the account.', usage },
  ])
  const tools = [inner.asTool({ description: 'Helps.', limits: { maxTokens: 650 } })]
  const model = scripted([calling('inner'), 'Done.'])
  const { messages } = await createAgent({ name: 'boss', model, tools, limits: false }).run('Go.')
  expect(messages.flatMap((one) => (one.role === 'toolResult' ? textOf(one) : []))).toEqual([
    "[The sub-agent 'inner' ended: max_tokens.]",
  ])
})

test.each([
  ['the last run', false],
  ['an earlier run, in the background', true],
] as const)('AGT-05 DEC-03 an address reaches a member of %s of a conversation', async (_, background) => {
  const pay = tool({ name: 'pay', description: 'Pays.', input: {}, needs: 'approval', execute: () => 'Paid.' })
  const inner = createAgent({ name: 'inner', model: scripted([calling('pay'), 'Done.']), tools: [pay] })
  const helps = inner.asTool({ description: 'Helps.', background })
  const order = background ? ['inner', 'repairs'] : ['repairs', 'inner']
  const model = scripted([...order.map((name) => calling(name)), 'Mended.', 'Mended.'])
  const repairs = createAgent({ name: 'repairs', model, tools: background ? [] : [helps] })
  const tools = [repairs.asHandover({ when: 'Something is broken.' }), ...(background ? [helps] : [])]
  const agent = createAgent({ name: 'desk', model, tools })
  const run = agent.start('Go.', { runId: 'r1' })
  await run.settled()
  while ((await agent.suspended()).length === 0) await new Promise((next) => setImmediate(next))
  const [asking] = (await agent.suspended()).flatMap((one) => ('record' in one ? one.record.id : []))
  const address = `${asking}/1.pay0`
  const kept = { target: address, decisionId: 'one', action: 'resume' } as const
  expect(await run.decide([kept])).toMatchObject([{ target: address, answer: 'applied' }])
  expect(await run.approve(address, { decisionId: 'one' })).toMatchObject({ target: address, answer: 'duplicate' })
  await agent.close()
})
