import { expect, test } from 'vitest'
import { type Grant, grantFor, granteesOf, hashOfCall, isGrantable } from '../../src/domain/grant.ts'
import { detailsIn } from '../../src/domain/run-details.ts'

const grant = (id: string, changes: Partial<Grant> = {}): Grant => ({
  id,
  agent: 'a',
  grantee: 'user:ann',
  scope: 'always',
  says: 'allow',
  toolName: 'act',
  definition: 'shown',
  runId: 'r',
  callId: 'c',
  at: 0,
  ...changes,
})
const once = grant('once', { scope: 'once', callHash: 'these', rule: 'other' })
const question = { callHash: 'these', definition: 'shown' }

test.each<[string, readonly Grant[], Parameters<typeof grantFor>[1], string | undefined]>([
  ['none', [], question, undefined],
  ['the one for needs', [grant('needs')], question, 'needs'],
  ['none for a rule where needs were asked', [grant('needs')], { ...question, rule: 'act' }, undefined],
  ['the one for the rule', [grant('needs'), grant('rule', { rule: 'act' })], { ...question, rule: 'act' }, 'rule'],
  ['none for needs where a rule asked', [grant('rule', { rule: 'act' })], question, undefined],
  ['none for another definition', [grant('needs'), once], { ...question, definition: 'new' }, undefined],
  ['the one for these arguments, whoever asks', [once], question, 'once'],
  ['none for other arguments', [once], { ...question, callHash: 'others' }, undefined],
  ['the lasting one before one that is used up', [once, grant('needs')], question, 'needs'],
  ['the denial before all', [once, grant('needs'), grant('denial', { says: 'deny' })], question, 'denial'],
])('PERM-04 of what was granted, a question finds %s', (_, grants, asked, found) => {
  expect(grantFor(grants, asked)?.id).toBe(found)
})

test('PERM-04 a run is granted to by its user, else by its access control, and always by itself', () => {
  const whose = (input: object) => granteesOf(detailsIn('r', { ...input }))
  expect(whose({})).toEqual(['run:r'])
  expect(whose({ userId: 'ann', accessControl: 1 })).toEqual(['user:ann', 'run:r'])
  const [left, right] = [whose({ accessControl: { a: 1, b: 2 } }), whose({ accessControl: { b: 2, a: 1 } })]
  expect(left).toEqual(right)
  expect(left).toEqual([expect.stringMatching(/^access:[0-9a-f]{32}$/), 'run:r'])
  expect(whose({ accessControl: { a: 2 } })).not.toEqual(left)
})

test('PERM-05 the hash of a call is that of its name and arguments, whatever the order of keys', () => {
  expect(hashOfCall('act', { a: 1, b: 2 })).toBe(hashOfCall('act', { b: 2, a: 1 }))
  expect(hashOfCall('act', { a: 1 })).not.toBe(hashOfCall('act', { a: 2 }))
  expect(hashOfCall('act', {})).not.toBe(hashOfCall('other', {}))
})

test.each([
  [{ suspension: { id: 's', reason: 'approval', definition: 'd' } }, true],
  [{ suspension: { id: 's', reason: 'approval' } }, false],
  [{ suspension: { id: 's', reason: 'plugin', definition: 'd' } }, false],
  [{ suspension: { id: 's', reason: 'approval', definition: 'd' }, isHold: true }, false],
  [{}, false],
] as const)('PERM-05 an answer may count for others where a rule or needs ask: %j', (call, is) => {
  expect(isGrantable(call)).toBe(is)
})
