import { expect, onTestFinished, test, vi } from 'vitest'
import type { AgentEvent } from '../../src/index.ts'
import type { Store } from '../../src/ports/store.ts'
import { memoryStore } from '../../src/stores/memory/memory-store.ts'
import { heldAnswer } from '../../proof/support/held-answer.ts'
import { fakeClock } from '../../proof/support/fake-clock.ts'
import { quiet, runId, testAgent } from '../../proof/support/test-agent.ts'

/** A run that one agent drives, another agent on its store, and what the store is asked of answers under way. */
async function twoAgents() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const clock = fakeClock()
  const inner = memoryStore({ clock })
  const asked = { put: 0, written: 0, ended: 0 }
  const store: Store = {
    ...inner,
    putLive: async (...given) => {
      asked.put++
      const isRead = await inner.putLive(...given)
      if (isRead) asked.written++
      return isRead
    },
    endLive: async (lease) => {
      asked.ended++
      await inner.endLive(lease)
    },
  }
  const answer = heldAnswer()
  const first = testAgent({ model: answer.model, store, clock })
  const run = first.agent.start('Hi', { runId })
  const settled = run.settled()
  await answer.asked
  const second = testAgent({ replies: [], store, clock, process: 'p2' })
  const pass = async () => {
    await quiet()
    await vi.advanceTimersByTimeAsync(100)
    await quiet()
  }
  return { answer, asked, clock, inner, pass, settled, second: await second.agent.load(runId) }
}

test('EVT-04 an answer under way is heard in another process, and is gone when it is over', async () => {
  const { answer, asked, clock, inner, pass, settled, second } = await twoAgents()
  const heard: AgentEvent[] = []
  second.on((event) => void heard.push(event))
  const followed = second.settled({ follow: true })
  const look = async () => {
    await clock.sleeping()
    clock.advance(250)
    await quiet()
  }
  await look()
  for (const piece of ['He', 'llo']) answer.give(piece)
  await pass()
  await look()
  for (const piece of [', ', 'wor', 'ld']) answer.give(piece)
  await pass()
  await look()
  const head = { runId, subject: runId, turn: 1 }
  expect(heard).toMatchObject([
    { type: 'message.started', ...head, role: 'assistant' },
    { type: 'message.updated', ...head, delta: { type: 'text', delta: 'Hello' } },
    { type: 'message.updated', ...head, delta: { type: 'text', delta: ', world' } },
  ])
  expect(asked).toEqual({ put: 2, written: 2, ended: 0 })
  answer.give()
  vi.useRealTimers()
  expect((await settled).text).toBe('Hello, world')
  expect(asked.ended).toBe(1)
  expect(await inner.live(runId)).toBeUndefined()
  clock.advance(250)
  expect((await followed).text).toBe('Hello, world')
})

test('EVT-04 nothing is written of an answer that nobody elsewhere reads, and a short one asks the store nothing', async () => {
  const { answer, asked, pass, settled } = await twoAgents()
  for (let second = 0; second < 5; second++) {
    for (const piece of ['one ', 'two ', 'three ']) answer.give(piece)
    await pass()
  }
  expect(asked).toEqual({ put: 5, written: 0, ended: 0 })
  answer.give('end')
  answer.give()
  vi.useRealTimers()
  await settled
  expect(asked).toEqual({ put: 5, written: 0, ended: 0 })
})

test('EVT-04 following a run that nobody here hears marks no reader', async () => {
  const { answer, asked, clock, pass, settled, second } = await twoAgents()
  const followed = second.settled({ follow: true })
  await clock.sleeping()
  answer.give('Hello')
  await pass()
  expect(asked).toEqual({ put: 1, written: 0, ended: 0 })
  answer.give()
  vi.useRealTimers()
  await settled
  clock.advance(250)
  await followed
})
