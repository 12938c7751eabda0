import { describe, expect, test } from 'vitest'
import type { DecisionHead, Performed, ToolCallEvent, ToolCallInput } from '../../machines/tool-call/tool-call.types.ts'
import type { SuspensionHead, Verdict } from '../../src/core/domain/call-plan.ts'
import { type Completion, OneCall, type Steps } from '../../proof/support/one-call.ts'

type Happens = ToolCallEvent | Completion

/** One edge and one cause of it: how the call comes to `from`, what happens there, where it is then, what it asks for. */
interface Edge {
  readonly from: string
  readonly to: string
  readonly cause: string
  readonly input?: Partial<ToolCallInput>
  readonly before?: readonly Happens[]
  readonly happens: Happens
  readonly effects: readonly string[]
}

const asked: SuspensionHead = { id: 's1', reason: 'approval' }
const again: SuspensionHead = { id: 's2', reason: 'plugin' }
const family: SuspensionHead = { id: 's1', reason: 'subAgent' }
const interrupted: SuspensionHead = { id: 's1', reason: 'interrupted' }
const approval: DecisionHead = { inboxId: 3, decisionId: 'd1', callId: 'c', suspensionId: 's1', action: 'resume' }
const denial: DecisionHead = { ...approval, action: 'cancel' }
const early: DecisionHead = { ...approval, suspensionId: null }
const wake: DecisionHead = { ...early, inboxId: 2, decisionId: 'd0', isWake: true }

const start: Happens = { type: 'call.start' }
const decided: Happens = { type: 'call.decided' }
const resume: Happens = { type: 'call.resume', decision: approval }
const cancel: Happens = { type: 'call.cancel', text: 'Enough.', byRun: false }

const suspends = { verdict: { kind: 'suspended', suspension: asked } } satisfies Partial<ToolCallInput>

function performed(status: Performed['status'], more: Partial<Performed> = {}): Happens {
  return { done: 'runTool', output: { status, at: 5, ...more } satisfies Performed }
}

function judged(verdict: Verdict, revision = 0): Happens {
  return { done: 'gateReplay', output: { verdict, revision } }
}

function ran(more: object = {}): string {
  return `runTool ${JSON.stringify({ effects: 'once', attempt: 1, revision: 0, failures: 0, decisionId: null, ...more })}`
}

function settled(status: string, text?: string): readonly string[] {
  const result = text === undefined ? [] : [`write result ${JSON.stringify({ text })}`]
  return [...result, `write call ${JSON.stringify({ patch: { status } })}`, `tell settled ${status}`]
}

function replayed(decision: DecisionHead): string {
  return `gateReplay ${JSON.stringify({ decision, resumeMode: 'replay', revision: 0 })}`
}

const kept = `write keptDecision ${JSON.stringify({ inboxId: 3, suspensionId: 's1' })}`
/** A suspended call's announcement, and its wait for the expiry. */
const rests = (id: string) => [`tell suspended ${id}`, 'sleep {"due":null}']

const resuming = { input: suspends, before: [start, decided, resume] } as const

