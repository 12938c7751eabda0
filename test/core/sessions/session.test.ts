import { expect, test } from 'vitest'
import { call, calls, say } from '../../../proof/support/say.ts'
import { eventsOf, heldReply, quiet, testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import type { AgentEvent, Run, Session } from '../../../src/index.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

const started = (events: readonly AgentEvent[]) => events.find(({ type }) => type === 'run.started')
const triggers = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'turn.started' ? event.trigger : []))
const linesOf = async (session: Session) => (await session.messages()).map(say)
const textOfRun = async (run: Run) => (await run.settled()).text

test('AGT-01 AGT-04 each prompt of a session continues from the one before, in runs with their own ids', async () => {
  const { agent, prompts, store, clock } = testAgent({ id: 'desk', replies: ['One', 'Two', 'Three'] })
  const session = agent.session('talk-7', { subject: 'oslo', metadata: { page: { number: 3 } } })
  expect(session.id).toBe('talk-7')
  expect(await session.state()).toBeUndefined()
  expect(await session.messages()).toEqual([])
  const first = await session.prompt('Hi')
  expect(first.id).toBe('talk-7.scripted.scripted.1')
  const events = await eventsOf(first)
  expect(started(events)).toMatchObject({
    agent: 'test',
    agentId: 'desk',
    session: 'talk-7',
    configId: 'scripted.scripted',
    subject: 'oslo',
    metadata: { page: { number: 3 } },
  })
  expect(started(events)).not.toHaveProperty('parentRunId')
  expect(triggers(events)).toEqual(['user'])
  // Another handle, as another process would have, sees the same session.
  const second = await agent.session('talk-7').prompt('More', { configId: 'fast', labels: { page: 'start' } })
  expect(second.id).toBe('talk-7.fast.1')
  const more = await eventsOf(second)
  expect(started(more)).toMatchObject({
    session: 'talk-7',
    configId: 'fast',
    subject: 'oslo',
    parentRunId: first.id,
    continuation: { kind: 'default' },
    metadata: { page: 'start' },
  })
  expect(triggers(more)).toEqual(['continuation'])
  const third = await session.prompt('And?')
  expect(third.id).toBe('talk-7.scripted.scripted.2')
  expect(await textOfRun(third)).toBe('Three')
  expect(prompts).toEqual([
    ['user: Hi'],
    ['user: Hi', 'assistant: One', 'user: More'],
    ['user: Hi', 'assistant: One', 'user: More', 'assistant: Two', 'user: And?'],
  ])
  expect(await session.state()).toEqual({
    id: 'talk-7',
    agent: 'desk',
    subject: 'oslo',
    metadata: { page: 'start' },
    createdAt: clock.now(),
    counters: { 'scripted.scripted': 2, fast: 1 },
    runs: 3,
    lastRun: third.id,
    queued: [],
    version: 2 ** 24 + 3,
    lastActivity: clock.now(),
  })
  const runs = await store.list({ session: 'talk-7' })
  expect(runs.map(({ id }) => id)).toEqual([third.id, second.id, first.id])
  expect((await session.usage()).turns).toBe(3)
})

test('AGT-01 a session without an id gets a new id, different for every handle', async () => {
  const { agent } = testAgent({ replies: ['One'], configId: 'c' })
  const [one, two] = [agent.session(), agent.session()]
  expect(one.id).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
  expect(two.id).not.toBe(one.id)
  const run = await one.prompt('Hi')
  expect(run.id).toBe(`${one.id}.c.1`)
  await run.settled()
})

test('AGT-04 derives the configuration id from provider, model and thinking, and shortens a long one with a hash', async () => {
  const ids = await Promise.all(
    ['gpt-4.1/mini', 'm'.repeat(50), `${'m'.repeat(50)}x`].map(async (id) => {
      const { agent } = testAgent({ model: testModel(id), request: { thinking: 'high' } })
      const run = await agent.session('s').prompt('Hi')
      await run.settled()
      return run.id
    }),
  )
  expect(ids[0]).toBe('s.acme_cloud.gpt-4_1_mini.high.1')
  expect(ids[1]).toMatch(/^s\.acme_cloud\.m{20}-[0-9a-f]{8}\.1$/)
  expect(ids[2]).not.toBe(ids[1])
})

test('PH-02 AGT-04 beforeRun receives the number of earlier runs of the session', async () => {
  const seen: number[] = []
  const { agent } = testAgent({
    replies: ['One', 'Two'],
    plugins: [{ name: 'hooks', beforeRun: ({ run }) => void seen.push(run.session?.index ?? 0) }],
  })
  const session = agent.session('s')
  await (await session.prompt('Hi')).settled()
  await (await session.prompt('More')).settled()
  await agent.run('Alone')
  expect(seen).toEqual([0, 1, 0])
})

test('AGT-01 the next run reads a message that was sent between runs, once', async () => {
  const { agent, prompts } = testAgent({ replies: ['One', 'Two', 'Three', 'Four'] })
  const session = agent.session('s')
  await session.followUp('After that')
  await session.steer('Be short')
  expect((await session.state())?.queued.map(({ item }) => item.kind)).toEqual(['followUp', 'steer'])
  await (await session.prompt('Hi')).settled()
  expect((await session.state())?.queued).toEqual([])
  const heard = (await linesOf(session)).filter((line) => line.startsWith('user'))
  expect(heard.toSorted()).toEqual(['user: After that', 'user: Be short', 'user: Hi'])
  const before = prompts.length
  await (await session.prompt('More')).settled()
  expect(prompts.length).toBe(before + 1)
})

