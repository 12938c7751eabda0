import { expect, test } from 'vitest'
import { checkedChanges, checkedMessage, checkedTicket } from '../../../../src/core/effects/plugins/plain-input.ts'

const changesWish = 'Expected [{ path, value? }] with a list of keys as path and JSON as value.'
const ticketWish = 'Expected { reason?, message?, parameters?, responseSchema?, expiresAt? }.'
const keys = (count: number) => Array.from({ length: count }, () => 'a')

/** An object in an object, so many times. */
function nested(depth: number): unknown {
  return depth === 0 ? 0 : { a: nested(depth - 1) }
}

test('RUN-11 copies changes as plain JSON: set and remove, up to the maximum depth of a state', () => {
  const path = ['a', 'b']
  const [set, removed] = checkedChanges([{ path, value: { at: new Date(0) }, note: 1 }, { path: ['c'] }])
  path.push('c')
  expect(set).toEqual({ path: ['a', 'b'], value: { at: '1970-01-01T00:00:00.000Z' } })
  expect(removed).toEqual({ path: ['c'] })
  expect(checkedChanges([{ path: keys(200), value: 1 }])).toHaveLength(1)
  expect(checkedChanges([{ path: keys(2), value: nested(198) }])).toHaveLength(1)
})

test.each<[unknown, string]>([
  [{ path: [] }, `The changes are not a list. ${changesWish}`],
  [[1], `A change is not an object. ${changesWish}`],
  [[{ value: 1 }], `The path undefined is not a list of keys. ${changesWish}`],
  [[{ path: 'a' }], `The path "a" is not a list of keys. ${changesWish}`],
  [[{ path: ['a', 1] }], `The path ["a",1] is not a list of keys. ${changesWish}`],
  [[{ path: keys(201) }], 'A path has 201 keys. Expected at most 200.'],
  [[{ path: ['a', '__proto__'] }], 'State path holds "__proto__", which is refused. Use another key.'],
  [[{ path: ['a'], value: () => 1 }], 'The value for ["a"] is not JSON: it is a function.'],
  [
    [{ path: keys(2), value: nested(199) }],
    'The value for ["a","a"] is nested more than 200 objects and lists deep, or contains itself.',
  ],
])('RUN-11 refuses changes %# with what was expected', (changes, message) => {
  expect(() => checkedChanges(changes)).toThrow(new TypeError(message))
})

test('DEC-05 accepts a ticket with a time, and one that never expires', () => {
  const ticket = { reason: 'input', message: 'How many?', parameters: { unit: 'kg' } }
  expect(checkedTicket({ ...ticket, expiresAt: 5 })).toEqual({ ...ticket, expiresAt: 5 })
  for (const expiresAt of [undefined, Infinity]) expect(checkedTicket({ ...ticket, expiresAt })).toEqual(ticket)
})

test.each<[unknown, string]>([
  ['wait', `The ticket is not an object. ${ticketWish}`],
  [{ reason: 1 }, `The ticket is invalid. ${ticketWish}`],
  [{ message: null }, `The ticket is invalid. ${ticketWish}`],
  [{ toJSON: () => 1 }, `The ticket is invalid. ${ticketWish}`],
  [{ parameters: 1n }, 'The ticket is not JSON: it contains a big integer.'],
  [{ expiresAt: Number.NaN }, 'The ticket expires at NaN. Expected Unix milliseconds, or nothing for never.'],
  [{ expiresAt: -Infinity }, 'The ticket expires at -Infinity. Expected Unix milliseconds, or nothing for never.'],
  [{ expiresAt: '5' }, 'The ticket expires at 5. Expected Unix milliseconds, or nothing for never.'],
])('DEC-05 refuses ticket %# with what was expected', (ticket, message) => {
  expect(() => checkedTicket(ticket)).toThrow(new TypeError(message))
})

const text = { type: 'text', text: 'Hi' }
const image = { type: 'image', data: '', mimeType: 'image/png' }
const call = { type: 'toolCall', id: 'c', name: 'act', arguments: {} }
const result = { role: 'toolResult', callId: '1.c', toolCallId: 'c', toolName: 'act', content: [text] }

test.each<[object]>([
  [{ role: 'user', content: [text, image] }],
  [{ role: 'user', content: [] }],
  [{ role: 'assistant', content: [text, call, { type: 'thinking', thinking: '' }] }],
  [result],
  [{ role: 'extension', kind: 'k', data: null }],
])('PH-01 accepts message %# of a plugin', (message) => {
  expect(checkedMessage(message)).toEqual(message)
})

test.each<[object]>([
  [{ role: 'user', content: 'Hi' }],
  [{ role: 'user', content: [call] }],
  [{ role: 'user', content: [{ ...image, data: 1 }] }],
  [{ role: 'user', content: [{ type: 'image', data: '' }] }],
  [{ role: 'user', content: [{ type: 'text' }] }],
  [{ role: 'user', content: [null] }],
  [{ role: 'assistant', content: [image] }],
  [{ role: 'assistant', content: [text, image] }],
  [{ role: 'user', content: [text, call] }],
  [{ role: 'assistant', content: [{ ...call, id: 1 }] }],
  [{ role: 'assistant', content: [{ ...call, name: 1 }] }],
  [{ role: 'assistant', content: [{ type: 'toolCall', id: 'c', name: 'act' }] }],
  [{ role: 'assistant', content: [{ type: 'thinking' }] }],
  [{ role: 'assistant', content: [{ type: 'text', text: 1 }] }],
  [{ ...result, content: [call] }],
  [{ ...result, callId: 1 }],
  [{ ...result, toolName: undefined }],
  [{ role: 'extension', kind: 'k' }],
  [{ role: 'extension', kind: 1, data: null }],
  [{ role: 'system', content: [text] }],
  [[result]],
])('PH-01 refuses message %# of a plugin', (message) => {
  const wish = 'Expected one of role user, assistant or toolResult with a list of blocks as content'
  expect(() => checkedMessage(message)).toThrow(
    new TypeError(`The message is invalid. ${wish}, or of role extension with kind and data.`),
  )
})

test.each([
  [undefined, 'The message is not JSON: it is undefined.'],
  [() => 1, 'The message is not JSON: it is a function.'],
  [Symbol('s'), 'The message is not JSON: it is a symbol.'],
])('PH-01 describes a message that is not JSON: %#', (message, problem) => {
  expect(() => checkedMessage(message)).toThrow(new TypeError(problem))
})
