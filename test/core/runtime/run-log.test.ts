import { expect, test } from 'vitest'
import type { CallRecord } from '../../../src/core/domain/call.ts'
import type { LogEntry } from '../../../src/core/domain/log.ts'
import { type AssistantMessage, type Message, userMessage } from '../../../src/core/domain/message.ts'
import { noUsage } from '../../../src/core/domain/usage.ts'
import { freezeDeep } from '../../../src/core/domain/text/json.ts'
import { Change } from '../../../src/core/runtime/change.ts'
import { RunLog } from '../../../src/core/runtime/run-log.ts'
import { say } from '../../../proof/support/say.ts'

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
const lines = (log: RunLog) => log.messages().map(say)

test('RUN-02 EVT-01 shows a stored result only in the slot of its call, late or not', () => {
  const settled: LogEntry = {
    kind: 'call',
    seq: 3,
    call: { ...call, status: 'succeeded', result: result('late'), resultSeq: 6 },
  }
  const published: LogEntry = { kind: 'message', seq: 6, message: result('late'), at: 1, turn: 1, place: 3 }
  const late = new RunLog([...stored.slice(0, 2), settled, ...stored.slice(3), published], 7)
  expect(lines(late)).toEqual(['user: Hi', 'assistant: ', 'result 1.a: late'])
  expect(late.state).toEqual({ a: 1 })
  expect(late.entries().map(({ seq }) => seq)).toEqual([1, 2, 3, 5, 6])
})

test('RUN-02 shows a late result that is published after a later answer only in its slot', () => {
  const settled: LogEntry = { kind: 'call', seq: 3, call: { ...call, status: 'succeeded', result: result('late') } }
  const log = new RunLog([...stored.slice(0, 2), settled, { kind: 'message', seq: 4, message: answer }], 5)
  log.apply([{ kind: 'tellLateResult', callId: '1.a' }], 2)
  const told = log.messages().map(({ role }) => role)
  expect(told).toEqual(['user', 'assistant', 'toolResult', 'assistant', 'user'])
  expect(lines(log)[2]).toBe('result 1.a: late')
})

test('CKP-04 passes new entries and changed calls to the next commit, once', () => {
  const change = new Change()
  const log = new RunLog(stored, 6, change)
  expect(change.isLogNew).toBe(false)
  log.append(answer, 2)
  log.reserve({ callId: '2.b', toolCallId: 'b', toolName: 'act', revision: 0, resumeMode: 'replay' })
  log.reserve({ callId: '2.c', toolCallId: 'c', toolName: 'act', revision: 0, resumeMode: 'replay' })
  expect(log.call('2.c')).toMatchObject({ seq: 8, messageSeq: 6, status: 'new' })
  log.setStatus('2.c', 'running')
  log.setStatus('1.a', 'resuming')
  log.setState({ b: 2 }, 2)
  change.answered.push({ id: 5, suspensionId: 's' })
  const { append, answered } = change
  const calls = log.touched()
  expect(append.map(({ kind, seq }) => [kind, seq])).toEqual([
    ['message', 6],
    ['call', 7],
    ['call', 8],
    ['state', 9],
  ])
  expect(append[2]).toMatchObject({ call: { status: 'running' } })
  expect(calls).toEqual([{ ...call, status: 'resuming' }])
  expect(answered).toEqual([{ id: 5, suspensionId: 's' }])
  expect(log.state).toEqual({ b: 2 })
  expect(change.isLogNew).toBe(true)
  change.clear()
  log.goOnAt(11)
  expect([change.isLogNew, log.nextSeq]).toEqual([false, 11])
  expect([change, log.touched()]).toEqual([new Change(), []])
  change.answered.push({ id: 6, suspensionId: 's' })
  expect(change.isLogNew).toBe(true)
})

test('CKP-04 stores a frozen value unchanged, and any other value as a frozen copy', () => {
  const log = new RunLog([], 1)
  const [own, other] = [freezeDeep(userMessage('Mine', 1)), userMessage('Yours', 1)]
  log.apply(
    [
      { kind: 'append', message: own },
      { kind: 'append', message: other },
    ],
    1,
  )
  expect(log.message(1)).toBe(own)
  expect(log.message(2)).not.toBe(other)
  expect([log.message(2), Object.isFrozen(log.message(2)), Object.isFrozen(other)]).toEqual([other, true, false])
  expect(() => log.apply([{ kind: 'value', name: 'output', value: { big: 1n } as never }], 1)).toThrow('not JSON')
})

