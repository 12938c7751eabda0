import { getAdjacencyMap } from '@xstate/graph'
import { describe, expect, test } from 'vitest'
import { configurations } from '../../src/testing/charts/configurations.ts'
import { explore } from '../../src/testing/charts/explore.ts'
import { invariants } from '../../src/testing/charts/invariants.ts'
import { type Defect, plantDefect } from '../../proof/charts/plant-defect.ts'

const strayReplay: Defect = {
  kind: 'retarget',
  transition: 'toolCall new.queued call.start 1',
  to: '#toolCall.resuming',
}
const emptyRound: Defect = { kind: 'mute', transition: 'run running.turn.committingTurn always 2' }
const runsSkipped: Defect = {
  kind: 'retarget',
  transition: 'toolCall new call.skip 1',
  to: '#toolCall.running.executing',
}
const runsCancelled: Defect = {
  kind: 'retarget',
  transition: 'toolCall new call.cancel 1',
  to: '#toolCall.running.executing',
}
const forgetsKept: Defect = { kind: 'mute', transition: 'toolCall new call.keep 1' }

/** For each rule of the oracle, a defect it alone or among others must see, and where. */
const plants: readonly (readonly [rule: string, defect: Defect, configuration: string])[] = [
  ['nothing is stuck', { kind: 'drop', transition: 'run running.closing.settlingCalls always 1' }, 'text only'],
  ['only allowed edges', strayReplay, 'sequential'],
  ['every move of a call has a cause', strayReplay, 'sequential'],
  ['a tool runs only in running', { kind: 'mute', transition: 'toolCall suspended.decided call.resume 1' }, 'one call'],
  [
    'the waiting rule lets the run go on',
    { kind: 'drop', transition: 'run running.resumeGate.judging always 1' },
    'one call',
  ],
  ['every outcome takes effect', forgetsKept, 'one call, watched and decided early'],
  ['kept decisions answer the first suspension', forgetsKept, 'one call, watched and decided early'],
  ['no child is left over', emptyRound, 'phases of the loop'],
  ['calls that may start have started', emptyRound, 'phases of the loop'],
  ['exactly one result', emptyRound, 'phases of the loop'],
  ['a prompt is whole', emptyRound, 'phases of the loop'],
  ['checkpoints come in order', emptyRound, 'phases of the loop'],
  ['a cancelled call is cancelled', emptyRound, 'phase runEnd alone'],
  ['calls start in order', runsSkipped, 'sequential, decided at the gate'],
  ['state changes are applied once', runsSkipped, 'batches of two'],
  ['results say why', runsSkipped, 'batches of two'],
  ['no end is missed', runsSkipped, 'batches of two'],
  ['the waiting rule makes the run wait', runsSkipped, 'batches of two'],
  ['the reason is what happened', runsSkipped, 'batches of two'],
  ['endings are written down', runsSkipped, 'batches of two'],
  ['limits hold', { kind: 'drop', transition: 'run running.turn.checkingLimits always 3' }, 'limit that is finish'],
  [
    'model calls follow the rules of retries',
    { kind: 'drop', transition: 'run running.turn.checkingLimits always 3' },
    'limit that is finish',
  ],
  [
    'credentials are refreshed once',
    { kind: 'mute', transition: 'modelCall calling done(callModel) 5' },
    'credentials refused',
  ],
  ['the engine holds', { kind: 'unguard', transition: 'run (root) call.cancelRequested 1' }, 'text only'],
  ['strays change nothing', { kind: 'unguard', transition: 'run (root) call.cancelRequested 1' }, 'text only'],
  [
    'what happens is told',
    { kind: 'idle entry', chart: 'run', state: 'running.turn.endingTurn' },
    'hook afterTurn alone',
  ],
  ['phases are heard', { kind: 'unguard', transition: 'run running.turn.after.afterModel always 1' }, 'text only'],
  [
    'reviews follow every outcome',
    { kind: 'retarget', transition: 'toolCall new.judging always 3', to: '#toolCall.succeeded' },
    'one call, watched and decided early',
  ],
  ['turns are committed', runsCancelled, 'phases of the loop'],
  ['no effect outlives its state', runsCancelled, 'phases of the loop'],
  ['a wait does not count', { kind: 'idle entry', chart: 'run', state: 'waiting' }, 'one call'],
  [
    'the running time ends what is in flight',
    { kind: 'drop', transition: 'run running.toolRound.executing always 2' },
    'running time that is stop',
  ],
  ['answers are handed on', { kind: 'drop', transition: 'run waiting always 1' }, 'phase runEnd alone'],
  ['a waiting run waits for something', { kind: 'drop', transition: 'run waiting always 2' }, 'phase runEnd alone'],
  [
    'settlements are recorded',
    { kind: 'mute', transition: 'run running toolCall.settled 1' },
    'two parallel calls change one path',
  ],
  [
    'settled calls stay settled',
    { kind: 'retarget', transition: 'toolCall succeeded.concluding always 1', to: '#toolCall.failed' },
    'one call, watched and decided early',
  ],
  [
    'late results are published',
    { kind: 'mute', transition: 'run (root) run.failed 1' },
    'one call, watched and decided early',
  ],
  [
    'a tool that failed is tried again once its wait is over',
    { kind: 'mute', transition: 'toolCall running.executing done(runTool) 2' },
    'one call, tried again',
  ],
  [
    'no more run than may',
    { kind: 'retarget', transition: 'toolCall new.judging always 2', to: '#toolCall.resuming' },
    'an exclusive call among others',
  ],
  [
    'what is said is taken in as it came',
    { kind: 'drop', transition: 'run running.turn.committingTurn always 4' },
    'an answer that has to fit',
  ],
  [
    'nothing said is left lying',
    { kind: 'idle entry', chart: 'run', state: 'running.turn.before.takingQueued' },
    'steering between calls',
  ],
  [
    'a message for the application stands at once',
    { kind: 'mute', transition: 'run (root) message.posted 1' },
    'said while the end is heard',
  ],
  [
    'no message stands in the state',
    { kind: 'keep event', transition: 'run (root) message.posted 1' },
    'said while the end is heard',
  ],
  [
    'nothing passes the filters unseen',
    {
      kind: 'retarget',
      transition: 'run running.opening.filterInput always 1',
      to: '#run.running.opening.committingUser',
    },
    'filters and a context builder',
  ],
  [
    'an answer that does not fit is corrected',
    { kind: 'idle entry', chart: 'run', state: 'running.turn.answering' },
    'an answer that has to fit',
  ],
  [
    'a refused answer leaves nothing but its reason',
    { kind: 'mute', transition: 'run running.turn.callingModel done(modelCall) 4' },
    'answers that a plugin refuses',
  ],
  [
    'hooks of the loop stand at their places',
    { kind: 'retarget', transition: 'run running.toolRound.committingResults always 1', to: '#run.running.resumeGate' },
    'hook afterTurn alone',
  ],
  [
    'the end of a turn knows whether it was answered',
    { kind: 'mute', transition: 'run running.turn.callingModel done(modelCall) 6' },
    'hook afterTurn alone',
  ],
  [
    'a blocked call never runs',
    { kind: 'retarget', transition: 'toolCall new.judging always 5', to: '#toolCall.running.executing' },
    'a call whose permission is asked for, beside another',
  ],
  [
    'a grant is looked at before its call runs',
    { kind: 'drop', transition: 'toolCall new.judging always 3' },
    'a call that runs by a grant, beside one that is asked about',
  ],
  [
    'what is asked about runs only once it is approved',
    { kind: 'retarget', transition: 'toolCall new.judging always 7', to: '#toolCall.running.executing' },
    'a call that runs by a grant, beside one that is asked about',
  ],
  [
    'permissions are asked for before the model is',
    { kind: 'drop', transition: 'run running.resumeGate.draining always 3' },
    'a call whose permission is asked for, beside another',
  ],
  [
    'a prompt is made smaller once',
    { kind: 'drop', transition: 'modelCall calling done(callModel) 6' },
    'prompts refused as too long',
  ],
  [
    'refused media are left out once',
    { kind: 'drop', transition: 'modelCall calling done(callModel) 7' },
    'pictures and files refused',
  ],
  [
    'a memory is asked once',
    {
      kind: 'retarget',
      transition: 'run running.opening.filteringInput done(filterInput) 2',
      to: '#run.running.opening.buildContext',
    },
    'filters, a memory and a context builder',
  ],
  [
    'a summary is asked for once',
    { kind: 'drop', transition: 'modelCall compacting done(compactPrompt) 1' },
    'old messages told in short',
  ],
  [
    'suspensions are recorded',
    { kind: 'retarget', transition: 'toolCall new call.skip 1', to: '#toolCall.suspended' },
    'sequential',
  ],
]

