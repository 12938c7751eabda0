import { describe, expect, test } from 'vitest'
import { type Agent, createAgent, type Store } from '../../../src/index.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { accountKind } from '../../../src/core/domain/account.ts'
import { rowOf } from '../../../src/core/domain/records/record-read.ts'
import { createWorker } from '../../../src/core/workers/worker.ts'

const used = (totalTokens: number) => ({ usage: { input: totalTokens, totalTokens } })
const call = (id: string) => ({ id, name: id, arguments: { prompt: 'Help.' } })

interface TeamOptions {
  readonly maxTokens?: number
  readonly helper?: readonly ScriptedReply[]
}

/** A boss with two helpers, which work at once. Each answer of a helper uses 100 tokens. */
function team(
  store: Store,
  { maxTokens = 250, helper = [{ text: 'Helped.', ...used(100) }] }: TeamOptions = {},
): Agent {
  const tools = ['ann', 'bob'].map((name) =>
    createAgent({ name, model: scripted(helper, { maxTokens: 100 }) }).asTool({ description: 'Helps.' }),
  )
  return createAgent({
    name: 'boss',
    store,
    model: scripted(
      [
        { toolCalls: [call('ann'), call('bob')], ...used(150) },
        { text: 'Done.', ...used(10) },
      ],
      {
        maxTokens: 100,
      },
    ),
    tools,
    limits: { maxTokens },
    onLimit: 'ask',
  })
}

async function accountOf(store: Store, root = 'r1') {
  return (await store.records([rowOf(accountKind, root)])).row(accountKind, root)?.body
}

