import { expect, test } from 'vitest'
import { createActor, fromPromise, toPromise, waitFor } from 'xstate'
import { z } from 'zod'
import type { ModelRequest, ProvidedAnswer, ProvidedCall, ToolReturn } from '../../../src/index.ts'
import type { PlainImplementations, SleepInput } from '../../../src/ports.ts'
import type { PhaseVerdict } from '../../../machines/index.ts'
import type { KeepTimeInput, TimeOver } from '../../../machines/run/run.types.ts'
import { fakeClock, start } from '../../../proof/support/fake-clock.ts'
import { call, calls, say } from '../../../proof/support/say.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { quiet, testAgent, type TestAgentOptions } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'

type Actors = NonNullable<PlainImplementations['actors']>

const replies = [calls(call('c1', 'write', { text: 'Hi' })), 'Bye']

const scriptedByCalls = (list: Parameters<typeof scripted>[0]) => scripted(list, { by: 'calls' })

function writing(options: TestAgentOptions = {}) {
  const { done, act } = toolbox()
  const tools = [act('write', { input: z.object({ text: z.string() }) })]
  return { done, ...testAgent({ replies, tools, ...options }) }
}

async function endOf({ agent }: Pick<ReturnType<typeof writing>, 'agent'>, actors: Actors) {
  const { outcome, messages } = await toPromise(createActor(agent.machine.provide({ actors }), { input: 'Hi' }).start())
  return { outcome, said: messages.map(say) }
}

test('RUN-09 runs tools by a provided actor, which receives the call and returns what execute would', async () => {
  const asked: unknown[] = []
  const runTool = fromPromise<ToolReturn, ProvidedCall>(async ({ input }) => {
    const { callId, toolName, arguments: given, attempt } = input
    asked.push({ callId, toolName, given, attempt })
    input.patch([{ path: ['last'], value: callId }])
    return { content: [{ type: 'text', text: 'by an actor' }], status: 'warning' }
  })
  const parts = writing()
  expect(await endOf(parts, { runTool })).toEqual({
    outcome: { reason: 'natural_end' },
    said: ['user: Hi', 'assistant: calls 1.c1 write', 'result 1.c1 (warning): by an actor', 'assistant: Bye'],
  })
  expect(asked).toEqual([{ callId: '1.c1', toolName: 'write', given: { text: 'Hi' }, attempt: 1 }])
  expect(parts.done).toEqual([])
})

test('RUN-09 a provided tool actor suspends, is asked again with the decision, and fails like a tool', async () => {
  const runTool = fromPromise<ToolReturn, ProvidedCall>(async ({ input }) => {
    if (input.decision === undefined) return input.suspend({ message: 'Sure?' })
    throw new Error('no paper')
  })
  const { agent } = writing()
  const actor = createActor(agent.machine.provide({ actors: { runTool } }), { input: 'Hi' })
  actor.start()
  await waitFor(actor, ({ value }) => value === 'waiting')
  await agent.decide(actor, [{ target: '1.c1', action: 'resume' }])
  const { messages } = await toPromise(actor)
  expect(messages.map(say)[2]).toBe('result 1.c1 (error): Tool "write" failed: no paper')
})

test('RUN-09 asks a provided model, nested in the chart of the model call, with the whole request', async () => {
  const requests: ModelRequest[] = []
  const answers: ProvidedAnswer[] = [
    { content: [{ type: 'toolCall', id: 'c1', name: 'write', arguments: { text: 'Ho' } }] },
    'Done.',
  ]
  const callModel = fromPromise<ProvidedAnswer, ModelRequest>(async ({ input }) => {
    requests.push(input)
    return answers[requests.length - 1] ?? ''
  })
  const parts = writing({ instructions: 'Be brief.' })
  expect(await endOf(parts, { callModel })).toEqual({
    outcome: { reason: 'natural_end' },
    said: ['user: Hi', 'assistant: calls 1.c1 write', 'result 1.c1: write done', 'assistant: Done.'],
  })
  expect(
    requests.map(({ system, messages, tools }) => [system, messages.length, tools.map(({ name }) => name)]),
  ).toEqual([
    ['Be brief.', 1, ['write']],
    ['Be brief.', 3, ['write']],
  ])
  expect(parts.prompts).toEqual([])
})

