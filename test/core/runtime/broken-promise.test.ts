import { expect, test } from 'vitest'
import type { CallRecord } from '../../../src/core/domain/call.ts'
import { userMessage } from '../../../src/core/domain/message.ts'
import { findBrokenPromise } from '../../../src/core/runtime/build-commit.ts'
import { Change } from '../../../src/core/runtime/change.ts'
import type { LiveRun } from '../../../src/core/runtime/live-run.ts'
import { RunLog } from '../../../src/core/runtime/run-log.ts'

const reserved = (callId: string, more: Partial<CallRecord> = {}) => ({
  callId,
  toolCallId: callId,
  toolName: 'act',
  revision: 0,
  resumeMode: 'replay' as const,
  ...more,
})

/** A run with these calls, and one effect in its outbox. */
function runWith(
  calls: readonly ReturnType<typeof reserved>[],
  { isCommitted = false, readsTranscript }: { isCommitted?: boolean; readsTranscript?: boolean },
): LiveRun {
  const asked = new Map(isCommitted ? [] : [['key', { src: 'callModel' }]])
  const change = Object.assign(new Change(), { asked })
  const log = new RunLog([], 1, change)
  log.append(userMessage('Hi', 1), 1)
  for (const call of calls) log.reserve(call)
  const runner = { handlerOf: () => ({ readsTranscript }) }
  return { log, change, runner } as unknown as LiveRun
}

const calls = [reserved('1.a'), reserved('1.b', { placeholder: true }), reserved('1.c')]

test('CKP-03 refuses to commit an effect that reads the transcript while a call has no result', () => {
  expect(findBrokenPromise(runWith(calls, { readsTranscript: true }))).toBe(
    '"callModel" would read calls without a result: 1.a, 1.c.',
  )
})

test.each([
  ['an effect that was committed before', calls, { readsTranscript: true, isCommitted: true }],
  ['an effect that reads no transcript', calls, { readsTranscript: false }],
  ['an effect that says nothing of it', calls, {}],
  ['placeholders in all open slots', [reserved('1.b', { placeholder: true })], { readsTranscript: true }],
  ['no calls', [], { readsTranscript: true }],
])('CKP-03 accepts %s', (_, given, more) => {
  expect(findBrokenPromise(runWith(given, more))).toBeUndefined()
})

test('CKP-03 refuses to settle a call without a result', () => {
  const run = runWith([reserved('1.a')], {})
  run.log.replace({ ...run.log.requireCall('1.a'), status: 'succeeded' })
  expect(findBrokenPromise(run)).toBe('Call "1.a" would settle without a result.')
})
