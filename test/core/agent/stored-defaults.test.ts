import { expect, test } from 'vitest'
import { partsOf } from '../../../src/core/agent/options.ts'
import { runOptionsOf } from '../../../src/core/driving/run-options.ts'
import { runCharts } from '../../../src/core/driving/run-charts.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'

test('AGT-12 AGT-10 a run of an agent without such options has these rules', () => {
  expect(runOptionsOf({})).toMatchObject({
    executor: { batchSize: null, stopsOnSuspension: false },
    onPartialSuspension: 'continue',
    decisions: 'immediate',
    limits: [
      { code: 'max_turns', max: 50, action: 'stop' },
      { code: 'max_tokens', max: 1_000_000, action: 'stop' },
      { code: 'max_duration', max: 600_000, action: 'stop' },
    ],
    repeatLimit: 3,
    stopsOnRepeat: false,
    maxRetries: 3,
    fallbacks: 0,
    watched: [],
  })
  expect(runOptionsOf({ executor: 'sequential' }).executor).toEqual({ batchSize: 1, stopsOnSuspension: true })
  expect(runOptionsOf({ executor: { batch: 4 } }).executor).toEqual({ batchSize: 4, stopsOnSuspension: true })
})

test('PRV-05 an agent without such options has these bounds and waits', () => {
  expect(partsOf({ name: 'a', model: scripted([]) })).toMatchObject({
    instructions: '',
    plugins: [],
    maxCallsPerTurn: 128,
    pluginTimeoutMs: 60_000,
    retry: { maxRetries: 3, initialDelayMs: 1000, factor: 2, maxDelayMs: 30_000 },
  })
})

test("CKP-07 the charts' initial values, which documents omit, are those of stored documents: a change needs a migration", () => {
  const { modelCall, toolCall } = runCharts.defaults({ options: runOptionsOf({}), messages: [] })
  expect(modelCall).toMatchObject({ turn: 0, isFinishing: false, maxRetries: 3, fallbacks: 0 })
  expect(toolCall).toMatchObject({
    callId: '',
    verdict: { kind: 'allowed' },
    effects: 'once',
    resumeMode: 'replay',
    isQueued: false,
    isCallGateWatched: false,
    isReviewWatched: false,
  })
})