/** Written from the rules, not from the chart. */
const edges: readonly Edge[] = [
  { from: 'new', to: 'running', cause: 'it is allowed', happens: start, effects: [ran()] },
  {
    from: 'new',
    to: 'running',
    cause: 'the plugins allow it',
    input: { isCallGateWatched: true },
    before: [start],
    happens: { done: 'gateCall', output: { kind: 'allowed', gated: true } satisfies Verdict },
    effects: [ran()],
  },
  {
    from: 'new',
    to: 'suspended',
    cause: 'the gate suspends it',
    input: suspends,
    happens: start,
    effects: [`write suspension ${JSON.stringify({ suspension: asked })}`, ...rests('s1')],
  },
  {
    from: 'new',
    to: 'failed',
    cause: 'the gate refuses it',
    input: { verdict: { kind: 'refused', text: 'No such tool.' } },
    happens: start,
    effects: settled('failed', 'No such tool.'),
  },
  {
    from: 'new',
    to: 'failed',
    cause: 'its round stopped before it',
    happens: { type: 'call.skip', text: 'Not executed.' },
    effects: settled('failed', 'Not executed.'),
  },
  {
    from: 'new',
    to: 'cancelled',
    cause: 'it is ended before start',
    happens: cancel,
    effects: settled('cancelled', 'Enough.'),
  },
  {
    from: 'running',
    to: 'succeeded',
    cause: 'the tool succeeds',
    before: [start],
    happens: performed('succeeded'),
    effects: settled('succeeded'),
  },
  {
    from: 'running',
    to: 'failed',
    cause: 'the tool fails',
    before: [start],
    happens: performed('failed'),
    effects: settled('failed'),
  },
  {
    from: 'running',
    to: 'suspended',
    cause: 'the tool is pending',
    before: [start],
    happens: performed('suspended', { suspension: asked }),
    effects: rests('s1'),
  },
  {
    from: 'running',
    to: 'suspended',
    cause: 'it was interrupted',
    before: [start],
    happens: performed('suspended', { suspension: interrupted }),
    effects: rests('s1'),
  },
  {
    from: 'running',
    to: 'cancelled',
    cause: 'the call is cancelled',
    before: [start],
    happens: cancel,
    effects: [...settled('cancelled', 'Enough.'), 'stop runTool'],
  },
  {
    from: 'suspended',
    to: 'resuming',
    cause: 'a decision resumes it',
    input: suspends,
    before: [start, decided],
    happens: resume,
    effects: [replayed(approval)],
  },
  {
    from: 'suspended',
    to: 'resuming',
    cause: 'a kept decision comes to answer',
    input: suspends,
    before: [start],
    happens: { type: 'call.keep', decision: early },
    effects: ['tell suspended s1, decided', kept, 'stop sleep', replayed(approval)],
  },
  {
    from: 'suspended',
    to: 'cancelled',
    cause: 'a decision cancels it',
    input: suspends,
    before: [start, decided],
    happens: { type: 'call.resume', decision: denial },
    effects: settled('cancelled', 'User denied the action'),
  },
  {
    from: 'suspended',
    to: 'cancelled',
    cause: 'a decision with a reason cancels it',
    input: suspends,
    before: [start, decided],
    happens: { type: 'call.resume', decision: { ...denial, reason: 'Too dear.' } },
    effects: settled('cancelled', 'Too dear.'),
  },
  {
    from: 'suspended',
    to: 'cancelled',
    cause: 'a decision cancels an interrupted call',
    before: [start, performed('suspended', { suspension: interrupted }), decided],
    happens: { type: 'call.resume', decision: denial },
    effects: settled('cancelled', '[Interrupted: the tool may or may not have run.]'),
  },
  {
    from: 'suspended',
    to: 'cancelled',
    cause: 'it expires',
    input: suspends,
    before: [start],
    happens: { done: 'sleep' },
    effects: settled('cancelled', '[Cancelled: no decision came before the request expired.]'),
  },
  {
    from: 'suspended',
    to: 'cancelled',
    cause: 'the run is cancelled',
    input: suspends,
    before: [start],
    happens: { type: 'call.cancel', text: 'Over.', byRun: true },
    effects: [...settled('cancelled', 'Over.'), 'stop sleep'],
  },
  {
    from: 'resuming',
    to: 'running',
    cause: 'the replay is allowed',
    ...resuming,
    happens: judged({ kind: 'allowed' }, 1),
    effects: [ran({ revision: 1, decisionId: 'd1' })],
  },
  {
    from: 'resuming',
    to: 'succeeded',
    cause: "the decision's result is the result",
    ...resuming,
    happens: judged({ kind: 'supplied', status: 'succeeded' }),
    effects: settled('succeeded'),
  },
  {
    from: 'resuming',
    to: 'failed',
    cause: 'the gate refuses the replay',
    ...resuming,
    happens: judged({ kind: 'refused', text: 'Not there.' }),
    effects: settled('failed', 'Not there.'),
  },
  {
    from: 'resuming',
    to: 'failed',
    cause: "a plugin's result is an error",
    ...resuming,
    happens: judged({ kind: 'supplied', status: 'failed' }),
    effects: settled('failed'),
  },
  {
    from: 'resuming',
    to: 'suspended',
    cause: 'the gate suspends it again',
    ...resuming,
    happens: judged({ kind: 'suspended', suspension: again }),
    effects: [`write suspension ${JSON.stringify({ suspension: again })}`, ...rests('s2')],
  },
  {
    from: 'resuming',
    to: 'cancelled',
    cause: 'the run is cancelled',
    ...resuming,
    happens: { type: 'call.cancel', text: 'Over.', byRun: true },
    effects: [...settled('cancelled', 'Over.'), 'stop gateReplay'],
  },
]

const steppers: readonly Steps[] = ['tables', 'xstate']

describe.each(steppers)('stepped by %s', (steps) => {
  test.for(edges)('TC-01 $from → $to: $cause', async ({ from, to, input, before = [], happens, effects }) => {
    const call = new OneCall(steps, input)
    for (const event of before) await call.take(event)
    const earlier = call.effects.length
    expect(call.state).toBe(from)
    await call.take(happens)
    expect([call.state, ...call.effects.slice(earlier)]).toEqual([to, ...effects])
  })

  test.for<[said: string, kept: readonly DecisionHead[], state: string]>([
    ['no wake', [early], 'suspended'],
    ['a wake', [wake], 'resuming'],
    ['a wake and a later resume', [wake, early], 'resuming'],
    ['a wake and a later cancel', [wake, { ...early, action: 'cancel' }], 'cancelled'],
  ])('AGT-05 DEC-06 a call that waits for its sub-agent, with %s kept before', async ([, decisions, state]) => {
    const call = new OneCall(steps)
    await call.take(start)
    for (const decision of decisions) await call.take({ type: 'call.keep', decision })
    await call.take(performed('suspended', { suspension: family }))
    expect(call.state).toBe(state)
  })
})

test('TC-01 the table has all fifteen edges', () => {
  expect([...new Set(edges.map(({ from, to }) => `${from} → ${to}`))]).toEqual([
    'new → running',
    'new → suspended',
    'new → failed',
    'new → cancelled',
    'running → succeeded',
    'running → failed',
    'running → suspended',
    'running → cancelled',
    'suspended → resuming',
    'suspended → cancelled',
    'resuming → running',
    'resuming → succeeded',
    'resuming → failed',
    'resuming → suspended',
    'resuming → cancelled',
  ])
})
