import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Agent, type AgentEvent, createAgent, type Store, textOf, tool } from '../../../src/index.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

/** A model that gives the same answer in every turn. */
const saying = (reply: ScriptedReply) => scripted(Array.from({ length: 9 }, () => reply))

const using = (text: string, totalTokens: number) => ({ text, usage: { output: totalTokens } })

const drafter = (name: string, reply: ScriptedReply = `${name}.`): Agent =>
  createAgent({ name, configId: name, model: saying(reply) })

const failing = (name: string) => drafter(name, { error: { kind: 'api', message: 'Broken.', status: 400 } })

/** An answer that repeats the texts of the prompt. */
const echo: ScriptedReply = ({ messages }) => messages.map(textOf).join('|')

function writer(store: Store = memoryStore()): Agent {
  return createAgent({ name: 'writer', configId: 'w', store, model: saying(echo) })
}

describe('AGT-06 branches', () => {
  test('AGT-06 a group of branches runs each agent on the prompt and the transcript, and the session continues from the winner', async () => {
    const store = memoryStore()
    const session = writer(store).session('s')
    await (await session.prompt('Hi.')).settled()
    const group = await session.parallel([drafter('a', echo), drafter('b')], {
      prompt: 'Draft.',
      strategy: 'pickFirst',
    })
    const result = await group.settled()
    expect(result).toMatchObject({ runId: 's.parallel.1', status: 'done', outcome: { reason: 'natural_end' } })
    expect(result.text).toBe('Hi.|Hi.|Draft.')
    expect(result.messages.map(textOf)).toEqual(['Hi.', 'Hi.', 'Draft.', 'Hi.|Hi.|Draft.'])
    expect((await session.messages()).map(textOf)).toEqual(['Hi.', 'Hi.', 'Draft.', 'Hi.|Hi.|Draft.'])
    const { text } = await (await session.prompt('Next.')).settled()
    expect(text).toBe('Hi.|Hi.|Draft.|Hi.|Hi.|Draft.|Next.')
    const runs = (await store.list({ session: 's' })).map(({ id }) => id)
    expect(new Set(runs)).toEqual(new Set(['s.a.1', 's.b.1', 's.parallel.1', 's.w.1', 's.w.2']))
  })

  test("EVT-01 emits branches.started and branches.ended with the winner around the branches' events", async () => {
    const group = await writer()
      .session('s')
      .parallel([drafter('a'), drafter('b')], { prompt: 'Draft.', strategy: () => 2 })
    const events: AgentEvent[] = []
    for await (const event of group) events.push(event)
    const stored = events.filter(({ seq }) => seq !== undefined)
    expect(stored.map(({ type }) => type)).toEqual([
      'run.started',
      'branches.started',
      'call.settled',
      'call.settled',
      'branches.ended',
      'run.ended',
    ])
    expect(stored[1]).toMatchObject({ runId: 's.parallel.1', session: 's', runIds: ['s.a.1', 's.b.1'] })
    expect(stored[4]).toMatchObject({ session: 's', selectedRunId: 's.b.1', selectedIndex: 2 })
    expect(stored[4]).toMatchObject({ evaluationUsage: { totalTokens: 0 } })
    const ended = events.flatMap((event) => (event.type === 'toolExecution.ended' ? event.childRunId : []))
    expect(new Set(ended)).toEqual(new Set(['s.a.1', 's.b.1']))
  })

  test(`AGT-04 starts a branch's turns with the trigger "branch" and the group's id`, async () => {
    const host = writer()
    const heard: AgentEvent[] = []
    const a = drafter('a')
    const group = await host.session('s').parallel([a], { prompt: 'Draft.', strategy: 'transparent' })
    await group.settled()
    for await (const event of (await host.load('s.a.1')).events({ wait: false })) heard.push(event)
    expect(heard[0]).toMatchObject({ type: 'run.started', parallelGroup: 's.parallel.1', session: 's', configId: 'a' })
    expect(heard.find(({ type }) => type === 'turn.started')).toMatchObject({ trigger: 'branch' })
  })

  test('AGT-06 a group of branches without a prompt answers the last message again in each branch', async () => {
    const session = createAgent({
      name: 'writer',
      model: scripted([{ error: { kind: 'api', message: 'Broken.', status: 400 } }]),
    }).session('s')
    await (await session.prompt('Hi.')).settled()
    const group = await session.parallel([drafter('a', echo)], { strategy: 'pickFirst' })
    expect((await group.settled()).text).toContain('Hi.')
    await expect(session.parallel([drafter('a')], { strategy: 'pickFirst' })).rejects.toMatchObject({
      code: 'nothing_to_answer',
    })
  })

  test.each([
    ['pickFirst', 1],
    ['tokenEfficient', 2],
    ['elaborate', 3],
  ] as const)(
    'AGT-06 a group of branches selects by the strategy %s, and ties go to the lowest number',
    async (strategy, index) => {
      const agents = [
        drafter('a', using('A.', 20)),
        drafter('b', using('B.', 10)),
        drafter('c', using('C.', 30)),
        drafter('d', using('D.', 10)),
        drafter('e', using('E.', 30)),
      ]
      const group = await writer().session('s').parallel(agents, { prompt: 'Draft.', strategy })
      expect(await selectedBy(group)).toEqual([index, `s.${'abcde'[index - 1]}.1`])
    },
  )

  test('AGT-06 a group of branches counts the tokens of sub-agents', async () => {
    const helper = createAgent({ name: 'helper', model: saying(using('Helped.', 100)) })
    const call = { toolCalls: [{ name: 'helper', arguments: { prompt: 'Help.' } }], usage: { output: 1 } }
    const boss = createAgent({
      name: 'boss',
      configId: 'boss',
      model: scripted([call, using('Done.', 1)]),
      tools: [helper.asTool({ description: 'Helps.' })],
    })
    const group = await writer()
      .session('s')
      .parallel([boss, drafter('b', using('B.', 50))], {
        prompt: 'Draft.',
        strategy: 'tokenEfficient',
      })
    expect(await selectedBy(group)).toEqual([2, 's.b.1'])
  })

  test('AGT-06 a group of branches never selects a failed branch, with any choice of the strategy', async () => {
    for (const strategy of ['pickFirst', 'tokenEfficient', () => 1, () => 3] as const) {
      const group = await writer()
        .session('s')
        .parallel([failing('a'), drafter('b'), failing('c')], {
          prompt: 'Draft.',
          strategy,
        })
      expect(await selectedBy(group)).toEqual([2, 's.b.1'])
    }
  })

  test('AGT-06 a group of branches without a candidate ends in the error branches_failed, and the session continues from before it', async () => {
    const session = writer().session('s')
    await (await session.prompt('Hi.')).settled()
    const group = await session.parallel([failing('a'), failing('b')], { prompt: 'Draft.', strategy: 'pickFirst' })
    const { outcome, text } = await group.settled()
    expect(outcome).toMatchObject({ reason: 'error', code: 'branches_failed', error: { code: 'branches_failed' } })
    expect(text).toBe('')
    expect((await (await session.prompt('Next.')).settled()).text).toBe('Hi.|Hi.|Next.')
  })

  test('AGT-06 a group of branches counts a stopped branch as a candidate, but not one whose input was rejected', async () => {
    const loud = createAgent({
      name: 'loud',
      configId: 'loud',
      model: saying('Never.'),
      plugins: [{ name: 'no', filterInput: () => ({ reject: 'No.' }) }],
    })
    const stopped = createAgent({
      name: 'stopped',
      configId: 'stopped',
      model: saying('Stopped.'),
      plugins: [{ name: 'stop', afterModel: ({ terminate }) => terminate('enough') }],
    })
    const group = await writer().session('s').parallel([loud, stopped], { prompt: 'Draft.', strategy: 'pickFirst' })
    expect(await selectedBy(group)).toEqual([2, 's.stopped.1'])
  })

  test('AGT-06 after a group of branches, its own prompt and compact continue in runs of the host', async () => {
    const store = memoryStore()
    const host = writer(store)
    const group = await host.session('s').parallel([drafter('a')], { prompt: 'Draft.', strategy: 'transparent' })
    await group.settled()
    expect((await (await group.compact()).result()).messages.map(textOf)).toContain('a.')
    const next = await (await host.load(group.id)).prompt('Next.')
    expect((await next.settled()).text).toBe('Draft.|a.|Next.')
    expect((await store.record(next.id)).agent).toBe('writer')
    const last = await group.prompt('Last.')
    expect((await store.record(last.id)).agent).toBe('writer')
    expect((await last.settled()).text).toBe('Draft.|a.|Last.')
  })

  test("AGT-06 a group of branches can be rerun: the host answers the winner's prompt again", async () => {
    const session = writer().session('s')
    const group = await session.parallel([drafter('a'), drafter('b')], { prompt: 'Draft.', strategy: () => 2 })
    await group.settled()
    expect((await (await session.rerun()).settled()).text).toBe('Draft.')
    const saved = JSON.parse(await session.save()) as { readonly messages: readonly unknown[] }
    expect(saved.messages).toHaveLength(2)
  })

  test("AGT-06 a group of branches shares the host's token limit", async () => {
    const store = memoryStore()
    const host = createAgent({ name: 'w', store, model: saying('Hi.'), limits: { maxTokens: 9_000 } })
    const agents = ['a', 'b', 'c'].map((name) => drafter(name, using(name, 3_900)))
    const group = await host.session('s').parallel(agents, { prompt: 'Draft.', strategy: 'pickFirst' })
    const { totalUsage } = await group.settled()
    expect(totalUsage.totalTokens).toBeLessThanOrEqual(9_000)
    const codes = await Promise.all(['s.a.1', 's.b.1', 's.c.1'].map((id) => store.record(id).catch(() => undefined)))
    expect(codes.some((run) => run === undefined || run.code === 'max_tokens')).toBe(true)
  })

  test('AGT-06 a group of branches is begun once if two callers begin it at once', async () => {
    const store = memoryStore()
    const begin = () =>
      writer(store)
        .session('s')
        .parallel([drafter('a')], { prompt: 'Go.', strategy: 'transparent' })
    const begun = await Promise.allSettled([begin(), begin()])
    const [refused] = begun.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
    expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(refused).toMatchObject({ code: 'run_busy' })
  })

  test('AGT-06 a group of branches gives three runs of one agent three ids', async () => {
    const a = drafter('a')
    const group = await writer().session('s').parallel([a, a, a], { prompt: 'Draft.', strategy: 'pickFirst' })
    const { runIds } = await startOf(group)
    expect(runIds).toEqual(['s.a.1', 's.a.2', 's.a.3'])
  })
})

