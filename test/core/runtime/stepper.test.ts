import { expect, test } from 'vitest'
import type { CallPlan } from '../../../src/core/domain/call-plan.ts'
import { runCharts } from '../../../src/core/driving/run-charts.ts'
import { createAgent } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { Stepper } from '../../../src/core/runtime/stepper.ts'

const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 }

function plan(callId: string): CallPlan {
  const verdict = { kind: 'allowed' } as const
  return {
    callId,
    verdict,
    effects: 'none',
    resumeMode: 'replay',
    isExclusive: false,
    blocksRun: true,
    callHash: callId,
  }
}

test('RUN-10 a step sets the status of the calls that it moves, and only of those', () => {
  let set: string[] = []
  let keys = 0
  const stepper = new Stepper({
    charts: runCharts,
    input: createAgent({ name: 'test', model: scripted([]) }).machineInput('Hi'),
    keyFor: () => `k${keys++}`,
    told: { record: () => {}, announce: () => {}, checkpoint: () => {} },
    setStatus: (callId, status) => void set.push(`${callId} ${status}`),
  })
  /** Ends the first effect of this name that is asked for; gives the statuses that are set in the step. */
  const end = (src: string, output: unknown): readonly string[] => {
    const key = [...stepper.outbox.values()].find((effect) => effect.src === src)?.key ?? 'none is asked for'
    set = []
    stepper.complete(key, output)
    return set
  }
  stepper.start()
  const answer = { seq: 1, calls: ['1.a', '1.b', '1.c'].map(plan), dropped: [], usage, cost: 0, startedAt: 1, at: 1 }
  expect(end('callModel', { kind: 'answered', answer })).toEqual(['1.a running', '1.b running', '1.c running'])
  expect(end('runTool', { status: 'succeeded', at: 2 })).toEqual(['1.a succeeded'])
  expect(end('runTool', { status: 'failed', at: 3 })).toEqual(['1.b failed'])
})
