import { expect, test } from 'vitest'
import { say } from '../../../proof/support/say.ts'
import { testAgent } from '../../../proof/support/test-agent.ts'
import { createAgent, type Session, type Store, StoreError } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { listSessions } from '../../../src/core/driving/find-sessions.ts'

const linesOf = async (session: Session) => (await session.messages()).map(say)
const settled = async (session: Session, text: string) => (await session.prompt(text)).settled()

test('L13 AGT-01 rotates only above the threshold, and never without activity', async () => {
  const { agent, clock } = testAgent({ replies: ['One', 'Two'] })
  const session = agent.session('s')
  clock.advance(10_000)
  expect(await session.rotateIfIdle(1000)).toBeUndefined()
  await settled(session, 'Hi')
  clock.advance(1000)
  expect(await session.rotateIfIdle(1000)).toBeUndefined()
  expect(session.id).toBe('s')
  clock.advance(1)
  const id = await session.rotateIfIdle(1000)
  expect(id).toBe(session.id)
  expect(id).not.toBe('s')
  expect(await session.rotateIfIdle(1000)).toBeUndefined()
  clock.advance(10_000)
  expect(await session.rotateIfIdle(1000)).toBeUndefined()
})

test('AGT-01 a rotated session keeps its messages, and restarts counters and runs', async () => {
  const { agent, prompts } = testAgent({ replies: ['One', 'Two', 'Three'], configId: 'c' })
  const session = agent.session('s', { subject: 'oslo' })
  await settled(session, 'Hi')
  const id = await session.rotate()
  expect(await linesOf(session)).toEqual(['user: Hi', 'assistant: One'])
  expect(await session.state()).toMatchObject({ id, subject: 'oslo', runs: 0, queued: [] })
  const run = await session.prompt('More')
  const { run: details } = await run.settled()
  expect(run.id).toBe(`${id}.c.1`)
  expect(details).toMatchObject({ subject: 'oslo', session: { id, index: 0 } })
  expect(prompts.at(-1)).toEqual(['user: Hi', 'assistant: One', 'user: More'])
  // Messages read earlier were read by the earlier session.
  expect((await session.usage()).turns).toBe(1)
  const earlier = agent.session('s')
  expect(await linesOf(earlier)).toEqual(['user: Hi', 'assistant: One'])
  await settled(earlier, 'Still here')
  expect(await linesOf(session)).toEqual(['user: Hi', 'assistant: One', 'user: More', 'assistant: Two'])
})

test('AGT-01 queued messages move to the rotated session and are read once', async () => {
  const { agent, prompts } = testAgent({ replies: ['One', 'Two', 'Three'] })
  const session = agent.session('s')
  await session.followUp('After that')
  await session.rotate()
  expect((await agent.session('s').state())?.queued).toEqual([])
  await settled(session, 'Hi')
  await settled(agent.session('s'), 'Hi')
  expect(prompts.filter((lines) => lines.at(-1) === 'user: After that').length).toBe(1)
})

test("AGT-01 a failed rotation leaves the queue unchanged, and a handle notices another's earlier rotation", async () => {
  const store = memoryStore()
  let isGone = false
  const create: Store['create'] = (...run) =>
    isGone ? Promise.reject(new StoreError('store_unavailable', 'The disk is gone.')) : store.create(...run)
  const { agent } = testAgent({ replies: ['One', 'Two'], store: { ...store, create } })
  const session = agent.session('s')
  await settled(session, 'Hi')
  await session.followUp('After that')
  isGone = true
  await expect(session.rotate()).rejects.toMatchObject({ code: 'store_unavailable' })
  isGone = false
  expect([session.id, (await listSessions(store)).length]).toEqual(['s', 1])
  const ids = await Promise.all([session.rotate(), agent.session('s').rotate()])
  const queues = await Promise.all(['s', ...ids].map(async (id) => (await agent.session(id).state())?.queued.length))
  expect(queues.map(Number).toSorted((left, right) => left - right)).toEqual([0, 0, 1])
})

test('AGT-01 rotating a session that was never stored only changes its id', async () => {
  const { agent, store } = testAgent()
  const session = agent.session('s')
  const id = await session.rotate()
  expect(session.id).toBe(id)
  expect(await listSessions(store)).toEqual([])
})

test('AGT-01 refuses to delete a session that another was rotated from, unless the shared messages are kept', async () => {
  const { agent, prompts } = testAgent({ replies: ['One', 'Two'] })
  const session = agent.session('s')
  await settled(session, 'Hi')
  await session.rotate()
  const earlier = agent.session('s')
  const reader = (await session.state())?.lastRun
  await expect(earlier.delete()).rejects.toMatchObject({ code: 'session_is_read', readers: [reader] })
  expect(await earlier.delete({ whereRead: 'keep' })).toMatchObject({ readers: [reader] })
  await settled(session, 'More')
  expect(prompts.at(-1)).toEqual(['user: Hi', 'assistant: One', 'user: More'])
})

test('AGT-01 a rotation skips a taken run id', async () => {
  let runs = 0
  const ids = { next: (prefix: string) => (prefix === 'session' ? 'next' : `${prefix}-${++runs}`) }
  const agent = createAgent({ name: 'test', model: scripted(['One']), ids })
  const session = agent.session('s')
  await settled(session, 'Hi')
  await agent.run('Other', { runId: 'next.rotated.1' })
  expect(await session.rotate()).toBe('next')
  expect((await session.state())?.lastRun).toBe('next.rotated.2')
  expect(await linesOf(session)).toEqual(['user: Hi', 'assistant: One'])
})