test('AGT-01 AGT-02 a message sent during a run goes to that run, and cancel ends it', async () => {
  const held = heldReply()
  const { agent } = testAgent({ replies: [held.reply, 'Two', 'Three'] })
  const session = agent.session('s')
  const run = await session.prompt('Hi')
  await held.asked
  await session.steer('Be short')
  expect((await session.state())?.queued).toEqual([])
  held.give('One')
  await run.settled()
  expect(await linesOf(session)).toEqual(['user: Hi', 'assistant: One', 'user: Be short', 'assistant: Two'])
  expect(await session.cancel()).toMatchObject({ target: 's', answer: 'stale' })
  const { act } = toolbox()
  const asking = testAgent({ replies: [calls(call('a', 'act'))], tools: [act('act', { needs: 'approval' })] }).agent
  const other = asking.session('w')
  await (await other.prompt('Hi')).settled()
  expect(await other.cancel('Enough')).toMatchObject({ answer: 'applied' })
})

test('AGT-01 continues from another run of the session with after', async () => {
  const { agent, prompts } = testAgent({ replies: ['One', 'Two', 'Three'] })
  const session = agent.session('s')
  const first = await session.prompt('Hi')
  await first.settled()
  await (await session.prompt('More')).settled()
  const other = await session.prompt('Else', { after: first.id })
  await other.settled()
  expect(prompts.at(-1)).toEqual(['user: Hi', 'assistant: One', 'user: Else'])
  expect((await session.state())?.lastRun).toBe(other.id)
  expect(await linesOf(session)).toEqual(['user: Hi', 'assistant: One', 'user: Else', 'assistant: Two'])
})

test('AGT-01 reset clears transcript and queue, and ids keep counting', async () => {
  const { agent, prompts } = testAgent({ replies: ['One', 'Two'] })
  const session = agent.session('s')
  const first = await session.prompt('Hi')
  await first.settled()
  await session.steer('Unheard')
  await session.reset()
  expect(await session.messages()).toEqual([])
  const next = await session.prompt('Anew')
  await next.settled()
  expect(prompts.at(-1)).toEqual(['user: Anew'])
  expect([first.id, next.id]).toEqual(['s.scripted.scripted.1', 's.scripted.scripted.2'])
  expect((await next.settled()).run.session).toEqual({ id: 's', index: 1 })
})

test('AGT-01 returns the messages in pages, the last ones first', async () => {
  const { agent } = testAgent({ replies: ['One', 'Two', 'Three'] })
  const session = agent.session('s')
  for (const text of ['A', 'B', 'C']) await (await session.prompt(text)).settled()
  const last = await session.messages({ limit: 2 })
  expect(last.map(say)).toEqual(['user: C', 'assistant: Three'])
  const before = await session.messages({ limit: 3, before: last[0]?.place ?? 0 })
  expect(before.map(say)).toEqual(['assistant: One', 'user: B', 'assistant: Two'])
  expect(await session.messages({ before: 1 })).toEqual([])
})

test('AGT-01 deletes a session with its runs', async () => {
  const { agent, store } = testAgent({ replies: ['One', 'Two'] })
  const session = agent.session('s')
  const run = await session.prompt('Hi')
  await run.settled()
  expect(await session.delete()).toEqual({ runs: [run.id], readers: [] })
  expect(await session.state()).toBeUndefined()
  expect(await store.list({})).toEqual([])
  await expect(session.delete()).rejects.toMatchObject({ code: 'session_unknown' })
})

function testModel(id: string) {
  return {
    provider: 'acme cloud',
    id,
    async *stream() {
      await Promise.resolve()
      const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 }
      yield {
        type: 'finished' as const,
        message: {
          role: 'assistant' as const,
          content: [{ type: 'text' as const, text: 'Hi' }],
          stopReason: 'stop' as const,
          provider: 'acme cloud',
          model: id,
          usage,
          timestamp: 0,
        },
      }
    },
  }
}

test('AGT-01 SES-02 finds sessions and their runs by agent id, session, subject and prompt', async () => {
  const { agent } = testAgent({ id: 'desk', replies: ['One', 'Two'], configId: 'c' })
  const session = agent.session('s', { subject: 'oslo' })
  for (const text of ['Weather?', 'And tomorrow?']) await (await session.prompt(text)).settled()
  await agent.session('t').steer('Later')
  const sessions = await agent.sessions({ subject: 'oslo' })
  expect(sessions).toMatchObject([{ id: 's', agent: 'desk', runs: 2 }])
  expect((await agent.sessions()).map(({ id }) => id).toSorted()).toEqual(['s', 't'])
  const runs = await agent.runs({ session: 's', subject: 'oslo' })
  expect(runs).toMatchObject([
    { id: 's.c.2', session: 's', subject: 'oslo', prompt: 'And tomorrow?' },
    { id: 's.c.1', session: 's', subject: 'oslo', prompt: 'Weather?' },
  ])
})

test("AGT-01 a session's run that was only stored is driven by the process that loads it", async () => {
  const store = memoryStore()
  const page = testAgent({ store, replies: ['Never.'] })
  const { agent: worker } = testAgent({ store, replies: ['Hello.'], process: 'p2' })
  const run = await page.agent.session('talk').prompt('Hi', { drive: false })
  await quiet()
  expect([page.prompts, (await run.result()).status]).toEqual([[], 'running'])
  expect((await (await worker.load(run.id)).settled()).text).toBe('Hello.')
  const { signal } = new AbortController()
  await expect(page.agent.session('talk').prompt('Hi', { drive: false, signal })).rejects.toMatchObject({
    code: 'bad_option',
  })
})
