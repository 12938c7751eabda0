import { expect, test } from 'vitest'
import type { CallRecord, CallStatus } from '../../../src/core/domain/call.ts'
import type { PostedItem } from '../../../src/core/domain/inbox.ts'
import { judgePost } from '../../../src/core/domain/judge-post.ts'
import { userMessage } from '../../../src/core/domain/message.ts'

const cancel: PostedItem = { kind: 'cancel' }
const cancelCall: PostedItem = { kind: 'cancelCall', callId: '1.a' }
const extension: PostedItem = {
  kind: 'extension',
  message: { role: 'extension', kind: 'note', data: 1, timestamp: 3 },
}
const result: PostedItem = { kind: 'background', childRunId: 'child', messages: [] }
const row = (kind: string, callId: string | null = null) => ({ kind, callId })

function answerTo(item: PostedItem, { isDone = false, status, rows = [] }: Given): string {
  const calls = status === undefined ? [] : [record(status)]
  return judgePost(item, { runId: 'run', isDone, calls: () => calls, unconsumed: () => rows, ofKind: () => rows })
    .answer
}

interface Given {
  readonly isDone?: boolean
  readonly status?: CallStatus
  readonly rows?: readonly { readonly kind: string; readonly callId: string | null }[]
}

function record(status: CallStatus): CallRecord {
  const ids = { seq: 2, callId: '1.a', toolCallId: 'a', messageSeq: 1 }
  return { ...ids, toolName: 'act', status, revision: 0, resumeMode: 'replay' }
}

const rows: readonly [PostedItem, Given, string][] = [
  [cancel, {}, 'applied'],
  [cancel, { rows: [row('cancelCall', '1.a'), row('decision', '1.a'), row('steer')] }, 'applied'],
  [cancel, { rows: [row('cancel')] }, 'duplicate'],
  [cancel, { isDone: true }, 'stale'],
  [cancel, { isDone: true, rows: [row('cancel')] }, 'stale'],
  [cancelCall, {}, 'unknown'],
  [cancelCall, { isDone: true }, 'unknown'],
  [cancelCall, { isDone: true, status: 'suspended' }, 'stale'],
  ...(['new', 'running', 'suspended', 'resuming'] as const).map((status): [PostedItem, Given, string] => [
    cancelCall,
    { status, rows: [row('cancel'), row('decision', '1.a'), row('cancelCall', '1.b')] },
    'applied',
  ]),
  ...(['succeeded', 'failed', 'cancelled'] as const).map((status): [PostedItem, Given, string] => [
    cancelCall,
    { status, rows: [row('cancelCall', '1.a')] },
    'stale',
  ]),
  [cancelCall, { status: 'running', rows: [row('cancelCall', '1.a')] }, 'duplicate'],
  [{ kind: 'steer', messages: [userMessage('', 1)] }, { rows: [row('steer')] }, 'applied'],
  [{ kind: 'steer', messages: [] }, { isDone: true }, 'stale'],
  [{ kind: 'followUp', messages: [userMessage('', 1)] }, { rows: [row('followUp')] }, 'applied'],
  [{ kind: 'followUp', messages: [] }, { isDone: true }, 'stale'],
  [result, { rows: [row('steer'), row('background', 'other')] }, 'applied'],
  [result, { rows: [row('background', 'child')] }, 'duplicate'],
  [result, { isDone: true, rows: [row('background', 'child')] }, 'duplicate'],
  [result, { isDone: true }, 'stale'],
  [extension, {}, 'applied'],
  [extension, { rows: [row('extension'), row('cancel')] }, 'applied'],
  [extension, { isDone: true }, 'stale'],
  [{ kind: 'serviceAnswer', body: null }, { rows: [row('serviceAnswer')] }, 'refused'],
]

test.for(rows)('DEC-09 RUN-07 answers %j in the situation %j: %s', ([item, given, answer]) => {
  expect(answerTo(item, given)).toBe(answer)
})

test.each<[PostedItem, Given, string | undefined]>([
  [cancel, {}, undefined],
  [cancel, { isDone: true }, 'Run "run" has ended.'],
  [cancel, { rows: [row('cancel')] }, 'A cancel of run "run" is stored already and not carried out yet.'],
  [cancelCall, {}, 'No call "1.a" in this run. No call of this run is open.'],
  [{ kind: 'cancelCall', callId: '1.b' }, { status: 'new' }, 'No call "1.b" in this run. Open calls: 1.a.'],
  [{ kind: 'cancelCall', callId: 'a' }, { status: 'failed' }, 'No call "a" in this run. No call of this run is open.'],
  [cancelCall, { status: 'failed' }, 'Call "1.a" has settled.'],
  [
    cancelCall,
    { status: 'running', rows: [row('cancelCall', '1.a')] },
    'A cancel of call "1.a" is stored already and not carried out yet.',
  ],
])(
  'DEC-09 RUN-07 gives the reason for %j in the situation %j: %s',
  (item, { isDone = false, status, rows: unconsumed = [] }, message) => {
    const calls = status === undefined ? [] : [record(status)]
    const receipt = judgePost(item, {
      runId: 'run',
      isDone,
      calls: () => calls,
      unconsumed: () => unconsumed,
      ofKind: () => [],
    })
    expect(receipt.message).toBe(message)
    expect(receipt.target).toBe(item.kind === 'cancelCall' ? item.callId : 'run')
  },
)

test('DEC-09 lists the calls that share an id', () => {
  const calls = [record('running'), { ...record('failed'), callId: '2.a' }]
  const item: PostedItem = { kind: 'cancelCall', callId: 'a' }
  const receipt = judgePost(item, {
    runId: 'run',
    isDone: false,
    calls: () => calls,
    unconsumed: () => [],
    ofKind: () => [],
  })
  expect(receipt.message).toBe('"a" was the id of several calls: 1.a, 2.a. Name one of them.')
})