test('RUN-09 waits by a provided clock, between attempts at a model and until a request expires', async () => {
  const dues: (number | null)[] = []
  const sleep = fromPromise<void, SleepInput>(async ({ input }) => void dues.push(input.due))
  const { act } = toolbox()
  const busy = { error: { kind: 'rate_limit' as const, message: 'busy' } }
  const gate = {
    name: 'gate',
    gateCall: () => ({ suspend: { reason: 'approval' as const, expiresAt: 1_800_000_000_000 } }),
  }
  const parts = testAgent({
    model: scriptedByCalls([busy, calls(call('c1', 'act')), 'Bye']),
    tools: [act()],
    plugins: [gate],
  })
  const { outcome, said } = await endOf(parts, { sleep })
  expect(outcome).toEqual({ reason: 'natural_end' })
  expect(said[2]).toContain('result 1.c1 (error)')
  expect(dues).toEqual([expect.any(Number), 1_800_000_000_000])
})

test('RUN-09 keeps earlier provided parts: log, actions and actors together', async () => {
  const { agent } = writing()
  const ends: string[] = []
  const logs: number[] = []
  const machine = agent
    .provide({ onLog: ({ entries }) => void logs.push(entries.length) })
    .provide({ actions: { announceEnd: () => void ends.push('end') } })
    .provide({ actors: { callModel: fromPromise<ProvidedAnswer, ModelRequest>(async () => 'Mine.') } })
  const { text } = await toPromise(createActor(machine, { input: 'Hi' }).start())
  await quiet()
  expect({ text, ends, last: logs.at(-1) }).toEqual({ text: 'Mine.', ends: ['end'], last: 5 })
})

// @ts-expect-error A model answers a text or a message.
const badModel: Actors = { callModel: fromPromise(async () => 7) }

const nonsense = (value: unknown) => fromPromise(async () => value) as never
const wrong: readonly [Actors, string][] = [
  [badModel, 'gave an invalid answer. Expected { role: "assistant", content:'],
  [{ callModel: nonsense({ content: 'Hi' }) }, 'gave an invalid answer.'],
  [{ ask: nonsense(undefined) }, 'The actor provided as "ask" answered undefined. Expected { at, terminate?'],
  [{ ask: nonsense({ at: 'now' }) }, 'The actor provided as "ask" answered an object with at.'],
  [
    { ask: fromPromise(async ({ input }) => (input.phase === 'gateCall' ? { kind: 'yes' as never } : { at: start })) },
    'The actor provided as "ask" answered an object with kind.',
  ],
]

test.for(wrong)(
  'RUN-09 ends the run in a typed error if a provided actor returns an invalid answer: %#',
  async ([actors, text]) => {
    const plugin = { name: 'p', runStart: () => undefined, gateCall: () => undefined }
    const { outcome } = await endOf(writing({ plugins: [plugin] }), actors)
    expect(outcome).toMatchObject({ reason: 'error', error: { message: expect.stringContaining(text) } })
  },
)

test("RUN-09 a tool actor's answer that is no valid result becomes a failed result, as for a tool", async () => {
  const { said } = await endOf(writing(), { runTool: nonsense(() => 'a function') })
  expect(said[2]).toContain('result 1.c1 (error): Tool "write" returned a value that')
})

test('RUN-09 uses only the first answer of a provided actor', async () => {
  const logic = fromPromise<ProvidedAnswer, ModelRequest>(async () => 'First.')
  const twice = {
    ...logic,
    transition: (...args: Parameters<typeof logic.transition>) => {
      const next = logic.transition(...args)
      if (next.status === 'done')
        queueMicrotask(() => args[2].self.send({ type: 'xstate.promise.resolve', data: 'Second.' }))
      return next
    },
  }
  expect((await endOf(writing(), { callModel: twice })).said).toEqual(['user: Hi', 'assistant: First.'])
})

