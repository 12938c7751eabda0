import { expect, test } from 'vitest'
import type { AssistantMessage } from '../../../../src/core/domain/message.ts'
import { noUsage } from '../../../../src/core/domain/usage.ts'
import { checkAnswer, checkEvent } from '../../../../src/core/effects/model/check-answer.ts'
import { scripted } from '../../../../src/adapters/providers/scripted.ts'

const model = { ...scripted([]), provider: 'p', id: 'm' }
const call = { type: 'toolCall', id: 'c', name: 'act', arguments: { n: 1 } }
const answer = { role: 'assistant', content: [{ type: 'text', text: 'Hi' }, call], stopReason: 'stop', usage: noUsage }
const check = (given: unknown) => checkAnswer(model, given as AssistantMessage)

test('PRV-09 copies and freezes an answer, and adds zeros if usage is missing', () => {
  const taken = check({ ...answer, usage: { input: 5 } })
  expect(taken).toEqual({ ...answer, usage: { ...noUsage, input: 5 } })
  expect(Object.isFrozen(taken.content)).toBe(true)
  for (const usage of [undefined, null, 7]) expect(check({ ...answer, usage }).usage).toEqual(noUsage)
  expect(check({ ...answer, role: 'user' }).role).toBe('assistant')
})

test('PRV-07 returns arguments that no store accepts to the model as malformed', () => {
  const malformed = (args: unknown) => check({ ...answer, content: [{ ...call, arguments: args }] }).content
  expect(malformed(1n)).toEqual([
    { ...call, arguments: {}, malformed: 'The value is not JSON: it contains a big integer.' },
  ])
  expect(malformed('x'.repeat(1_000_000))).toEqual([
    { ...call, arguments: {}, malformed: 'The value is too large: at most 1000000 bytes of JSON are accepted.' },
  ])
  expect(malformed({ at: new Date(0) })).toEqual([{ ...call, arguments: { at: '1970-01-01T00:00:00.000Z' } }])
})

const unreadable =
  'The model p/m gave an invalid answer. Expected { role: "assistant", content: [text, thinking or toolCall blocks] }.'

test.each<[unknown, string]>([
  [undefined, unreadable],
  ['Hi', unreadable],
  [{ ...answer, content: 'Hi' }, unreadable],
  [{ ...answer, content: [1] }, unreadable],
  [{ ...answer, content: [{ type: 'toolCall', id: 'c', name: 'act' }] }, unreadable],
  [{ ...answer, content: [{ type: 'image' }] }, unreadable],
  [{ ...answer, stopReason: 'error' }, 'The model p/m stopped with an error: it gave no reason'],
  [{ ...answer, stopReason: 'aborted' }, 'The model p/m stopped with an error: the answer was broken off'],
  [{ ...answer, stopReason: 'error', errorMessage: 'overloaded' }, 'The model p/m stopped with an error: overloaded'],
])('PRV-09 refuses invalid answer %# as an API error', (given, message) => {
  expect(() => check(given)).toThrow(expect.objectContaining({ name: 'ModelError', kind: 'api', message }))
})

test.each<[object, string]>([
  [{ stopReason: 'end_turn' }, 'stopReason "end_turn". Expected stop, length, toolUse, error, aborted.'],
  [{ model: 5 }, 'model 5. Expected a text.'],
  [{ provider: {} }, 'provider {}. Expected a text.'],
  [{ timestamp: 'now' }, 'timestamp "now". Expected unix milliseconds.'],
  [{ errorMessage: [1] }, 'errorMessage [1]. Expected a text.'],
  [{ executionUnits: -1 }, 'executionUnits -1. Expected a number of 0 or more.'],
  [{ usage: { input: 'many' } }, 'usage.input "many". Expected a number of 0 or more.'],
  [{ usage: { totalTokens: -5 } }, 'usage.totalTokens -5. Expected a number of 0 or more.'],
])('PRV-09 refuses an answer with %j, which no reader of a run could use', (more, found) => {
  const message = `The model p/m answered with ${found}`
  expect(() => check({ ...answer, ...more })).toThrow(expect.objectContaining({ kind: 'api', message }))
})

test.each([
  { type: 'text', text: 'Hi', providerData: 5 },
  { type: 'text', text: 'Hi', providerData: { provider: 'p', data: 1 } },
  { type: 'thinking', thinking: 'Hm.', signature: 5 },
  { ...call, malformed: 5 },
  { ...call, truncated: 'yes' },
])('PRV-09 refuses a block such as %j', (block) => {
  expect(() => check({ ...answer, content: [block] })).toThrow(unreadable)
})

test('PRV-05 refuses unsupported options that are not options of a request, and names each other one once', () => {
  const taken = (leftOut: unknown) => checkEvent(model, { type: 'finished', message: answer, leftOut } as never)
  const options = 'Expected a list of toolChoice, requiredCall, maxTokens, temperature, thinking, cache, output.'
  for (const bad of [[0n], ['seed'], 'cache', { length: 1 }, null])
    expect(() => taken(bad)).toThrow(`The model p/m gave an invalid event: its leftOut cannot be read. ${options}`)
  expect(taken(['output', 'cache', 'output'])).toMatchObject({ leftOut: ['cache', 'output'] })
  expect(taken(undefined)).not.toHaveProperty('leftOut')
})
