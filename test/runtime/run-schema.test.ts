import { expect, test } from 'vitest'
import { runMigrations } from '../../machines/run/run.schema.ts'

const step = <Actor extends object>(snapshot: Actor, src: string) => runMigrations[1].document({ src, snapshot })
const plan = { reason: 'stopped', code: 'max_turns', note: '[Agent stopped: maximum number of turns reached]' }
const asked = { reason: 'plugin_requested' }
const made = (outcome: object, more: object = {}) => ({ kind: 'made', outcome, ...more })

test.each<[string, object, object]>([
  ['nothing known', { turn: 1 }, { turn: 1 }],
  ['nothing known, with nulls', { plannedOutcome: null, outcome: null, cancelNote: null }, {}],
  ['a plan', { plannedOutcome: plan }, { ending: { kind: 'planned', plan } }],
  [
    'a last call',
    { plannedOutcome: asked, isFinishing: true },
    { ending: { kind: 'planned', plan: asked }, isLastCall: true },
  ],
  ['a wait', { outcome: { reason: 'suspended' } }, { ending: made({ reason: 'suspended' }) }],
  [
    'a wait with a plan',
    { outcome: { reason: 'suspended' }, plannedOutcome: plan },
    { ending: made({ reason: 'suspended' }, { plan }) },
  ],
  [
    'a stop with its note',
    { outcome: { reason: 'stopped', code: 'max_turns' }, plannedOutcome: plan },
    { ending: made({ reason: 'stopped', code: 'max_turns' }, { note: plan.note }) },
  ],
  ['an end whose plan is spent', { outcome: asked, plannedOutcome: asked }, { ending: made(asked) }],
  [
    'a cancel with its note',
    { outcome: { reason: 'cancelled' }, cancelNote: '[Run cancelled.]' },
    { ending: made({ reason: 'cancelled' }, { note: '[Run cancelled.]' }) },
  ],
  [
    'an error behind a cancel',
    { outcome: { reason: 'error' }, cancelNote: '[Run cancelled.]' },
    { ending: made({ reason: 'error' }) },
  ],
])('CKP-07 a run of schema 1 with %s says so in its ending', (_, context, forward) => {
  expect(step({ value: 'waiting', context: { ...context } }, 'root')).toEqual({ value: 'waiting', context: forward })
})

test.each<[unknown, unknown]>([
  ['waiting', 'waiting'],
  ['done', 'done'],
  [{ running: { turn: 'callingModel' } }, { running: { turn: 'callingModel' } }],
  [{ running: { opening: 'startingRun' } }, { running: { opening: 'startingRun' } }],
  [{ running: { turn: 'filteringQueued' } }, { running: { turn: { before: 'filteringQueued' } } }],
  [{ running: { turn: 'startingStep' } }, { running: { turn: { before: 'startingStep' } } }],
  [{ running: { turn: 'preparingInference' } }, { running: { turn: { before: 'preparingInference' } } }],
  [{ running: { turn: 'askingBeforeTurn' } }, { running: { turn: { before: 'askingBeforeTurn' } } }],
  [{ running: { turn: 'reviewingAnswer' } }, { running: { turn: { after: 'reviewingAnswer' } } }],
  [{ running: { turn: 'endingStep' } }, { running: { turn: { after: 'endingStep' } } }],
  [{ running: { turn: 'holdingRun' } }, { running: { turn: { after: 'holdingRun' } } }],
  [{ running: { turn: 'askingAfterTurn' } }, { running: { turn: { ended: 'askingAfterTurn' } } }],
  [{ running: { closing: 'tellingError' } }, { running: { closing: { telling: 'tellingError' } } }],
  [{ running: { closing: 'runningEnd' } }, { running: { closing: { telling: 'runningEnd' } } }],
  [{ running: { closing: 'askingAfterLoop' } }, { running: { closing: 'askingAfterLoop' } }],
])('CKP-07 a run of schema 1 in %j goes on in %j', (value, forward) => {
  const children = { stepStart: { src: 'runPhase' } }
  expect(step({ value, children }, 'root')).toEqual({ value: forward, children })
})

test('CKP-07 the calls of a run of schema 1 are as they were', () => {
  const call = { value: { running: 'executing' }, context: { outcome: { reason: 'x' } } }
  expect(step(call, 'toolCall')).toBe(call)
})