/** Thrown inside an exploration that has shown all that is looked for. */
class SeenAll extends Error {}

/** Which rules a defect breaks within the first moves of a configuration, of those that it is planted there to break. */
function brokenRules(defect: Defect, name: string): readonly string[] {
  const configuration = configurations.find((other) => other.name === name)
  if (configuration === undefined) throw new Error(`There is no configuration "${name}".`)
  const wanted = plants.filter(([, planted, where]) => planted === defect && where === name).map(([rule]) => rule)
  const missing = new Set(wanted)
  try {
    const onFinding = ({ invariant }: { readonly invariant: string }) => {
      missing.delete(invariant)
      if (missing.size === 0) throw new SeenAll()
    }
    const machines = plantDefect(defect)
    explore({ configuration, machines, limit: 1500, isPartial: true, onFinding }, getAdjacencyMap)
  } catch (error) {
    if (!(error instanceof SeenAll)) throw error
  }
  return wanted.filter((rule) => !missing.has(rule))
}

const looked = new Map<Defect, Map<string, readonly string[]>>()

/** Looks at a defect once, for all the rules that it breaks. */
function brokenOnce(defect: Defect, name: string): readonly string[] {
  const known = looked.get(defect) ?? new Map<string, readonly string[]>()
  const broken = known.get(name) ?? brokenRules(defect, name)
  looked.set(defect, known.set(name, broken))
  return broken
}

describe('TST-01 planted defects', () => {
  test.each(plants)(
    'TST-01 the oracle notices a defect planted against the rule %s',
    { timeout: 60_000 },
    (rule, defect, configuration) => {
      expect(brokenOnce(defect, configuration)).toContain(rule)
    },
  )

  test('TST-01 each rule has a planted defect', () => {
    expect(plants.map(([rule]) => rule).toSorted()).toEqual(invariants.map(({ name }) => name).toSorted())
  })
})
