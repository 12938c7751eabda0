import { createActor, type InspectionEvent, type StateValue } from 'xstate'
import { expect, test } from 'vitest'
import { runMachine, toolCallMachine, type ToolCallEvent, type ToolCallInput } from '../../machines/index.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { runId, testAgent } from '../../proof/support/test-agent.ts'

function pathOf(value: StateValue): string {
  if (typeof value === 'string') return value
  return Object.entries(value)
    .map(([name, inner]) => (inner === undefined ? name : `${name}.${pathOf(inner)}`))
    .join('+')
}

/** The states a machine went through, repeats left out. */
function watching(id: string): { readonly seen: string[]; readonly inspect: (event: InspectionEvent) => void } {
  const seen: string[] = []
  return {
    seen,
    inspect: (event) => {
      if (event.type !== '@xstate.microstep') return
      const { snapshot } = event
      if (!('value' in snapshot) || !('machine' in snapshot)) return
      if ((snapshot.machine as { id: string }).id !== id) return
      const path = pathOf(snapshot.value as StateValue)
      if (seen.at(-1) !== path) seen.push(path)
    },
  }
}

test('RUN-01 RUN-02 DEC-02 follows the canonical flow, with a state for every phase', async () => {
  const { seen, inspect } = watching('run')
  const nothing = () => undefined
  const { act } = toolbox()
  const { agent } = testAgent({
    inspect,
    replies: [calls(call('c1', 'act')), 'Bye'],
    tools: [act()],
    plugins: [
      {
        name: 'all',
        runStart: nothing,
        stepStart: nothing,
        beforeModel: nothing,
        afterModel: nothing,
        stepEnd: nothing,
        runEnd: nothing,
      },
    ],
  })
  await agent.run('Hi', { runId })

  const line = (name: string, ...states: readonly string[]) => states.map((state) => `${name}.${state}`)
  const turn = [
    'turn.checkingLimits',
    ...line('turn.before', 'stepStart', 'startingStep', 'beforeModel', 'preparingModel', 'beforeTurn'),
    'turn.callingModel',
    ...line('turn.after', 'afterModel', 'reviewingAnswer', 'stepEnd', 'endingStep'),
    'turn.committingTurn',
  ]
  const ended = line('turn.ended', 'afterTurn', 'goingOn')
  const gate = line('resumeGate', 'draining', 'judging')
  const flow = [
    [
      ...line('opening', 'filterInput', 'recall', 'buildContext', 'runStart', 'startingRun', 'committingUser'),
      ...gate,
      ...turn,
    ],
    ['toolRound.executing', 'toolRound.committingResults', ...ended, ...gate, ...turn],
    [...ended, ...gate, 'closing.settlingCalls', ...line('closing.telling', 'onError', 'runEnd', 'runningEnd')],
    ['closing.committingFinished', 'closing.afterRun'],
  ]
  expect(seen).toEqual([...flow.flat().map((path) => `running.${path}`), 'done'])
})

test('RUN-01 RUN-04 DEC-02 returns from the resume gate to another wait, and to the end', async () => {
  const { seen, inspect } = watching('run')
  const { act } = toolbox()
  const { agent } = testAgent({
    inspect,
    replies: [calls(call('c1', 'gated')), 'Bye'],
    tools: [act('gated', { needs: 'approval' })],
  })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  await run.approve()
  await run.settled()

  const at = seen.indexOf('waiting')
  expect(seen.slice(at, at + 9)).toEqual([
    'waiting',
    'running.opening.restarting',
    'running.opening.runStart',
    'running.opening.committingUser',
    'running.resumeGate.draining',
    'running.resumeGate.replaying',
    'running.resumeGate.committingReplay',
    'running.resumeGate.draining',
    'running.turn.callingModel',
  ])
})

test('RUN-01 a run has exactly the three states of layer 1 at its top', () => {
  expect(Object.keys(runMachine.states)).toEqual(['running', 'waiting', 'done'])
})

test('RUN-09 runs in any app as plain XState', async () => {
  const { done, act } = toolbox()
  const { agent, prompts } = testAgent({ replies: [calls(call('c1', 'act')), 'Bye'], tools: [act()] })
  const ended = Promise.withResolvers<void>()
  const actor = createActor(agent.machine, { input: agent.machineInput('Hi') })
  actor.subscribe({ complete: () => ended.resolve(), error: (error) => ended.reject(error) })
  actor.start()
  await ended.promise

  expect(actor.getSnapshot().output).toMatchObject({ outcome: { reason: 'natural_end' }, text: 'Bye' })
  expect(done).toEqual(['act {}'])
  expect(prompts).toEqual([['user: Hi'], ['user: Hi', 'assistant: calls 1.c1 act', 'result 1.c1: act done']])
})

const states = ['new', 'running', 'suspended', 'resuming', 'succeeded', 'failed', 'cancelled'] as const

const decision = { inboxId: 1, decisionId: 'd', callId: 'c', suspensionId: 's', action: 'resume' as const }
const events: readonly ToolCallEvent[] = [
  { type: 'call.start' },
  { type: 'call.skip', text: 'skipped' },
  { type: 'call.keep', decision: { ...decision, suspensionId: null } },
  { type: 'call.resume', decision },
  { type: 'call.cancel', text: 'cancelled', byRun: true },
  { type: 'call.cancel', text: 'cancelled', byRun: false },
]

const input: ToolCallInput = {
  callId: 'c',
  verdict: { kind: 'allowed' },
  effects: 'once',
  resumeMode: 'replay',
  isQueued: true,
  isCallGateWatched: false,
  isReviewWatched: false,
}

test('TC-01 a call has exactly the seven states', () => {
  expect(Object.keys(toolCallMachine.states).toSorted()).toEqual([...states].toSorted())
})

test.for([
  ['failed', { type: 'call.skip', text: 'skipped' }],
  ['cancelled', { type: 'call.cancel', text: 'cancelled', byRun: true }],
] as const satisfies readonly (readonly [string, ToolCallEvent])[])(
  'TC-01 accepts nothing once %s, and ignores further events without a crash',
  ([state, last]) => {
    const logic = toolCallMachine.provide({
      actions: { recordResult: () => {}, recordStatus: () => {}, reportSettled: () => {} },
    })
    const actor = createActor(logic, { input })
    actor.start()
    actor.send(last)
    const before = actor.getPersistedSnapshot()
    for (const event of events) actor.send(event)

    expect(Object.keys(actor.getSnapshot().value as object)).toEqual([state])
    expect(actor.getPersistedSnapshot()).toEqual(before)
  },
)
