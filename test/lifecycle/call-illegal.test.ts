import { describe, expect, test } from 'vitest'
import { createActor, type InspectionEvent, waitFor } from 'xstate'
import type { DecisionHead, ToolCallEvent, ToolCallInput } from '../../machines/tool-call/tool-call.types.ts'
import { type Completion, OneCall, type Steps } from '../../proof/support/one-call.ts'
import { call, calls } from '../../proof/support/say.ts'
import { testAgent } from '../../proof/support/test-agent.ts'
import { toolbox } from '../../proof/support/tools.ts'

const decision: DecisionHead = { inboxId: 1, decisionId: 'd', callId: 'c', suspensionId: 's', action: 'resume' }

const start = { type: 'call.start' } as const
const decided = { type: 'call.decided' } as const
const resume = { type: 'call.resume', decision } as const
const denial = { type: 'call.resume', decision: { ...decision, action: 'cancel' } } as const
const stranger = { type: 'call.resume', decision: { ...decision, suspensionId: 'another' } } as const
const keep = { type: 'call.keep', decision: { ...decision, suspensionId: null } } as const
const skip = { type: 'call.skip', text: 'Skipped.' } as const
const cancel = { type: 'call.cancel', text: 'Enough.', byRun: false } as const
const cancelByRun = { ...cancel, byRun: true } as const

const every: readonly ToolCallEvent[] = [start, decided, resume, denial, stranger, keep, skip, cancel, cancelByRun]

const suspends: Partial<ToolCallInput> = { verdict: { kind: 'suspended', suspension: { id: 's', reason: 'approval' } } }

/** The events that lead a call to a state, and its legal events there; all others are illegal. */
interface Standing {
  readonly state: string
  readonly input?: Partial<ToolCallInput>
  readonly before: readonly (ToolCallEvent | Completion)[]
  readonly legal: readonly ToolCallEvent[]
}

const standings: readonly Standing[] = [
  { state: 'new', before: [], legal: [start, keep, skip, cancel, cancelByRun] },
  { state: 'running', before: [start], legal: [keep, cancel, cancelByRun] },
  { state: 'suspended', input: suspends, before: [start], legal: [decided, keep, cancel, cancelByRun] },
  { state: 'suspended', input: suspends, before: [start, decided], legal: [resume, denial, cancel, cancelByRun] },
  { state: 'resuming', input: suspends, before: [start, decided, resume], legal: [cancel, cancelByRun] },
  { state: 'succeeded', before: [start, { done: 'runTool', output: { status: 'succeeded', at: 1 } }], legal: [] },
  { state: 'failed', before: [start, { done: 'runTool', output: { status: 'failed', at: 1 } }], legal: [] },
  { state: 'cancelled', before: [cancel], legal: [] },
]

/** Events that no version of the chart knows. */
const unheardOf = { type: 'call.levitate' } as unknown as ToolCallEvent

const steppers: readonly Steps[] = ['tables', 'xstate']

const cells = standings.flatMap((standing) =>
  [...every, unheardOf]
    .filter((event) => !standing.legal.includes(event))
    .map((event) => ({ ...standing, after: standing.before.length, event })),
)

describe.each(steppers)('stepped by %s', (steps) => {
  test.for(cells)(
    'TC-01 $state after $after events: $event has no effect and is visible to inspect',
    async ({ state, input, before, event }) => {
      const one = new OneCall(steps, input)
      for (const earlier of before) await one.take(earlier)
      expect(one.state).toBe(state)
      const { stored, effects, inspected } = one
      const [asked, seen] = [effects.length, inspected.length]

      await one.take(event)
      expect(one.stored).toBe(stored)
      expect(effects.slice(asked)).toEqual([])
      const told = inspected.slice(seen)
      expect(told.filter(({ type }) => type === '@xstate.event')).toMatchObject([{ event }])
      expect(told.flatMap((step) => (step.type === '@xstate.microstep' ? step._transitions : []))).toEqual([])
    },
  )

  test.for(standings.flatMap((standing) => standing.legal.map((event) => ({ ...standing, event }))))(
    'TC-01 $state accepts $event, which is legal',
    async ({ state, input, before, event }) => {
      const one = new OneCall(steps, input)
      for (const earlier of before) await one.take(earlier)
      expect(one.state).toBe(state)
      const { stored } = one
      await one.take(event)
      expect(one.stored).not.toBe(stored)
    },
  )
})

test('TC-01 tries illegal events in each of the seven states', () => {
  expect([...new Set(cells.map(({ state }) => state))]).toEqual([
    'new',
    'running',
    'suspended',
    'resuming',
    'succeeded',
    'failed',
    'cancelled',
  ])
})

test('TC-01 RUN-09 an illegal event to a call leaves the run unchanged, and inspect sees it', async () => {
  const { act, done } = toolbox()
  const replies = [calls(call('c1', 'act')), 'Bye']
  const { agent } = testAgent({ replies, tools: [act('act', { needs: 'approval' })] })
  const inspected: InspectionEvent[] = []
  const inspect = (event: InspectionEvent) => void inspected.push(event)
  const actor = createActor(agent.machine, { input: agent.machineInput('Hi'), inspect })
  actor.start()
  const { children } = await waitFor(actor, (snapshot) => snapshot.value === 'waiting')
  const suspended = children['1.c1']
  const before = JSON.stringify(actor.getPersistedSnapshot())

  for (const event of [start, skip, resume, unheardOf]) suspended?.send(event)
  expect(JSON.stringify(actor.getPersistedSnapshot())).toBe(before)
  expect(done).toEqual([])
  const seen = inspected.flatMap((one) =>
    one.type === '@xstate.event' && one.actorRef === suspended ? [one.event.type] : [],
  )
  expect(seen.slice(-4)).toEqual(['call.start', 'call.skip', 'call.resume', 'call.levitate'])
  actor.stop()
})
