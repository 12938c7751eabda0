import { expect, test } from 'vitest'
import { runOptionsOf } from '../../src/agent/options.ts'
import { runCharts } from '../../src/agent/run-charts.ts'

test('CKP-07 what documents leave out is what the charts began with when they were written: another value asks for a migration', () => {
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
