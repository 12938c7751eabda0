import { expect, test } from 'vitest'
import type { CallRecord, CallStatus } from '../../src/domain/call.ts'
import type { PostedItem } from '../../src/domain/inbox.ts'
import { judgePost } from '../../src/domain/judge-post.ts'

const cancel: PostedItem = { kind: 'cancel' }
const cancelCall: PostedItem = { kind: 'cancelCall', callId: '1.a' }
const row = (kind: string, callId: string | null = null) => ({ kind, callId })

function answerTo(item: PostedItem, { isDone = false, status, rows = [] }: Given): string {
  const calls = status === undefined ? [] : [record(status)]
  return judgePost(item, { runId: 'run', isDone, calls: () => calls, unconsumed: () => rows }).answer
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
  [{ kind: 'steer', text: '' }, { isDone: true, rows: [row('steer')] }, 'applied'],
  [{ kind: 'followUp', text: '' }, { isDone: true, rows: [row('followUp')] }, 'applied'],
  [{ kind: 'serviceAnswer', body: null }, { isDone: true, rows: [row('serviceAnswer')] }, 'applied'],
]

test.for(rows)('DEC-09 RUN-07 answers %j where %j: %s', ([item, given, answer]) => {
  expect(answerTo(item, given)).toBe(answer)
})