describe('AGT-06 rules', () => {
  const pay = tool({ name: 'pay', description: 'Pays.', input: z.object({}), execute: () => 'Paid.' })
  const payer = () =>
    createAgent({
      name: 'payer',
      configId: 'p',
      model: scripted([
        { toolCalls: [{ id: 'p', name: 'pay', arguments: {} }] },
        ({ messages }) => textOf(messages.at(-1) as never),
      ]),
      tools: [pay],
    })

  test("PERM-06 the host's rules reach each branch: no branch runs a call that the host denies", async () => {
    const host = createAgent({ name: 'host', model: saying('Hi.'), permissions: { rules: { deny: ['pay'] } } })
    const group = await host.session('s').parallel([payer()], { prompt: 'Pay.', strategy: 'pickFirst' })
    expect((await group.settled()).text).not.toBe('Paid.')
  })

  test("AGT-06 the host's rules do not stop a branch from working, even if they deny or ask about every tool", async () => {
    for (const rules of [{ deny: ['*'] }, { ask: ['*'] }]) {
      const host = createAgent({ name: 'host', model: saying('Hi.'), permissions: { rules } })
      const group = await host.session('s').parallel([drafter('a')], { prompt: 'Draft.', strategy: 'pickFirst' })
      expect((await group.settled()).text).toBe('a.')
    }
  })

  test("AGT-06 the host's rules make a branch ask, and the question is listed and answered at the group", async () => {
    const host = createAgent({ name: 'host', model: saying('Hi.'), permissions: { rules: { ask: ['pay'] } } })
    const session = host.session('s')
    const group = await session.parallel([drafter('a'), payer()], { prompt: 'Pay.', strategy: () => 2 })
    const waiting = await group.settled()
    expect(waiting).toMatchObject({ status: 'waiting', outcome: { reason: 'suspended' } })
    const [asked] = waiting.suspended
    expect(asked).toMatchObject({ toolName: 'pay' })
    expect(asked?.callId).toMatch(/^s\.p\.1\/1\./)
    await expect(session.prompt('Next.')).rejects.toMatchObject({ code: 'run_waiting' })
    await group.approve()
    expect((await group.settled()).text).toBe('Paid.')
  })
})

/** Returns the number and the run of a group's winner. */
async function selectedBy(group: {
  settled(): Promise<unknown>
  events(options: { wait: false }): AsyncIterable<AgentEvent>
}) {
  await group.settled()
  for await (const event of group.events({ wait: false }))
    if (event.type === 'branches.ended') return [event.selectedIndex, event.selectedRunId]
  throw new Error('The group has not ended.')
}

async function startOf(group: {
  settled(): Promise<unknown>
  events(options: { wait: false }): AsyncIterable<AgentEvent>
}) {
  await group.settled()
  for await (const event of group.events({ wait: false })) if (event.type === 'branches.started') return event
  throw new Error('The group has not started.')
}
