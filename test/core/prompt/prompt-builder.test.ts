import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { compactionWish } from '../../../src/core/domain/compaction-wish.ts'
import {
  type AssistantMessage,
  type Message,
  type ToolResultMessage,
  userMessage,
} from '../../../src/core/domain/message.ts'
import { noUsage } from '../../../src/core/domain/usage.ts'
import { PromptBuilder } from '../../../src/core/prompt/prompt-builder.ts'

const callIds = ['a', 'b', 'c']

function assistant(ids: readonly string[], stopReason: 'stop' | 'error'): AssistantMessage {
  const content = ids.map((id) => ({ type: 'toolCall' as const, id, callId: id, name: 'tool', arguments: {} }))
  return { role: 'assistant', content, stopReason, model: 'm', provider: 'p', usage: noUsage, timestamp: 0 }
}

function result(callId: string, text: string): ToolResultMessage {
  return {
    role: 'toolResult',
    callId,
    toolCallId: callId,
    toolName: 'tool',
    content: [{ type: 'text', text }],
    isError: false,
    status: 'success',
    timestamp: 0,
  }
}

const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  fc.string().map((text) => userMessage(text, 0)),
  fc
    .tuple(fc.subarray(callIds), fc.constantFrom('stop' as const, 'error' as const))
    .map(([ids, stopReason]) => assistant(ids, stopReason)),
  fc.tuple(fc.constantFrom(...callIds), fc.string()).map(([callId, text]) => result(callId, text)),
  fc.constant<Message>({ role: 'extension', kind: 'note', data: null, timestamp: 0 }),
)

/** A transcript as it grows, and now and then has a message replaced or its end cut off. */
const anyHistory = fc.array(
  fc.record({
    add: fc.array(anyMessage, { maxLength: 4 }),
    replace: fc.option(fc.tuple(fc.nat(30), anyMessage), { nil: undefined, freq: 3 }),
    cut: fc.option(fc.nat(30), { nil: undefined, freq: 8 }),
  }),
  { maxLength: 8 },
)

test('RUN-10 builds the same prompt step by step as from the whole transcript', () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      const builder = new PromptBuilder()
      let messages: readonly Message[] = []
      for (const { add, replace, cut } of history) {
        messages = [...messages, ...add].slice(0, cut)
        if (replace !== undefined && replace[0] < messages.length) messages = messages.with(replace[0], replace[1])
        expect(builder.build(messages)).toEqual(new PromptBuilder().build(messages))
      }
    }),
    { numRuns: 2000 },
  )
})

test('RUN-10 processes unchanged messages only once', () => {
  const builder = new PromptBuilder()
  let reads = 0
  const counted = new Proxy(assistant(['a'], 'stop'), {
    get: (target, key, receiver) => {
      if (key === 'content') reads++
      return Reflect.get(target, key, receiver)
    },
  })
  const messages = [userMessage('Hi', 0), counted, result('a', 'done'), assistant([], 'stop')]
  builder.build(messages)
  const before = reads
  builder.build([...messages, userMessage('More', 0), assistant([], 'stop')])
  expect(reads).toBe(before)
})

test('CKP-03 gives every call one result, for any transcript', () => {
  const orphan = result('c', 'nobody asked')
  const prompt = new PromptBuilder().build([
    userMessage('Hi', 0),
    assistant(['a', 'b'], 'stop'),
    result('b', 'B'),
    orphan,
  ])
  expect(
    prompt.map((message) => (message.role === 'toolResult' ? [message.callId, message.content] : message.role)),
  ).toEqual([
    'user',
    'assistant',
    ['a', [{ type: 'text', text: '[Tool execution was interrupted before producing a result.]' }]],
    ['b', [{ type: 'text', text: 'B' }]],
  ])
})

test('AGT-01 leaves out failed and interrupted answers, with the results of their calls', () => {
  const said = userMessage('Hi', 0)
  const cut: AssistantMessage = { ...assistant(['a'], 'error'), stopReason: 'aborted' }
  const failed: AssistantMessage = { ...assistant([], 'error'), content: [{ type: 'text', text: 'Half' }] }
  const whole = assistant(['b'], 'stop')
  const transcript = [said, cut, result('a', 'one'), failed, whole, result('b', 'two')]
  expect(new PromptBuilder().build(transcript)).toEqual([said, whole, result('b', 'two')])
})

test("AGT-13 treats an application's message as a request for a smaller prompt only if its kind says so", () => {
  const note: Message = { role: 'extension', kind: 'note', data: null, timestamp: 0 }
  const builder = new PromptBuilder()
  const messages = [userMessage('Hi', 0), note, compactionWish(0), note]
  expect([builder.build(messages).length, builder.wishes]).toEqual([1, 1])
})
