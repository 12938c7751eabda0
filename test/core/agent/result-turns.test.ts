import { expect, test } from 'vitest'
import { call, calls } from '../../../proof/support/say.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'

const replies = [calls(call('a', 'act')), calls(call('b', 'act')), 'Done.', 'Again.']

test("AGT-09 a result has the run's turns, and how many of its allowed model calls were used", async () => {
  const { act } = toolbox()
  const { agent } = testAgent({ replies, tools: [act()], limits: { maxToolInteractions: 7 } })
  const run = agent.start('Go', { runId })
  expect(await run.settled()).toMatchObject({ turns: 3, toolInteractions: { current: 3, max: 7 } })
  expect(await (await agent.load(runId)).result()).toMatchObject({ turns: 3, toolInteractions: { current: 3, max: 7 } })
  const next = await run.prompt('And now?', { quota: 2 })
  expect(await next.settled()).toMatchObject({ turns: 1, toolInteractions: { current: 1, max: 2 } })
})

test.each([{ limits: false }, {}] as const)('AGT-09 reports no limit of model calls with %j', async (options) => {
  const { agent } = testAgent({ replies: ['Done.'], ...options })
  expect((await agent.run('Go')).toolInteractions).toEqual({ current: 1 })
})

test('PRV-09 a result names the turns and runs of earlier messages as messages() does, in every process', async () => {
  const { act } = toolbox()
  const model = () => scripted([calls(call('c1', 'act')), 'One', 'Two', 'Three'])
  const made = testAgent({ model: model(), tools: [act()] })
  const read: string[] = []
  const store = { ...made.store, input: (id: string) => (read.push(id), made.store.input(id)) }
  const { agent } = testAgent({ model: model(), tools: [act()], store, clock: made.clock })
  const session = agent.session('s')
  const first = await session.prompt('A')
  await first.settled()
  const second = await session.prompt('B')
  const waiting = (await second.settled()).messages
  expect(waiting).toEqual(await second.messages())
  expect(waiting.map(({ turn, runId: writer = '-' }) => `${turn} ${writer}`)).toEqual([
    ...[1, 1, 1, 2].map((turn) => `${turn} ${first.id}`),
    '1 -',
    '1 -',
  ])
  const third = await session.prompt('C')
  read.length = 0
  const { messages } = await third.settled()
  const earlier = read.filter((id) => id !== third.id)
  expect(earlier).toEqual([second.id])
  expect(messages).toEqual(await session.messages())
  const elsewhere = testAgent({ store: made.store, clock: made.clock, process: 'p2' }).agent
  expect((await (await elsewhere.load(third.id)).result()).messages).toEqual(messages)
  expect((await (await elsewhere.load(third.id)).settled()).messages).toEqual(messages)
})

test('EVT-01 run.ended has the numbers of turns and tool calls of its own run, without held calls', async () => {
  const { act } = toolbox()
  const batch = calls(call('a', 'act'), call('b', 'act'), call('c', 'gone'))
  const { agent } = testAgent({
    replies: [batch, 'Done.', 'Again.'],
    tools: [act()],
    plugins: [{ name: 'asking', runStart: ({ isResumed, suspend }) => void (isResumed || suspend()) }],
  })
  const ends: unknown[] = []
  agent.on((event) => {
    if (event.type === 'run.ended') ends.push({ turns: event.turns, toolCalls: event.toolCalls })
  })
  const run = agent.start('Go', { runId })
  await run.settled()
  await run.approve()
  const first = await run.settled()
  const next = await run.prompt('And now?')
  await next.settled()
  await next.approve()
  const second = await next.settled()
  const denied = agent.start('No')
  await denied.settled()
  await denied.deny()
  const third = await denied.settled()
  expect(ends).toEqual([
    { turns: 2, toolCalls: 3 },
    { turns: 1, toolCalls: 0 },
    { turns: 0, toolCalls: 0 },
  ])
  expect([first, second, third].map(({ turns }) => turns)).toEqual([2, 1, 0])
})
