import { expect, test } from 'vitest'
import {
  type Grant,
  granteesOf,
  type GrantQuestion,
  grantsFor,
  hashOfCall,
  isGrantable,
} from '../../../src/core/domain/grant.ts'
import { detailsIn } from '../../../src/core/domain/run-details.ts'

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
const both = [grant('first', { rule: 'first' }), grant('second', { rule: 'second' })]
const denial = grant('denial', { says: 'deny' })
const asked = (...rules: readonly (string | undefined)[]) => rules.map((rule) => ({ asker: 'a', rule }))
const question = { callHash: 'these', definition: 'shown', asking: asked(undefined) }
const byBoss = { asker: 'boss', rule: 'act' }

test.each<[string, readonly Grant[], Partial<GrantQuestion>, readonly string[] | string]>([
  ['nothing of none', [], {}, 'open needs'],
  ['the needs', [grant('needs')], {}, ['needs']],
  ['no rule by needs', [grant('needs')], { asking: asked('act') }, 'open act'],
  ['a rule', [grant('needs'), grant('rule', { rule: 'act' })], { asking: asked('act') }, ['rule']],
  ['no needs by a rule', [grant('rule', { rule: 'act' })], {}, 'open needs'],
  ['no other definition', [grant('needs'), once], { definition: 'new' }, 'open needs'],
  ['these arguments by what was said of them, whoever asks', [once], { asking: asked('first', undefined) }, ['once']],
  ['no other arguments by what was said of these', [once], { callHash: 'others' }, 'open needs'],
  ['the question by a lasting one before one that is used up', [once, grant('needs')], {}, ['needs']],
  ['the question by a denial before all', [once, grant('needs'), denial], {}, ['denial']],
  ['two rules by a grant for each', both, { asking: asked('second', 'first') }, ['second', 'first']],
  ['two rules by no grant for one', both.slice(1), { asking: asked('second', 'first') }, 'open first'],
  ['a rule and the needs by no grant for the rule', both, { asking: asked('first', undefined) }, 'open needs'],
  ['two questions by a denial of one', [...both, denial], { asking: asked('first', undefined) }, ['denial']],
  [
    'an unclear question by no lasting grant',
    [...both, denial],
    { asking: asked('first'), isUnclear: true },
    'open first',
  ],
  [
    'an unclear question by what was said of these arguments',
    [...both, once],
    { asking: asked('first'), isUnclear: true },
    ['once'],
  ],
  ['no rule of another agent', [grant('own', { rule: 'act' })], { asking: [byBoss] }, 'open act'],
  ['the rule of the agent that asked', [grant('boss', byBoss)], { asking: [byBoss] }, ['boss']],
  ['no rule of its own by one of another agent', [grant('boss', byBoss)], { asking: asked('act') }, 'open act'],
  [
    'one rule of two agents by no grant for one',
    [grant('boss', byBoss)],
    { asking: [byBoss, ...asked('act')] },
    'open act',
  ],
])('PERM-04 a grant answers %s', (_, grants, about, found) => {
  const granted = grantsFor(grants, { ...question, ...about })
  expect('by' in granted ? granted.by.map(({ id }) => id) : `open ${granted.open?.rule ?? 'needs'}`).toEqual(found)
})

test("PERM-04 grants belong to a run's user, or else its access control, and always to the run itself", () => {
  const whose = (input: object) => granteesOf(detailsIn('r', { ...input }))
  expect(whose({})).toEqual(['run:r'])
  expect(whose({ userId: 'ann', accessControl: 1 })).toEqual(['user:ann', 'run:r'])
  const [left, right] = [whose({ accessControl: { a: 1, b: 2 } }), whose({ accessControl: { b: 2, a: 1 } })]
  expect(left).toEqual(right)
  expect(left).toEqual([expect.stringMatching(/^access:[0-9a-f]{32}$/), 'run:r'])
  expect(whose({ accessControl: { a: 2 } })).not.toEqual(left)
})

test('PERM-05 the hash of a call depends on its name and arguments, not on the order of keys', () => {
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
] as const)('PERM-05 an answer becomes a grant only if a rule or a need asked: %j', (call, is) => {
  expect(isGrantable(call)).toBe(is)
})
