import { expect, test } from 'vitest'
import { checkDecision } from '../../../src/core/domain/check-decision.ts'

const sound = { target: '1.a', action: 'resume' }
const half = '\ud800'

test('DEC-06 accepts a decision with every known field, and leaves the time of receipt to the store', () => {
  const decision = { ...sound, decisionId: 'd', mode: 'pass-to-tool', result: 0, reason: 'r', scope: 'once', by: 'me' }
  expect(checkDecision({ ...decision, at: 5 })).toEqual({ decision })
  expect(checkDecision({ ...sound, input: null })).toEqual({ decision: { ...sound, input: null } })
  expect(checkDecision({ ...sound, mode: undefined, reason: undefined })).toEqual({ decision: sound })
})

const expectedAction = 'expected "resume" or "cancel".'
const fields = 'A decision has target, decisionId, action, mode, input, result, reason, scope, by, at.'

test.each<[unknown, string, string]>([
  [[sound], '', 'A decision is an object { target, action, … }; got an array.'],
  [null, '', 'A decision is an object { target, action, … }; got null.'],
  ['yes', '', 'A decision is an object { target, action, … }; got yes.'],
  [
    {
      get target(): string {
        throw new Error('gone')
      },
    },
    '',
    'The decision could not be read: gone',
  ],
  [{ action: 'resume' }, '', 'A decision needs a "target": the id of a call or suspension.'],
  [{ ...sound, target: half }, half, '"target" contains half of a character.'],
  [{ target: '1.a' }, '1.a', `"action" is missing; ${expectedAction}`],
  [{ target: '1.a', action: 'go' }, '1.a', `"action" is "go"; ${expectedAction}`],
  [{ target: '1.a', action: null }, '1.a', `"action" is null; ${expectedAction}`],
  [{ target: '1.a', action: 7 }, '1.a', `"action" is number; ${expectedAction}`],
  [
    { target: '1.a', scope: 'ever' },
    '1.a',
    `"action" is missing; ${expectedAction} "scope" is "ever"; expected "once" or "run" or "family" or "always".`,
  ],
  [{ ...sound, mode: 'again' }, '1.a', '"mode" is "again"; expected "replay" or "use-as-result" or "pass-to-tool".'],
  [{ ...sound, reason: 5 }, '1.a', '"reason" is number; expected a string.'],
  [{ ...sound, by: ['me'] }, '1.a', '"by" is object; expected a string.'],
  [{ ...sound, decisionId: '' }, '1.a', '"decisionId" is empty; leave it out or give it a value.'],
  [{ ...sound, decisionId: half }, '1.a', '"decisionId" contains half of a character; leave it out.'],
  [{ ...sound, input: undefined }, '1.a', '"input" has no value.'],
  [{ ...sound, result: undefined }, '1.a', '"result" has no value.'],
  [{ ...sound, inputs: 1 }, '1.a', '"inputs" is not a field of a decision. Did you mean "input"?'],
  [{ ...sound, whatever: 1 }, '1.a', `"whatever" is not a field of a decision. ${fields}`],
  [{ ...sound, ['x'.repeat(101)]: 1 }, '1.a', `"${'x'.repeat(100)}" is not a field of a decision. ${fields}`],
  [{ ...sound, action: 'cancel', mode: 'replay' }, '1.a', '"cancel" reads no "mode"; say why in "reason".'],
  [
    { ...sound, action: 'cancel', input: 1, result: 2 },
    '1.a',
    '"cancel" reads no "input"; say why in "reason". "cancel" reads no "result"; say why in "reason".',
  ],
  [
    { ...sound, mode: 'replay', result: 1 },
    '1.a',
    'A replayed call takes no "result". To give its result, answer with "respond".',
  ],
  [
    { ...sound, mode: 'use-as-result', input: 1 },
    '1.a',
    'A call whose result is given takes no "input". To run it with other arguments, answer with "edit".',
  ],
  [
    { ...sound, mode: 'pass-to-tool', input: 1 },
    '1.a',
    'A call that receives a value takes no "input". To give the value, answer with "pass".',
  ],
  [{ ...sound, input: () => 1 }, '1.a', '"input" is not JSON: it is a function.'],
])('DEC-06 explains what is wrong with decision %#', (item, target, problem) => {
  expect(checkDecision(item)).toEqual({ target, problem })
})

test('DEC-06 accepts exactly a million bytes in total, and no more', () => {
  const bytes = 1_000_000
  const empty = Buffer.byteLength(JSON.stringify('1.a') + JSON.stringify('resume') + JSON.stringify({ t: '' }))
  const decision = (spare: number) => ({ ...sound, input: { t: 'x'.repeat(bytes - empty + spare) } })
  expect(checkDecision(decision(0))).toEqual({ decision: decision(0) })
  expect(checkDecision(decision(1))).toEqual({
    target: '1.a',
    problem: `The decision has ${bytes + 1} bytes; at most ${bytes} are accepted.`,
  })
})
