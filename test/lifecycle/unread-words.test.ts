import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StoreUnderTest } from '../../src/testing/stores/store-suite.ts'
import { storeSubjects } from '../../proof/conformance/store-subjects.ts'
import { fakeClock } from '../../proof/support/fake-clock.ts'
import { injectingStore } from '../../proof/support/injecting-store.ts'
import { resultsOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { testAgent } from '../../proof/support/test-agent.ts'
import { toolbox } from '../../proof/support/tools.ts'
import type { ServiceEvent } from '../../src/core/services/index.ts'
import { done as answerTo, pay, payment } from '../core/services/banking.ts'
import { listOutgoing } from '../../src/core/driving/list-outgoing.ts'
import { userMessage } from '../../src/core/domain/message.ts'

const skipped = 'Skipped due to queued user message.'

describe.each(Object.entries(storeSubjects))('%s', (_, open) => {
  let subject: StoreUnderTest
  beforeAll(async () => void (subject = await open(fakeClock())))
  afterAll(() => subject.dispose())

  test('AGT-03 DEC-06 the model reads steering sent at any moment of a sequential round, and at most one more call begins', async () => {
    const { store: inner } = subject
    const skips: number[] = []
    for (let at = 0; ; at++) {
      const runId = `steered-${at}`
      const { act, done } = toolbox()
      let begun = 0
      let answer = 'nothing'
      const { store, hasActed } = injectingStore(inner, {
        at,
        act: async () => {
          begun = done.length
          answer = (await inner.post(runId, { kind: 'steer', messages: [userMessage('Listen.', 1)] }, 1)).answer
        },
      })
      const round = ['c1', 'c2', 'c3', 'c4'].map((id, n) => call(id, 'act', { n }))
      const { agent, prompts } = testAgent({
        store,
        executor: 'sequential',
        replies: [calls(...round), 'Bye', 'Bye again'],
        tools: [act()],
      })
      const { outcome } = await agent.run('Hi', { runId })
      if (!hasActed()) break
      const isHeard = prompts.some((prompt) => prompt.some((line) => line.includes('Listen.')))
      expect({ at, answer, outcome, isHeard }).toEqual({
        at,
        answer: 'applied',
        outcome: { reason: 'natural_end' },
        isHeard: true,
      })
      const left = Object.values(await resultsOf(inner, runId)).filter((text) => text === skipped).length
      skips.push(left)
      expect(left === 0 || done.length - begun < 2).toBe(true)
      expect(done.length + left).toBe(4)
      expect(await inner.inbox(runId, { isOpen: true })).toEqual([])
    }
    expect(new Set(skips)).toEqual(new Set([0, 1, 2, 3]))
  })

  test("SVC-04 DEC-06 applies a service's answer at any moment before the expiry, or reports that it is too late", async () => {
    const { store: inner } = subject
    const seen = new Set<string>()
    for (let at = 0; ; at++) {
      const runId = `paid-${at}`
      const clock = fakeClock()
      let answer = 'nothing'
      const service = { services: [payment], replies: [calls(pay('a')), 'Bye', 'Bye again'] }
      const other = testAgent({ ...service, store: inner, process: 'p2' }).agent
      const { store, hasActed } = injectingStore(inner, {
        at,
        act: async () => {
          const [asked] = await listOutgoing(inner, { runId })
          if (asked !== undefined)
            answer = (await other.receive(answerTo(asked.body as unknown as ServiceEvent))).answer
        },
        committed: ({ timers }) => {
          for (const { due } of timers ?? []) clock.advance(Math.max(0, due - clock.now()))
        },
      })
      const { agent } = testAgent({ ...service, store, clock })
      const run = agent.start('Pay', { runId, subject: 'talk-7', labels: { tenant: 'north' } })
      // A wait gives the run back; its timer is due then.
      await run.settled()
      const { status } = await (await agent.load(runId)).settled()
      if (!hasActed()) break
      seen.add(answer)
      expect(status).toBe('done')
      const result = (await resultsOf(inner, runId))['1.a'] ?? ''
      expect(result).toContain(answer === 'applied' ? 'r-1' : 'no decision came before the request expired')
    }
    expect(seen.has('applied')).toBe(true)
  })
})
