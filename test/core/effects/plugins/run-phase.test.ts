import { expect, test } from 'vitest'
import type { CallRecord } from '../../../../src/core/domain/call.ts'
import { userMessage } from '../../../../src/core/domain/message.ts'
import type { AgentParts } from '../../../../src/core/effects/agent-parts.ts'
import { askCallGate } from '../../../../src/core/effects/permissions/ask-call-gate.ts'
import { callContext } from '../../../../src/core/effects/plugins/plugin-context.ts'
import { runPhase } from '../../../../src/core/effects/plugins/run-phase.ts'
import type { EffectContext } from '../../../../src/core/ports/effect-handler.ts'
import type { GateAnswer, GateContext, Plugin } from '../../../../src/core/ports/plugin.ts'

/** A context made by hand; what is told is collected. */
function contextOf(call?: CallRecord) {
  const told: unknown[] = []
  let ids = 0
  const context = {
    runId: 'r',
    run: { id: 'r', labels: {} },
    signal: new AbortController().signal,
    clock: { now: () => 9, sleepUntil: async () => {} },
    emit: (event: unknown) => void told.push(event),
    ids: { next: (prefix: string) => `${prefix}_${++ids}` },
    view: { state: { s: 1 }, messages: () => [userMessage('Hi', 1)], message: () => undefined, call: () => call },
  } as unknown as EffectContext
  return { context, told }
}

const parts = (...plugins: readonly Plugin[]) =>
  ({ plugins, pluginTimeoutMs: Infinity, tools: { inRound: () => new Map() } }) as unknown as AgentParts

test("PH-01 writes the requests of a phase's plugins in their order, and one change of the state", async () => {
  const { context } = contextOf()
  const plugins: readonly Plugin[] = [
    {
      name: 'a',
      stepStart: ({ append, patch, state, turn, messages }) => {
        append(userMessage(`turn ${turn}, ${JSON.stringify(state)}, ${messages().length}`, 2))
        patch([{ path: ['a'], value: 1 }])
      },
    },
    { name: 'b', stepStart: ({ patch, terminate }) => (patch([{ path: ['b'] }]), terminate('late')) },
    { name: 'c', stepStart: ({ terminate }) => terminate() },
  ]
  const { output, writes } = await runPhase(parts(...plugins), { phase: 'stepStart', turn: 12 }, context)
  expect(output).toEqual({ terminate: { code: 'late' }, at: 9 })
  expect(writes).toEqual([
    { kind: 'append', message: userMessage('turn 12, {"s":1}, 1', 2) },
    { kind: 'state', changes: [{ path: ['a'], value: 1 }, { path: ['b'] }] },
  ])
})

test('PH-01 writes nothing if no plugin asks for anything', async () => {
  const { context } = contextOf()
  const asked = await runPhase(parts({ name: 'a', stepEnd: () => undefined }), { phase: 'stepEnd', turn: 1 }, context)
  expect(asked).toEqual({ output: { at: 9 }, writes: [] })
})

test('PH-01 logs what plugins request for the model call, and tells the chart whether there is a request', async () => {
  const { context, told } = contextOf()
  const tools = { forTurn: () => new Map([['act', {}]]), inRound: () => new Map() }
  const perform = async (...plugins: readonly Plugin[]) => {
    const given = { ...parts(...plugins), tools, models: [{ provider: 'p', id: 'm' }] } as unknown as AgentParts
    return runPhase(given, { phase: 'beforeModel', turn: 1 }, context)
  }
  const note = userMessage('Mind the date.', 2)
  expect(await perform({ name: 'a', beforeModel: () => undefined })).toEqual({
    output: { request: null, at: 9 },
    writes: [],
  })
  const asking: Plugin = {
    name: 'a',
    beforeModel: ({ addMessages, chooseTools, override, tools: names, models }) => {
      addMessages([note])
      chooseTools([...names, ...names])
      override({ model: models.at(-1) ?? '' })
    },
  }
  const plan = { messages: [note], tools: ['act'], model: 'p/m' }
  expect(await perform(asking)).toEqual({
    output: { request: { isLogged: true, model: 'p/m' }, at: 9 },
    writes: [{ kind: 'value', name: 'request', value: plan }],
  })
  expect(told).toEqual([])
})

test('PH-01 holds a run at its start with a call that runs nothing', async () => {
  const { context } = contextOf()
  const plugin: Plugin = { name: 'p', runStart: ({ suspend, isResumed }) => (isResumed ? undefined : suspend()) }
  const { output, writes } = await runPhase(parts(plugin), { phase: 'runStart', turn: 0 }, context)
  const [callId, suspension] = ['0.hold_1', { id: 'sus_2', reason: 'plugin' }]
  expect(writes).toEqual([
    {
      kind: 'reserve',
      call: {
        callId,
        toolCallId: callId,
        toolName: 'p',
        revision: 0,
        resumeMode: 'use-as-result',
        isHold: true,
        suspension,
      },
    },
  ])
  expect(output).toEqual({
    holds: [
      {
        callId,
        verdict: { kind: 'suspended', suspension },
        effects: 'none',
        resumeMode: 'use-as-result',
        isExclusive: false,
        blocksRun: true,
        callHash: callId,
        isHold: true,
      },
    ],
    at: 9,
  })
  const resumed = await runPhase(parts(plugin), { phase: 'runStart', turn: 0, isResumed: true }, context)
  expect(resumed.writes).toEqual([])
})

