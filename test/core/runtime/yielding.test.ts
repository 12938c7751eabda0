import { expect, test } from 'vitest'
import type { Model } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { fakeClock } from '../../../proof/support/fake-clock.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { quiet, runId, testAgent } from '../../../proof/support/test-agent.ts'
import { heldTool, toolbox } from '../../../proof/support/tools.ts'

/** Counts the turns of the event loop until a promise has settled, and whether a timer fired meanwhile. */
async function turnsWhile(work: Promise<unknown>): Promise<{ readonly turns: number; readonly hasFired: boolean }> {
  let turns = 0
  let isOver = false
  let hasFired = false
  const timer = setTimeout(() => (hasFired = true), 0)
  const count = () => {
    if (isOver) return
    turns++
    setImmediate(count)
  }
  setImmediate(count)
  await work
  isOver = true
  clearTimeout(timer)
  return { turns, hasFired }
}

test('AGT-12 RUN-10 a timer fires while an answer arrives in a million pieces at once', async () => {
  const inner = scripted(['Bye'])
  const model: Model = {
    ...inner,
    async *stream(request) {
      for (let piece = 0; piece < 1_000_000; piece++) yield { type: 'text', delta: 'x' }
      yield* inner.stream(request)
    },
  }
  const { agent } = testAgent({ model })
  const { turns, hasFired } = await turnsWhile(agent.run('Hi', { runId }))
  expect(hasFired).toBe(true)
  expect(turns).toBeGreaterThanOrEqual(1_000)
})

test('AGT-12 RUN-10 a timer fires while 500 suspensions with immediate answers are processed one after another', async () => {
  const { askAgain } = toolbox()
  const rounds = 500
  const { agent } = testAgent({
    replies: [calls(call('c1', 'ask')), 'Bye'],
    tools: [askAgain('ask', rounds)],
    plugins: [
      {
        name: 'decider',
        reviewCall: async ({ call: { callId, status } }) => {
          if (status === 'suspended') await run.approve(callId)
        },
      },
    ],
    decisions: 'immediate',
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  const { turns, hasFired } = await turnsWhile(end)
  expect((await end).outcome).toEqual({ reason: 'natural_end' })
  expect(hasFired).toBe(true)
  expect(turns).toBeGreaterThanOrEqual(rounds / 64)
})

test('RUN-10 a drive is idle while it waits for a tool', async () => {
  const held = heldTool()
  const clock = fakeClock()
  let looks = 0
  const counted = { ...clock, now: () => (looks++, clock.now()) }
  const { agent } = testAgent({ replies: [calls(call('c1', 'held')), 'Bye'], tools: [held.tool], clock: counted })
  const end = agent.run('Hi', { runId })
  await held.begins('1.c1')
  await quiet()
  const before = looks
  await quiet()
  expect(looks).toBe(before)
  held.finish('1.c1')
  expect((await end).outcome).toEqual({ reason: 'natural_end' })
})
