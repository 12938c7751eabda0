import { expect, test } from 'vitest'
import { parseAnswer } from '../../../src/core/domain/parse-answer.ts'

const resume = { action: 'resume' }
const cancel = { action: 'cancel' }

test.each([
  ['No', cancel],
  ['nope', undefined],
  [{ approved: false }, cancel],
  [{ status: 'Denied' }, cancel],
  [null, undefined],
  [0, undefined],
  [true, resume],
  ['ok', resume],
  [{}, undefined],
])('CLI-01 S24 reads %j as %j', (answer, expected) => {
  expect(parseAnswer(answer)).toEqual(expected)
})

test.each(['true', 'yes', 'y', 'ok', 'approve', 'approved', 'allow', 'accept', 'confirm'])(
  'CLI-01 reads %j, trimmed and in any case, as a yes',
  (word) => {
    for (const text of [word, word.toUpperCase(), ` ${word}\n`]) expect(parseAnswer(text)).toEqual(resume)
  },
)

const cancelWords = 'false no n denied deny reject rejected cancel canceled cancelled abort aborted'.split(' ')

test.each(cancelWords)('CLI-01 reads %j, as a word, a true flag, status, decision or action, as a no', (word) => {
  const answers = [
    word,
    word.toUpperCase(),
    `\t${word} `,
    { [word]: true },
    { status: word },
    { decision: ` ${word.toUpperCase()}` },
    { action: word },
  ]
  for (const answer of answers) expect(parseAnswer(answer)).toEqual(cancel)
})

test.each([
  [false, cancel],
  [{ approved: true }, resume],
  [
    { approved: true, reason: 'fine' },
    { action: 'resume', reason: 'fine' },
  ],
  [
    { approved: false, message: 'too late' },
    { action: 'cancel', reason: 'too late' },
  ],
  [
    { denied: true, error: 'broken' },
    { action: 'cancel', reason: 'broken' },
  ],
  [
    { approved: false, error: 'third', message: 'second', reason: 'first' },
    { action: 'cancel', reason: 'first' },
  ],
  [
    { approved: false, reason: ' ', message: 7, error: 'said' },
    { action: 'cancel', reason: 'said' },
  ],
  [{ approved: false, reason: '' }, cancel],
  [{ approved: true, denied: true }, cancel],
  [{ approved: true, status: 'rejected' }, cancel],
])('CLI-01 reads %j as %j', (answer, expected) => {
  expect(parseAnswer(answer)).toEqual(expected)
})

test.each([
  undefined,
  '',
  ' ',
  'yes please',
  'no.',
  'sure',
  '1',
  1,
  Number.NaN,
  [],
  [true],
  ['yes'],
  { approved: 'true' },
  { approved: 1 },
  { approved: null },
  { yes: true },
  { status: 'approved' },
  { decision: 'accept' },
  { denied: false },
  { denied: 'true' },
  { status: { denied: true } },
  { reason: 'no' },
  '{"approved":true}',
])('CLI-01 reads no decision in %j', (answer) => {
  expect(parseAnswer(answer)).toBeUndefined()
})