test.each([
  [
    { name: 'p', stepStart: ({ terminate }) => terminate(5 as never) } satisfies Plugin,
    'The code to end the run with is invalid. Expected a text or nothing.',
  ],
  [{ name: 'p', stepStart: ({ append }) => append('Hi' as never) } satisfies Plugin, 'The message is invalid.'],
])('PH-01 names the plugin and the phase of a failure: %#', async (plugin, problem) => {
  const { context } = contextOf()
  const performing = runPhase(parts(plugin), { phase: 'stepStart', turn: 1 }, context)
  await expect(performing).rejects.toThrow(`Plugin "p" failed in stepStart: ${problem}`)
})

const call: CallRecord = {
  seq: 3,
  callId: '10.a',
  toolCallId: 'a',
  toolName: 'act',
  messageSeq: 2,
  status: 'new',
  revision: 0,
  resumeMode: 'replay',
  editedArguments: { n: 1 },
}

test('PH-01 passes a plugin the turn and the arguments of a call, and a copy of its decision', () => {
  const { context } = contextOf(call)
  const decision = { decisionId: 'd' } as never
  const given = callContext('10.a', decision, context)
  expect(given).toMatchObject({ turn: 10, call, arguments: { n: 1 }, decision: { decisionId: 'd' }, state: { s: 1 } })
  expect(given.decision).not.toBe(decision)
  expect(callContext('10.a', undefined, context)).not.toHaveProperty('decision')
})

const allowed = { kind: 'allowed' } as const
const refused = { kind: 'refused', text: 'unknown' } as const
const answering = (name: string, answer: unknown): Plugin => ({
  name,
  gateCall: (context: GateContext) => (context.patch([{ path: [name] }]), answer as GateAnswer),
})

test.each<[readonly unknown[], typeof allowed | typeof refused, object]>([
  [[undefined, null], allowed, { kind: 'allowed', gated: true }],
  [[], refused, { kind: 'refused', text: 'unknown', gated: true }],
  [[{ suspend: {} }, { result: 'x' }, { block: 'no' }], allowed, { kind: 'refused', text: 'no', gated: true }],
  [[{ suspend: {} }, { result: 'x' }], refused, { kind: 'supplied', status: 'succeeded', gated: true }],
  [[{ result: { content: [], status: 'error' } }], allowed, { kind: 'supplied', status: 'failed', gated: true }],
  [[{ suspend: {} }], refused, { kind: 'refused', text: 'unknown', gated: true }],
  [
    [{ suspend: { message: 'Why?' } }],
    allowed,
    { kind: 'suspended', suspension: { id: 'sus_1', reason: 'plugin' }, gated: true },
  ],
])(
  'TC-02 block beats a result, a result beats an error, and an error beats a question: %#',
  async (answers, verdict, expected) => {
    const { context, told } = contextOf(call)
    const plugins = answers.map((answer, index) => answering(`p${index}`, answer))
    const outcome = await askCallGate(parts(...plugins), '10.a', verdict, undefined, context)
    expect(outcome.verdict).toEqual(expected)
    const changes = plugins.map(({ name }) => ({ path: [name] }))
    expect(outcome.writes.filter(({ kind }) => kind === 'state')).toEqual(
      changes.length === 0 ? [] : [{ kind: 'state', changes }],
    )
    expect(told).toEqual([])
  },
)

test('TC-02 the first of two plugins with equal rank wins, and the conflict is reported', async () => {
  const { context, told } = contextOf(call)
  const plugins = [
    answering('a', { block: 'first' }),
    answering('b', { block: 'second' }),
    answering('c', { block: 'third' }),
  ]
  const { verdict } = await askCallGate(parts(...plugins), '10.a', allowed, undefined, context)
  expect(verdict).toMatchObject({ text: 'first' })
  const head = { type: 'plugin.conflict', runId: 'r', at: 9, callId: '10.a', kept: 'a' }
  expect(told).toEqual([
    { ...head, ignored: 'b' },
    { ...head, ignored: 'c' },
  ])
})

test("DEC-03 a decision answers a plugin's question, unless the plugin asks again regardless", async () => {
  const decision = { decisionId: 'd' } as never
  const ask = async (answer: unknown) => {
    const { context } = contextOf(call)
    return (await askCallGate(parts(answering('a', answer)), '10.a', allowed, decision, context)).verdict.kind
  }
  expect(await ask({ suspend: {} })).toBe('allowed')
  expect(await ask({ suspend: {}, evenIfApproved: true })).toBe('suspended')
})

test.each([5, 'block', {}, { block: 1 }, { wait: true }])('TC-02 refuses the answer %j of a plugin', async (answer) => {
  const { context } = contextOf(call)
  const asking = askCallGate(parts(answering('a', answer)), '10.a', allowed, undefined, context)
  await expect(asking).rejects.toThrow(
    'Plugin "a" failed in gateCall: The answer is invalid. Expected { block: text }, { result }, { suspend } or nothing.',
  )
})
