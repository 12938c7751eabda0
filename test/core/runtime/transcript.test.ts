import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CallResult, resultMessage } from '../../../src/core/domain/call.ts'
import type { Write } from '../../../src/core/domain/log.ts'
import type { AssistantMessage } from '../../../src/core/domain/message.ts'
import { noUsage } from '../../../src/core/domain/usage.ts'
import { RunLog } from '../../../src/core/runtime/run-log.ts'

const turn: AssistantMessage = {
  role: 'assistant',
  content: [],
  stopReason: 'toolUse',
  model: 'm',
  provider: 'p',
  usage: noUsage,
  timestamp: 0,
}

function reserve(callId: string): Write {
  const call = { callId, toolCallId: callId, toolName: 'tool', revision: 0, resumeMode: 'replay' as const }
  return { kind: 'reserve', call }
}

function result(runLog: RunLog, callId: string, text: string): CallResult {
  return resultMessage(runLog.requireCall(callId), text, 'success', 0)
}

/** Changes of the log between two looks at the transcript, by the number of their call. */
const anyHappening = fc.record({
  what: fc.constantFrom('turn', 'note', 'result', 'placeholder', 'publish', 'state', 'look'),
  call: fc.nat(9),
})

test('RUN-10 shows the same transcript step by step as a freshly read log', () => {
  fc.assert(
    fc.property(fc.array(anyHappening, { maxLength: 40 }), (happenings) => {
      const runLog = new RunLog([], 1)
      const callIds: string[] = []
      for (const { what, call } of happenings) {
        const callId = callIds[call % Math.max(callIds.length, 1)]
        if (what === 'note') runLog.apply([{ kind: 'note', text: 'note' }], 0)
        if (what === 'state') runLog.apply([{ kind: 'state', changes: [{ path: ['a'], value: call }] }], 0)
        if (what === 'turn') {
          const ids = [`${callIds.length}.a`, `${callIds.length}.b`]
          callIds.push(...ids)
          runLog.apply([{ kind: 'append', message: turn }, ...ids.map(reserve)], 0)
        }
        if (callId === undefined) continue
        if (what === 'placeholder') runLog.apply([{ kind: 'call', callId, patch: { placeholder: true } }], 0)
        if (what === 'publish') runLog.apply([{ kind: 'tellLateResult', callId }], 0)
        if (what === 'result' && runLog.requireCall(callId).resultSeq === undefined) {
          runLog.apply([{ kind: 'call', callId, patch: { result: result(runLog, callId, `result ${call}`) } }], 0)
        }
        expect(runLog.messages()).toEqual(new RunLog(runLog.entries(), runLog.nextSeq).messages())
      }
    }),
    { numRuns: 1000 },
  )
})
