import { expect, test } from 'vitest'
import { lengthOf, type PassingEvent } from '../../../src/core/domain/passing-event.ts'

const head = { runId: 'r', subject: 's', at: 0, turn: 1 }

function partial(value: unknown): PassingEvent {
  const call = { callId: '1.a', toolCallId: 'a', toolName: 'act' }
  return { type: 'toolExecution.updated', ...head, ...call, partial: value }
}

test.each<[PassingEvent, number]>([
  [{ type: 'message.updated', ...head, delta: { type: 'text', delta: 'four' } }, 4],
  [{ type: 'progress.reported', runId: 'r', subject: 's', at: 0, callId: '1.a', toolName: 'act', text: 'three' }, 5],
  [partial({ a: 1 }), 7],
  [partial(null), 4],
  [partial(undefined), 0],
])('EVT-04 counts the characters of a live event: %#', (event, length) => {
  expect(lengthOf(event)).toBe(length)
})