describe('AGT-18 limits that ask', () => {
  test('AGT-18 a family at its limit asks one question at the root for all waiting runs, and uses the added amount', async () => {
    const store = memoryStore()
    const waiting = await team(store).run('Go.', { runId: 'r1' })
    expect(waiting).toMatchObject({
      status: 'waiting',
      suspended: [
        {
          toolName: 'model',
          isHold: true,
          suspension: { reason: 'limit', parameters: { root: 'r1', limit: 'max_tokens' } },
        },
      ],
    })
    const second = team(store)
    const listed = (await second.suspended()).flatMap((one) => ('calls' in one ? one.calls : []))
    expect(listed.map(({ suspension }) => suspension?.reason)).toEqual(['limit'])
    const run = await second.load('r1')
    expect((await run.respond(undefined, 1_000)).answer).toBe('applied')
    expect(await run.settled()).toMatchObject({ status: 'done', text: 'Done.', turns: 2 })
    expect(await accountOf(store)).toMatchObject({
      caps: { tokens: 1_250 },
      charged: { tokens: 360 },
      held: { tokens: 0 },
    })
    expect(JSON.stringify((await run.result()).messages)).not.toContain('limit')
  })

  test.each(['a session', 'no session'])(
    'AGT-05 AGT-18 one answer reaches all members after a hand-over in %s',
    async (place) => {
      const [ann, bob] = ['ann', 'bob'].map((name) => {
        const model = scripted([{ text: 'Helped.', ...used(100) }], { maxTokens: 100 })
        return createAgent({ name, model }).asTool({ description: 'Helps.' })
      })
      const answers = [
        { toolCalls: [{ ...call('repairs'), arguments: {} }], ...used(20) },
        { toolCalls: [call('ann'), call('bob')], ...used(400) },
        { text: 'Done.', ...used(10) },
      ]
      const model = scripted(answers, { maxTokens: 100 })
      const helping = [ann, bob].filter((one) => one !== undefined)
      const repairs = createAgent({ name: 'repairs', model, tools: helping }).asHandover({ when: 'Always.' })
      const desk = createAgent({ name: 'desk', model, tools: [repairs], limits: { maxTokens: 450 }, onLimit: 'ask' })
      const run = place === 'a session' ? await desk.session('talk').prompt('Go.') : desk.start('Go.')
      expect((await run.settled()).suspended).toMatchObject([{ suspension: { reason: 'limit' } }])
      expect((await desk.suspended()).flatMap((one) => ('calls' in one ? one.calls : []))).toHaveLength(1)
      await run.respond(undefined, 1_000)
      expect(await run.settled()).toMatchObject({ status: 'done', text: 'Done.' })
    },
  )

  test('AGT-18 a family asks again if too little was added', async () => {
    const store = memoryStore()
    await team(store).run('Go.', { runId: 'r1' })
    const run = await team(store).load('r1')
    await run.respond(undefined, 1)
    const again = await run.settled()
    expect(again).toMatchObject({ status: 'waiting', suspended: [{ suspension: { reason: 'limit' } }] })
    expect(again.suspended).toHaveLength(1)
    expect(await accountOf(store)).toMatchObject({ caps: { tokens: 251 } })
    await run.respond(undefined, 1_000)
    expect(await run.settled()).toMatchObject({ status: 'done', text: 'Done.' })
    expect(await accountOf(store)).toMatchObject({ caps: { tokens: 1_251 } })
  })

  test('AGT-18 a question of an account stays the same, however often its family is driven', async () => {
    const store = memoryStore()
    await team(store).run('Go.', { runId: 'r1' })
    const run = await team(store).load('r1')
    await run.respond(undefined, 1)
    const { suspended } = await run.settled()
    for (let drive = 0; drive < 3; drive++)
      expect((await (await team(store).load('r1')).settled()).suspended).toMatchObject([
        { callId: suspended[0]?.callId },
      ])
  })

  test('AGT-18 a family ends all waiting runs after a denial, and asks no more', async () => {
    const store = memoryStore()
    await team(store).run('Go.', { runId: 'r1' })
    const run = await team(store).load('r1')
    expect((await run.deny(undefined, { reason: 'Too dear.' })).answer).toBe('applied')
    const result = await run.settled()
    expect(result).toMatchObject({ status: 'done', outcome: { reason: 'stopped', code: 'max_tokens' } })
    const runs = (await store.list({})).flatMap((one) => ('status' in one ? [[one.status, one.code]] : []))
    expect(runs).toEqual([
      ['done', 'max_tokens'],
      ['done', 'max_tokens'],
      ['done', 'max_tokens'],
    ])
    expect(result.messages.filter(({ role }) => role === 'toolResult')).toMatchObject([
      { isError: true, content: [{ text: "[The sub-agent 'ann' ended: max_tokens.]" }] },
      { isError: true, content: [{ text: "[The sub-agent 'bob' ended: max_tokens.]" }] },
    ])
  })

  test.each([undefined, 0, -1, 0.5, 2 ** 53, '10', { tokens: 10 }])(
    'AGT-18 a family refuses %j as the answer',
    async (amount) => {
      const store = memoryStore()
      await team(store).run('Go.', { runId: 'r1' })
      const run = await team(store).load('r1')
      const receipt = await (amount === undefined ? run.approve() : run.respond(undefined, amount))
      expect(receipt).toMatchObject({ answer: 'refused', message: expect.stringContaining('Say how much to add') })
      expect((await run.result()).status).toBe('waiting')
      expect(await accountOf(store)).toMatchObject({ caps: { tokens: 250 } })
    },
  )

  test("AGT-18 answered once from another process, a family's worker drives all waiting runs", async () => {
    const store = memoryStore()
    const { suspended } = await team(store).run('Go.', { runId: 'r1' })
    const target = suspended[0]?.callId ?? ''
    const first = await team(store).load('r1')
    const items = [{ target, action: 'resume' as const, result: 1_000, decisionId: 'd1' }]
    expect((await first.decide(items))[0]?.answer).toBe('applied')
    expect((await first.decide(items))[0]?.answer).toBe('duplicate')
    const agent = team(store)
    const worker = createWorker({ agents: [agent], store })
    expect(await (await agent.load('r1')).settled({ follow: true })).toMatchObject({ status: 'done', text: 'Done.' })
    await worker.drain()
    expect(await accountOf(store)).toMatchObject({ caps: { tokens: 1_250 }, charged: { tokens: 360 } })
  })

  test.each([
    ['resume', 'natural_end', 1_250],
    ['cancel', 'stopped', 250],
  ] as const)(
    'AGT-18 an answer (%s) whose process died before it told the others reaches all runs that wait',
    async (action, reason, tokens) => {
      const store = memoryStore()
      const { suspended } = await team(store).run('Go.', { runId: 'r1' })
      const [member = '', target = ''] = (suspended[0]?.callId ?? '').split('/')
      const answer = action === 'resume' ? { action, mode: 'use-as-result' as const, result: 1_000 } : { action }
      await store.decide(member, [{ target, decisionId: 'd1', ...answer }], Date.now())
      const run = await team(store).load('r1')
      expect(await run.settled()).toMatchObject({ status: 'done', outcome: { reason }, suspended: [] })
      expect(await accountOf(store)).toMatchObject({ caps: { tokens } })
    },
  )

  test('AGT-18 a run without sub-agents asks at its limits of cost too, but not at its limit of turns', async () => {
    const store = memoryStore()
    const price = { input: 1_000, output: 1_000, cacheRead: 1_000, cacheWrite: 1_000 }
    const agent = createAgent({
      name: 'single',
      store,
      model: scripted([{ text: 'Hello.', ...used(100) }], { maxTokens: 100 }),
      prices: { 'scripted/scripted': price },
      limits: { maxCost: 0.01, maxTurns: 1 },
      onLimit: 'ask',
    })
    const run = agent.start('Go.', { runId: 'r1' })
    expect(await run.settled()).toMatchObject({ suspended: [{ suspension: { parameters: { limit: 'max_cost' } } }] })
    expect((await run.respond(undefined, 0.2)).answer).toBe('applied')
    expect(await run.settled()).toMatchObject({ status: 'done', text: 'Hello.', cost: 0.1 })
    expect(await accountOf(store)).toMatchObject({ caps: { nanos: 210_000_000 }, charged: { nanos: 100_000_000 } })
    const turns = createAgent({ name: 'turns', model: scripted('Hi.'), limits: { maxTurns: 0 }, onLimit: 'ask' })
    expect((await turns.run('Go.')).outcome).toMatchObject({ reason: 'stopped', code: 'max_turns' })
  })
})