test('RUN-02 counts the calls with neither result nor placeholder', () => {
  const log = new RunLog([...stored.slice(0, 2), { kind: 'call', seq: 3, call: { ...call, placeholder: false } }], 4)
  expect(log.openSlots).toBe(1)
  log.reserve({ callId: '1.b', toolCallId: 'b', toolName: 'act', revision: 0, resumeMode: 'replay' })
  expect(log.openSlots).toBe(2)
  log.replace({ ...log.requireCall('1.b'), result: result('done') })
  log.replace({ ...log.requireCall('1.a'), placeholder: true })
  expect(log.openSlots).toBe(0)
  expect(new RunLog(stored, 6).openSlots).toBe(0)
})

test('CKP-03 finds a call that would settle without a result, whether appended or changed', () => {
  const log = new RunLog(stored, 6)
  expect(log.findWithoutResult()).toBeUndefined()
  log.setStatus('1.a', 'failed')
  expect(log.findWithoutResult()).toMatchObject({ callId: '1.a', status: 'failed' })
  log.replace({ ...log.requireCall('1.a'), result: result('x') })
  expect(log.findWithoutResult()).toBeUndefined()
  log.reserve({ callId: '2.b', toolCallId: 'b', toolName: 'act', revision: 0, resumeMode: 'replay' })
  expect(log.findWithoutResult()).toBeUndefined()
  log.setStatus('2.b', 'cancelled')
  expect(log.findWithoutResult()).toMatchObject({ callId: '2.b' })
})

test('RUN-02 knows whether an answer follows an entry, and what the entry contains', () => {
  const log = new RunLog(stored, 6)
  expect([log.isReadByAnswer(1), log.isReadByAnswer(3)]).toEqual([true, false])
  expect(log.message(1)).toEqual(userMessage('Hi', 1))
  expect([log.message(3), log.message(9)]).toEqual([undefined, undefined])
  expect(() => log.requireCall('9.z')).toThrow(new Error('No call "9.z" in the log of this run.'))
  expect(log.take({ output: (seq: number) => seq, writes: [{ kind: 'note', text: 'n' }] }, 5)).toBe(6)
  expect(log.take({ output: 'plain' }, 5)).toBe('plain')
  expect(lines(log).at(-1)).toBe('user: n')
})

test('AGT-02 shows inherited entries in the transcript, and counts none of them as its own', () => {
  const asking = { type: 'toolCall', id: 'c', name: 'act', arguments: {} } as const
  const content = [asking, { ...asking, callId: '12.c' }, { ...asking, callId: '3.c' }]
  const carried: readonly LogEntry[] = [
    { kind: 'message', seq: 1, message: { ...answer, content } },
    { kind: 'message', seq: 2, message: userMessage('Stopped', 1) },
    { kind: 'state', seq: 3, state: { n: 1 } },
  ]
  const log = new RunLog(carried, 4, undefined, 3)
  expect([log.lastAnswerSeq(), log.lastAnswer(), log.places()]).toEqual([undefined, undefined, []])
  expect([log.messages().length, log.state, log.nextSeq]).toEqual([2, { n: 1 }, 4])
  expect([log.carriedTurns, new RunLog(carried, 4).carriedTurns]).toEqual([12, 0])
  log.append(userMessage('More', 2), 2)
  log.append(answer, 2)
  expect([log.lastAnswerSeq(), log.lastAnswer(), log.places()]).toEqual([5, answer, [4, 5]])
})

test('EVT-01 knows the last answer, and the positions of messages', () => {
  const second: CallRecord = { ...call, seq: 4, callId: '1.b', result: result('done') }
  const log = new RunLog(
    [
      ...stored.slice(0, 3),
      { kind: 'call', seq: 4, call: second },
      { kind: 'call', seq: 5, call: { ...call, seq: 5, callId: '0.h', messageSeq: 4, result: result('held') } },
    ],
    6,
  )
  expect(log.lastAnswerSeq()).toBe(2)
  expect(log.places()).toEqual([1, 2, 4, 5])
  expect(new RunLog([], 1).lastAnswerSeq()).toBeUndefined()
})
