import { expect, test } from 'vitest'
import { createAgent, type Plugin, type Store, textOf, type Tool, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { accountKind } from '../../../src/core/domain/account.ts'
import { rowsOf } from '../../../src/core/domain/records/record-read.ts'
import { systemClock } from '../../../src/core/ports/system-clock.ts'
import { createWorker } from '../../../src/core/workers/worker.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { agentsOf, calling, desk, handing, saidIn } from './handing-desk.ts'

test('AGT-05 a session is handed over and back, on one transcript, and settled() follows it to the last run', async () => {
  const store = memoryStore()
  const agent = desk(store, [calling('repairs'), 'Mended.', calling('desk'), 'Ten euros.'])
  const chat = agent.session('talk')
  const first = await chat.prompt('My lamp is broken.')
  const mended = await first.settled()
  expect(mended).toMatchObject({ status: 'done', text: 'Mended.' })
  expect(await store.record(first.id)).toMatchObject({ agent: 'desk', doneReason: 'stopped', code: 'handed_over' })
  expect(await store.record(mended.runId)).toMatchObject({ agent: 'desk/repairs', session: 'talk' })
  // The next prompt goes to whoever spoke last.
  const back = await (await chat.prompt('And the bill?')).settled()
  expect(back.text).toBe('Ten euros.')
  expect(await saidIn(chat.messages())).toEqual([
    'user: My lamp is broken.',
    'assistant: ',
    handing,
    'assistant: Mended.',
    'user: And the bill?',
    'assistant: ',
    "toolResult: [The conversation goes on with 'desk'.]",
    'assistant: Ten euros.',
  ])
  expect(await agentsOf(store)).toEqual(['desk', 'desk/repairs', 'desk/repairs', 'desk'])
  const every = rowsOf(accountKind, { values: [], limit: 9 })
  expect((await store.records([every])).rows(accountKind, every)).toHaveLength(2)
})

test('AGT-05 a run outside sessions is handed over too, even if its process died before the next run was stored', async () => {
  for (const dies of [false, true]) {
    const inner = memoryStore()
    let isLost = false
    const store: Store = {
      ...inner,
      create: async (run, ...rest) => {
        if (isLost && run.id === 'r1.to.1') throw new Error('The process is gone.')
        return inner.create(run, ...rest)
      },
    }
    isLost = dies
    const first = desk(store, [calling('repairs'), 'Mended.']).run('My lamp is broken.', { runId: 'r1' })
    expect(await first.then(({ runId }) => runId, String)).toBe(dies ? 'Error: The process is gone.' : 'r1.to.1')
    const again = await desk(inner, [calling('repairs'), 'Mended.']).load('r1')
    expect(await again.settled()).toMatchObject({ runId: 'r1.to.1', text: 'Mended.' })
    expect(await agentsOf(inner)).toEqual(['desk', 'desk/repairs'])
  }
})

test('AGT-05 EVT-01 the events of a run follow its conversation to the last run, and name the speaker', async () => {
  const run = desk(memoryStore(), [calling('repairs'), 'Mended.']).start('My lamp is broken.', { runId: 'r1' })
  const told: string[] = []
  for await (const event of run) {
    if (event.type === 'run.started') told.push(`${event.agent} begins ${event.runId}`)
    if (event.type === 'run.ended') told.push(`${event.runId} ends ${event.outcome.code ?? event.outcome.reason}`)
  }
  expect(told).toEqual([
    'desk begins r1',
    'r1 ends handed_over',
    'desk/repairs begins r1.to.1',
    'r1.to.1 ends natural_end',
  ])
})

test('AGT-05 a worker continues a conversation whose process died', async () => {
  const inner = memoryStore()
  const lost: Store = {
    ...inner,
    create: (run, ...rest) => (run.agent === 'desk' ? inner.create(run, ...rest) : gone()),
  }
  const gone = () => Promise.reject(new Error('The process is gone.'))
  const script = [calling('repairs'), 'Mended.']
  await expect((await desk(lost, script).session('talk').prompt('Hi')).settled()).rejects.toThrow('gone')
  // An item that nobody could deliver is due again after a while.
  const agent = desk(inner, script, { clock: { ...systemClock, now: () => systemClock.now() + 60_000 } })
  await using _worker = createWorker({ agents: [agent] })
  while ((await agent.session('talk').messages()).length < 4) await new Promise((next) => setImmediate(next))
  expect(await saidIn(agent.session('talk').messages())).toEqual([
    'user: Hi',
    'assistant: ',
    handing,
    'assistant: Mended.',
  ])
})

test('AGT-05 refuses a second hand-over in one answer, and the 17th between two messages of the user', async () => {
  const store = memoryStore()
  const other = createAgent({ name: 'other', model: scripted(['Never.']) }).asHandover({ when: 'Never.' })
  const agent = desk(store, [calling('repairs', 'other'), 'Mended.'], { tools: [other] })
  const { messages } = await agent.run('Hi')
  const results = messages.flatMap((one) => (one.role === 'toolResult' ? [`${one.status} ${textOf(one)}`] : []))
  expect(results).toEqual([
    "success [The conversation goes on with 'repairs'.]",
    expect.stringContaining('This answer already hands the conversation over.'),
  ])
  const ping = Array.from({ length: 20 }, (_, turn) =>
    turn === 17 ? 'Enough.' : calling(turn % 2 === 0 ? 'repairs' : 'desk'),
  )
  const endless = await desk(memoryStore(), ping).run('Hi')
  const texts = endless.messages.flatMap((one) => (one.role === 'toolResult' ? [textOf(one)] : []))
  expect([texts.length, texts.at(-1), endless.text]).toEqual([17, expect.stringContaining('16 times'), 'Enough.'])
})

test('AGT-05 PERM-06 the rules of earlier speakers stay in force', async () => {
  let acted = 0
  const act = tool({ name: 'act', description: 'Acts.', input: { type: 'object' }, execute: () => `${++acted}` })
  const script = [calling('repairs'), calling('act'), 'Denied.']
  const denying = { tools: [act], permissions: { rules: { deny: ['act'] } } }
  const { messages } = await desk(memoryStore(), script, denying).run('Hi')
  expect(messages.flatMap((one) => (one.role === 'toolResult' ? textOf(one) : [])).at(-1)).toContain('rule act denies')
  // The desk may not do what repairs may not do, even after it gets the conversation back.
  const model = scripted([calling('repairs'), calling('desk'), calling('act'), 'Denied.'])
  const repairs = createAgent({ name: 'repairs', model, permissions: { rules: { deny: ['act'] } } })
  const tools = [act, repairs.asHandover({ when: 'Something is broken.' })]
  const { text } = await createAgent({ name: 'desk', model, tools }).run('Hi')
  expect([text, acted]).toEqual(['Denied.', 0])
})

test('AGT-05 PERM-06 the rules of earlier agents stay in force if the last agent is no longer known', async () => {
  const store = memoryStore()
  const names = ['repairs', 'mechanic', 'clerk']
  const model = scripted([...names.map((name) => calling(name)), 'Hello.', calling('act'), 'Denied.'])
  let acted = 0
  const act = tool({ name: 'act', description: 'Acts.', input: { type: 'object' }, execute: () => `${++acted}` })
  const permissions = { rules: { deny: ['act'] } }
  const chain = (speakers: readonly string[]): readonly Tool[] => {
    const [name, ...others] = speakers
    if (name === undefined) return [act]
    const options = { name, model, tools: chain(others), ...(name === 'mechanic' && { permissions }) }
    return [act, createAgent(options).asHandover({ when: 'Always.' })]
  }
  for (const speakers of [names, names.slice(0, 2)]) {
    const agent = createAgent({ name: 'desk', store, model, tools: chain(speakers) })
    await (await agent.session('talk').prompt('Hi')).settled()
  }
  expect([(await agentsOf(store)).at(-1), acted]).toEqual(['desk', 0])
})

test('AGT-05 DEC-03 an answer by provider id to a call before the hand-over never reaches a later call', async () => {
  let acted = 0
  const execute = () => `${++acted}`
  const act = tool({ name: 'act', description: 'Acts.', input: { type: 'object' }, needs: 'approval', execute })
  const script = [calling('act'), calling('repairs'), calling('act'), 'Mended.']
  const agent = desk(memoryStore(), script, { tools: [act] })
  const first = agent.start('Hi', { runId: 'r1' })
  await first.settled()
  await first.approve('act0')
  const waiting = await first.settled()
  expect(waiting).toMatchObject({ runId: 'r1.to.1', suspended: [{ callId: '3.act0' }] })
  // The second of two clicks comes late, and so do a denial and a cancel.
  const late = [await first.approve('act0', { by: 'Ann' }), await first.deny('act0'), await first.cancelCall('act0')]
  expect([late.map(({ answer }) => answer), acted]).toEqual([['duplicate', 'stale', 'stale'], 1])
  await first.approve('3.act0')
  expect([(await first.settled()).text, acted]).toEqual(['Mended.', 2])
})

test('AGT-05 run.events() follows a conversation to its last run, from any number', async () => {
  const script = [calling('repairs'), 'Mended.']
  const run = desk(memoryStore(), script).start('My lamp is broken.', { runId: 'r1' })
  await run.settled()
  const told = async (after: number) => {
    const events = run.events({ after, deltas: false })
    const { isOver } = await events.opened()
    const all = []
    for await (const { runId, seq } of events) all.push({ runId, seq })
    return { isOver, all, runs: [...new Set(all.map(({ runId }) => runId))] }
  }
  const { all, runs } = await told(0)
  expect(runs).toEqual(['r1', 'r1.to.1'])
  expect(all.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq).toSorted((one, two) => one - two))
  for (const [place, { seq }] of all.entries()) expect((await told(seq)).all).toEqual(all.slice(place + 1))
  expect((await told(all.at(-1)?.seq ?? 0)).isOver).toBe(true)
  await expect(told(1_000)).rejects.toThrow('has no event 1000')
  // One run is read without the next.
  const own = []
  for await (const { runId } of run.events({ wait: false })) own.push(runId)
  expect(new Set(own)).toEqual(new Set(['r1']))
})

