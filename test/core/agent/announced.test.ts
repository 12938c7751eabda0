import { expect, test } from 'vitest'
import { runCharts, toEvent } from '../../../src/core/driving/run-charts.ts'
import { originOf } from '../../../src/core/domain/run-origin.ts'
import { noUsage } from '../../../src/core/domain/usage.ts'
import { RunLog } from '../../../src/core/runtime/run-log.ts'

const outcome = { reason: 'stopped', code: 'input_rejected' }
const context = { ending: { kind: 'made', outcome }, usage: noUsage, cost: 0.5, turn: 2 }

function ended(log: RunLog) {
  const origin = originOf('run-1', 'test', {})
  const announcement = { type: 'run.ended' }
  return toEvent(() => ({}), { announcement, origin, context, log, answerSeq: undefined, seq: 1 })
}

test('EVT-01 an ended run reports the reason of a refused prompt, and the messages that no model read', () => {
  const log = new RunLog([], 1)
  const counts = { turns: 0, toolCalls: 0 }
  const told = { type: 'run.ended', outcome, ...counts, usage: noUsage, cost: 0.5 }
  expect(ended(log)).toEqual(told)
  log.setValue('rejection', 'No.', 1)
  log.setValue('undelivered', [{ role: 'user' }], 1)
  expect(ended(log)).toEqual({ ...told, rejection: 'No.', undelivered: [{ role: 'user' }] })
})

test("EVT-01 EVT-03 reads a run's origin from its stored details, and ignores values of the wrong shape", () => {
  const bare = { subject: 'run-1', agent: 'test', metadata: {} }
  const odd = { subject: 7, session: null, parentRunId: [], continuation: { kind: 'rerun' }, labels: ['a'] }
  for (const stored of [odd, null, [], { continuation: { kind: 'other', tag: 't' } }, { continuation: 'branch' }]) {
    expect(originOf('run-1', 'test', stored as never)).toEqual(bare)
  }
  const labels = { team: 'blue', size: 7 }
  expect(originOf('run-1', 'test', { labels })).toEqual({ ...bare, metadata: { team: 'blue' } })
})

test.each<[unknown, { readonly isOpen: boolean; readonly answerSeq: number | undefined }]>([
  [{ running: { opening: 'startingRun' } }, { isOpen: false, answerSeq: undefined }],
  [{ running: { resumeGate: 'replaying' } }, { isOpen: false, answerSeq: undefined }],
  [{ running: { turn: { before: 'startingStep' } } }, { isOpen: false, answerSeq: undefined }],
  [{ running: { turn: { before: 'preparingModel' } } }, { isOpen: false, answerSeq: undefined }],
  [{ running: { turn: 'callingModel' } }, { isOpen: true, answerSeq: undefined }],
  [{ running: { turn: { after: 'reviewingAnswer' } } }, { isOpen: true, answerSeq: 1 }],
  [{ running: { turn: { after: 'endingStep' } } }, { isOpen: true, answerSeq: 1 }],
  [{ running: { turn: { after: 'holdingRun' } } }, { isOpen: true, answerSeq: undefined }],
  [{ running: { toolRound: 'executing' } }, { isOpen: true, answerSeq: 1 }],
  ['waiting', { isOpen: false, answerSeq: undefined }],
])('EVT-01 reads from a stored run whether a turn is open, and its answer: %j', (value, standing) => {
  const message = {
    role: 'assistant' as const,
    content: [],
    stopReason: 'stop' as const,
    model: 'm',
    provider: 'p',
    usage: noUsage,
    timestamp: 1,
  }
  const log = new RunLog([{ kind: 'message', seq: 1, message }], 2)
  expect(runCharts.turnAt(value, context, log)).toEqual({ turn: 2, ...standing })
})