test('RUN-09 limits the time of a provided actor that never answers, and ends the run with advice', async () => {
  const clock = fakeClock()
  const stopped: string[] = []
  const never = fromPromise<PhaseVerdict>(({ signal }) => {
    signal.addEventListener('abort', () => void stopped.push('stopped'))
    return new Promise(() => {})
  })
  const { agent } = writing({ clock, plugins: [{ name: 'p', runStart: () => undefined }] })
  const machine = agent.provide({ actorTimeoutMs: 5_000 }).provide({ actors: { ask: never as never } })
  const actor = createActor(machine, { input: 'Hi' }).start()
  await quiet()
  expect(actor.getSnapshot().value).toEqual({ running: { opening: 'startingRun' } })
  clock.advance(5_000)
  const { outcome } = await toPromise(actor)
  expect(outcome).toEqual({
    reason: 'error',
    error: {
      code: 'effect_failed',
      message:
        'ask: The actor provided as "ask" has not answered within 5000 ms. Have it answer, or give agent.provide({ actorTimeoutMs }) more time.',
    },
  })
  expect(stopped).toEqual(['stopped'])
})

test('RUN-09 limits the time of a model actor that never answers by the provided running-time limit', async () => {
  const asked: (number | null)[] = []
  const stopped = Promise.withResolvers<void>()
  const callModel = fromPromise<ProvidedAnswer, ModelRequest>(({ signal }) => {
    signal.addEventListener('abort', () => stopped.resolve())
    return new Promise(() => {})
  })
  const keepTime = fromPromise<TimeOver, KeepTimeInput>(async ({ input }) => {
    asked.push(input.forMs)
    return { at: start + (input.forMs ?? 0) }
  })
  const { outcome } = await endOf(writing({ limits: { maxDurationMs: 9_000 } }), { callModel, keepTime })
  expect(outcome).toMatchObject({ reason: 'stopped', code: 'max_duration' })
  expect(asked).toEqual([9_000])
  await stopped.promise
})

test('RUN-09 stops a provided actor whose call is cancelled', async () => {
  const stopped = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const runTool = fromPromise<ToolReturn, ProvidedCall>(({ signal }) => {
    signal.addEventListener('abort', () => stopped.resolve())
    asked.resolve()
    return new Promise(() => {})
  })
  const { agent } = writing()
  const actor = createActor(agent.machine.provide({ actors: { runTool } }), { input: 'Hi' }).start()
  await asked.promise
  actor.send({ type: 'run.cancelRequested', at: 1 })
  expect((await toPromise(actor)).outcome).toEqual({ reason: 'cancelled' })
  await stopped.promise
})

test.each<readonly [object, string]>([
  [
    { actors: { runTol: fromPromise(async () => null) } },
    'Option actors of machine.provide is "runTol", which is refused. No chart asks for it. Did you mean "runTool"? Known: modelCall, ',
  ],
  [
    { actions: { announceEndd: () => {} } },
    'is "announceEndd", which is refused. No chart asks for it. Did you mean "announceEnd"?',
  ],
  [{ guards: { isOver: () => true } }, 'Option guards of machine.provide is "isOver", which is refused.'],
  [
    { delays: { soon: 1 } },
    'Option delays of machine.provide is "soon", which is refused. No chart asks for it. Known: none.',
  ],
  [
    { actor: {} },
    'Option implementations of machine.provide is "actor", which is refused. No chart asks for it. Did you mean "actors"?',
  ],
  [{ actors: 1 }, 'Option actors of machine.provide is 1, which is refused. Expected an object.'],
])('RUN-09 refuses an implementation under a name that no chart uses: %j', (given, message) => {
  const { agent } = writing()
  for (const machine of [agent.machine, agent.provide({})]) {
    expect(() => machine.provide(given)).toThrow(
      expect.objectContaining({ name: 'UsageError', code: 'bad_option', message: expect.stringContaining(message) }),
    )
  }
})