test('AGT-05 a denied hand-over is none, and two answers in place of hand-overs are one', async () => {
  const store = memoryStore()
  const other = createAgent({ name: 'other', model: scripted(['Never.']) }).asHandover({ when: 'Never.' })
  const rules = { ask: ['repairs', 'other'] }
  const script = [calling('repairs'), 'I stay.', calling('repairs', 'other'), 'Mended.']
  const chat = desk(store, script, { tools: [other], permissions: { rules } }).session('talk')
  const run = await chat.prompt('Hi')
  await run.settled()
  await run.deny()
  expect((await run.settled()).text).toBe('I stay.')
  const second = await chat.prompt('Hi')
  await second.settled()
  for (const call of ['2.other1', '2.repairs0']) await second.respond(call, 'Yes.')
  expect((await second.settled()).text).toBe('Mended.')
  expect(await agentsOf(store)).toEqual(['desk', 'desk', 'desk/repairs'])
})

test('AGT-05 the 17th hand-over fails, also with a result that a plugin supplies', async () => {
  const gives: Plugin = { name: 'gives', gateCall: () => ({ result: 'Given.' }) }
  const ping = Array.from({ length: 20 }, (_, turn) =>
    turn === 17 ? 'Enough.' : calling(turn % 2 === 0 ? 'repairs' : 'desk'),
  )
  const store = memoryStore()
  expect((await desk(store, ping, { plugins: [gives] }).run('Hi')).text).toBe('Enough.')
  expect(await agentsOf(store)).toHaveLength(17)
})

test('AGT-05 a second hand-over that failed does not choose the next agent', async () => {
  const store = memoryStore()
  const other = createAgent({ name: 'other', model: scripted(['Never.']) }).asHandover({ when: 'Never.' })
  await desk(store, [calling('repairs', 'other'), 'Mended.'], { tools: [other] }).run('Hi')
  expect(await agentsOf(store)).toEqual(['desk', 'desk/repairs'])
})

test('AGT-05 no client takes the id of the run after a hand-over', async () => {
  const agent = desk(memoryStore(), ['Hi.'])
  await expect(agent.run('Hi', { runId: 'r1.to.1' })).rejects.toThrow('run after a hand-over')
})
