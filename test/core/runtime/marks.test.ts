import { expect, test } from 'vitest'
import type { CallRecord } from '../../../src/core/domain/call.ts'
import { EngineError } from '../../../src/core/domain/engine-error.ts'
import type { MarkedEvent } from '../../../src/core/domain/marked-event.ts'
import { eventOf } from '../../../src/core/domain/event-of.ts'
import type { LogEntry } from '../../../src/core/domain/log.ts'
import { type AssistantMessage, type Message, userMessage } from '../../../src/core/domain/message.ts'
import { noUsage } from '../../../src/core/domain/usage.ts'
import { Change } from '../../../src/core/runtime/change.ts'
import type { Announced } from '../../../src/core/runtime/drive-options.ts'
import { newEntries } from '../../../src/core/runtime/new-entries.ts'
import { RunLog } from '../../../src/core/runtime/run-log.ts'

const answer: AssistantMessage = {
  role: 'assistant',
  content: [],
  stopReason: 'stop',
  model: 'm',
  provider: 'p',
  usage: noUsage,
  timestamp: 1,
}
const result = (text: string): Extract<Message, { role: 'toolResult' }> => ({
  role: 'toolResult',
  callId: '1.a',
  toolCallId: 'a',
  toolName: 'act',
  content: [{ type: 'text', text }],
  isError: false,
  status: 'success',
  timestamp: 1,
})
const call: CallRecord = {
  seq: 3,
  callId: '1.a',
  toolCallId: 'a',
  toolName: 'act',
  messageSeq: 2,
  status: 'suspended',
  revision: 0,
  resumeMode: 'replay',
  placeholder: true,
}
const stored: readonly LogEntry[] = [
  { kind: 'message', seq: 1, message: userMessage('Hi', 1) },
  { kind: 'message', seq: 2, message: answer },
  { kind: 'call', seq: 3, call },
  { kind: 'checkpoint', seq: 4, names: [], document: '', at: 1 },
  { kind: 'state', seq: 5, state: { a: 1 } },
]
/** A run between its first answer and the results of its two calls, and what the next commit holds. */
function inRound() {
  const change = new Change()
  const entries = stored.slice(0, 2)
  const log = new RunLog(entries, 3, change)
  log.marks.standing = { turn: 1, isOpen: true, answerSeq: 2 }
  log.reserve({ callId: '1.a', toolCallId: 'a', toolName: 'act', revision: 0, resumeMode: 'replay' })
  log.reserve({ callId: '1.b', toolCallId: 'b', toolName: 'act', revision: 0, resumeMode: 'replay' })
  const settle = (callId: string, text = callId) =>
    log.replace({ ...log.requireCall(callId), status: 'succeeded', result: { ...result(text), callId } })
  const parts = { log, origin: { subject: 'r', agent: 'test', metadata: {} }, context: {} }
  const toEvent = ({ announcement }: Announced) => announcement as MarkedEvent
  const told = (): readonly string[] => {
    log.marks.markCalls(9)
    return newEntries(change, { ...parts, toEvent }).flatMap((entry) => {
      const event = eventOf(entry, { runId: 'r', subject: 'r' })
      if (event === undefined) return []
      if (event.type === 'message.ended') return `${event.seq} message at ${event.place} of ${event.turn}`
      if (event.type === 'call.settled') return `${event.seq} settled ${event.callId}`
      if (event.type === 'call.suspended') return `${event.seq} suspended ${event.call.callId}`
      return `${event.seq} ${event.type}`
    })
  }
  return { log, change, settle, told }
}

test('EVT-01 publishes results at a checkpoint, in the order of their slots, after the marks of their calls', () => {
  const { log, change, settle, told } = inRound()
  settle('1.b')
  settle('1.a')
  expect(log.requireCall('1.a').resultSeq).toBeUndefined()
  log.checkpoint('ToolResultsCommitted', 5)
  log.marks.announce({ type: 'turn.ended' }, 5)
  expect(told()).toEqual([
    '5 settled 1.a',
    '6 settled 1.b',
    '7 message at 3 of 1',
    '8 message at 4 of 1',
    '9 turn.ended',
  ])
  expect([log.requireCall('1.a').resultSeq, log.requireCall('1.b').resultSeq]).toEqual([7, 8])
  change.clear()
  log.goOnAt(11)
  log.checkpoint('UserMessage', 6)
  expect(change.append).toEqual([])
})

