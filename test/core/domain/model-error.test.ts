import { expect, test } from 'vitest'
import {
  classifyFailure,
  type FailureFacts,
  ModelError,
  type ModelErrorKind,
} from '../../../src/core/domain/model-error.ts'

const overflow = 'Sorry, your PROMPT is too long: 300,000 tokens'

test.each<[FailureFacts, ModelErrorKind]>([
  [{ status: 429, text: '' }, 'rate_limit'],
  [{ status: 400, text: overflow, marker: 'throttled' }, 'rate_limit'],
  [{ status: 400, text: overflow }, 'overflow'],
  [{ status: 413, text: overflow }, 'overflow'],
  [{ text: overflow, inStream: true }, 'overflow'],
  [{ status: 500, text: overflow }, 'network'],
  [{ status: 404, text: overflow }, 'api'],
  [{ status: 400, text: ' ' }, 'overflow'],
  [{ status: 413, text: '' }, 'overflow'],
  [{ status: 400, text: 'bad' }, 'api'],
  [{ text: '', inStream: true }, 'api'],
  [{ status: 401, text: '' }, 'auth'],
  [{ status: 403, text: '' }, 'auth'],
  [{ status: 402, text: '' }, 'api'],
  [{ status: 404, text: 'x', marker: 'overloaded' }, 'network'],
  [{ status: 408, text: '' }, 'network'],
  [{ status: 499, text: '' }, 'api'],
  [{ status: 500, text: '' }, 'network'],
  [{ status: 529, text: '' }, 'network'],
  [{ text: 'socket hang up' }, 'network'],
  [{ text: 'bad', inStream: true }, 'api'],
])('PRV-05 classifies %j as %s', (facts, kind) => {
  expect(classifyFailure(facts)).toBe(kind)
})

test.each([
  [undefined, undefined],
  [Number.NaN, undefined],
  [-1, 0],
  [5, 5],
  [3_600_000, 3_600_000],
  [3_600_001, 3_600_000],
  [Infinity, 3_600_000],
])('PRV-05 reads a wait of %s as %s', (retryAfterMs, heeded) => {
  const error = new ModelError('rate_limit', 'later', { status: 429, retryAfterMs })
  expect([error.kind, error.message, error.status, error.retryAfterMs]).toEqual(['rate_limit', 'later', 429, heeded])
})

test.each([
  'prompt is too long',
  'input is too long',
  'exceeds the context window',
  'exceeds the maximum',
  'maximum prompt length',
  'reduce the length of the messages',
  'maximum context length',
  'exceeds the limit of',
  'exceeds the available context size',
  'greater than the context length',
  'context window exceeds limit',
  'exceeded model token limit',
  'context length exceeded',
  'context_length_exceeded',
  'too many tokens',
  'token limit exceeded',
])('PRV-06 classifies "%s" as an overflow, inside a text and alone', (phrase) => {
  for (const text of [phrase, phrase.toUpperCase(), `Error: ${phrase}!`])
    expect(classifyFailure({ status: 400, text })).toBe('overflow')
  expect(classifyFailure({ status: 400, text: phrase.slice(1) })).toBe('api')
})

test('PRV-05 keeps the cause of a failure, and names none if there is none', () => {
  const cause = new Error('reset')
  expect(new ModelError('network', 'gone', { cause }).cause).toBe(cause)
  expect('cause' in new ModelError('network', 'gone')).toBe(false)
})

test.each([
  ['rateLimit', '"rateLimit"'],
  ['toString', '"toString"'],
  [undefined, 'a value of type undefined'],
  [{}, 'a value of type object'],
])('PRV-05 treats a failure of the unknown kind %j as api, and names the kind', (kind, named) => {
  const error = new ModelError(kind as ModelErrorKind, 'slow down', {
    status: '429' as never,
    retryAfterMs: '5' as never,
  })
  const known = 'rate_limit, network, auth, overflow, api, cancelled'
  expect([error.kind, error.status, error.retryAfterMs]).toEqual(['api', undefined, undefined])
  expect(error.message).toBe(
    `slow down (The kind of this ModelError is ${named}, which is unknown; it counts as "api". Known: ${known}.)`,
  )
})
