import { expect, test } from 'vitest'
import type { CallRecord } from '../../../src/core/domain/call.ts'
import { asCarried } from '../../../src/core/domain/carried.ts'
import type { LogEntry } from '../../../src/core/domain/log.ts'
import { userMessage } from '../../../src/core/domain/message.ts'

const says = (seq: number, text: string, place?: number): LogEntry => ({
  kind: 'message',
  seq,
  message: userMessage(text, 0),
  ...(place === undefined ? {} : { place }),
})
const result = {
  role: 'toolResult',
  callId: '1.a',
  toolCallId: 'a',
  toolName: 'act',
  content: [],
  isError: false,
  status: 'success',
  timestamp: 0,
} as const
const call = (seq: number, more: Partial<CallRecord> = {}): LogEntry => ({
  kind: 'call',
  seq,
  call: {
    seq,
    callId: '1.a',
    toolCallId: 'a',
    toolName: 'act',
    messageSeq: 1,
    status: 'succeeded',
    revision: 0,
    resumeMode: 'replay',
    ...more,
  },
})
const state = (seq: number, n: number): LogEntry => ({ kind: 'state', seq, state: { n } })

const log: readonly LogEntry[] = [
  says(1, 'one'),
  call(2, { result }),
  call(3),
  state(4, 1),
  { kind: 'value', seq: 5, name: 'output', value: 1 },
  says(7, 'late', 2),
  state(8, 2),
  says(10, 'own'),
  call(11, { result }),
  { kind: 'value', seq: 12, name: 'output', value: 2 },
]

test("AGT-02 a run continues from its predecessor's messages, with results in their calls' places, and its last state document", () => {
  expect(asCarried(log, 9)).toEqual([
    says(1, 'one'),
    { kind: 'message', seq: 2, message: result },
    state(8, 2),
    ...log.slice(7),
  ])
})

test("AGT-02 uses the predecessor's copied log unchanged, and also the log of a run without a predecessor", () => {
  expect(asCarried(asCarried(log, 9), 9)).toEqual(asCarried(log, 9))
  expect(asCarried(log, 0)).toBe(log)
})