test('EVT-04 a process that takes over publishes what its predecessor has not', () => {
  const { log, settle } = inRound()
  settle('1.a')
  settle('1.b')
  const change = new Change()
  const next = new RunLog(log.entries(), 5, change)
  next.checkpoint('ToolResultsCommitted', 7)
  expect(change.append).toMatchObject([
    { seq: 5, place: 3, at: 7 },
    { seq: 6, place: 4 },
  ])
  const last = new RunLog(next.entries(), 8, new Change())
  last.checkpoint('UserMessage', 8)
  expect(last.nextSeq).toBe(8)
})

test('EVT-01 refuses to change a published result', () => {
  const { log, settle } = inRound()
  settle('1.a')
  log.publish(5)
  expect(() => log.apply([{ kind: 'amend', callId: '1.a', text: 'again' }], 6)).toThrow(
    new EngineError('The result of call "1.a" was changed after it had been published.'),
  )
})

test('EVT-01 marks a call once for each commit, and leaves a mark without events empty', () => {
  const { log, change, told } = inRound()
  log.setStatus('1.a', 'suspended')
  log.marks.announce({ type: 'turn.ended' }, 5)
  log.setStatus('1.a', 'resuming')
  log.setStatus('1.b', 'suspended')
  expect(told()).toEqual(['6 turn.ended', '7 suspended 1.b'])
  expect(change.append.map(({ kind, seq }) => [kind, seq]).slice(2)).toEqual([
    ['mark', 5],
    ['mark', 6],
    ['mark', 7],
  ])
})

test('EVT-01 a later state in a commit replaces the earlier one', () => {
  const { log, change } = inRound()
  log.setState({ n: 1 }, 4)
  log.append(userMessage('More', 5), 5)
  log.setState({ n: 2 }, 6)
  expect(log.state).toEqual({ n: 2 })
  expect(change.append.filter(({ kind }) => kind === 'state')).toEqual([
    { kind: 'state', seq: 5, state: { n: 2 }, at: 6 },
  ])
})

test('EVT-01 a message sent between turns belongs to the next turn', () => {
  const { log, told } = inRound()
  log.marks.announce({ type: 'turn.ended' }, 5)
  log.append(userMessage('And Bergen?', 5), 5)
  log.marks.announce({ type: 'turn.started', turn: 2 }, 5)
  log.append(userMessage('Be brief.', 5), 5)
  log.append(answer, 5)
  expect(told()).toEqual([
    '5 turn.ended',
    '6 message at 6 of 2',
    '7 turn.started',
    '8 message at 8 of 2',
    '9 message at 9 of 2',
  ])
})

test('EVT-01 puts a late result after the waiting results, and its note after it', () => {
  const { log, change, settle, told } = inRound()
  log.replace({ ...log.requireCall('1.a'), status: 'suspended', placeholder: true })
  log.append(answer, 5)
  change.clear()
  settle('1.a')
  settle('1.b')
  log.apply([{ kind: 'tellLateResult', callId: '1.a' }], 6)
  expect(told().map((line) => line.replace(/^\d+ /, ''))).toEqual([
    'settled 1.a',
    'settled 1.b',
    'message at 4 of 1',
    'message at 3 of 1',
    `message at ${log.nextSeq - 1} of 1`,
  ])
})

test('CKP-03 refuses a slot that does not follow its answer', () => {
  const { log } = inRound()
  log.marks.add({ type: 'run.resumed' }, 5)
  expect(() =>
    log.reserve({ callId: '1.c', toolCallId: 'c', toolName: 'act', revision: 0, resumeMode: 'replay' }),
  ).toThrow(new EngineError('The slot of call "1.c" does not follow its answer.'))
})
