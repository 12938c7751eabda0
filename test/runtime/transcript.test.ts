import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CallResult, resultMessage } from '../../src/domain/call-result.ts'
import type { Write } from '../../src/domain/log.ts'
import type { AssistantMessage } from '../../src/domain/message.ts'
import { noUsage } from '../../src/domain/usage.ts'
import { Ledger } from '../../src/runtime/ledger.ts'

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

function result(ledger: Ledger, callId: string, text: string): CallResult {
  return resultMessage(ledger.requireCall(callId), text, 'success', 0)
}

/** What happens to the log between two looks at the transcript, by the number of the call it happens to. */
const anyHappening = fc.record({
  what: fc.constantFrom('turn', 'note', 'result', 'placeholder', 'publish', 'state', 'look'),
  call: fc.nat(9),
})

test('RUN-10 shows the same transcript step by step as a log read afresh', () => {
  fc.assert(
    fc.property(fc.array(anyHappening, { maxLength: 40 }), (happenings) => {
      const ledger = new Ledger([], 1)
      const callIds: string[] = []
      for (const { what, call } of happenings) {
        const callId = callIds[call % Math.max(callIds.length, 1)]
        if (what === 'note') ledger.apply([{ kind: 'note', text: 'note' }], 0)
        if (what === 'state') ledger.apply([{ kind: 'state', changes: [{ path: ['a'], value: call }] }], 0)
        if (what === 'turn') {
          const ids = [`${callIds.length}.a`, `${callIds.length}.b`]
          callIds.push(...ids)
          ledger.apply([{ kind: 'append', message: turn }, ...ids.map(reserve)], 0)
        }
        if (callId === undefined) continue
        if (what === 'placeholder') ledger.apply([{ kind: 'call', callId, patch: { placeholder: true } }], 0)
        if (what === 'publish') ledger.apply([{ kind: 'publish', callId }], 0)
        if (what === 'result') {
          ledger.apply([{ kind: 'call', callId, patch: { result: result(ledger, callId, `result ${call}`) } }], 0)
        }
        expect(ledger.messages()).toEqual(new Ledger(ledger.entries(), ledger.nextSeq).messages())
      }
    }),
    { numRuns: 1000 },
  )
})
