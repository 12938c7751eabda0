import { expect, test } from 'vitest'
import type { Plugin } from '../../src/index.ts'
import { userMessage } from '../../src/core/domain/message.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { MortalProcess } from '../../src/testing/crash/mortal-process.ts'
import { mortalStore } from '../../src/testing/crash/mortal-store.ts'
import { fakeClock, start } from '../../proof/support/fake-clock.ts'
import { resultsOf, transcriptOf } from '../../proof/support/read-run.ts'
import { recorded } from '../../proof/support/recorded-requests.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { eventsOf, heldReply, runId, stop, testAgent } from '../../proof/support/test-agent.ts'

type Hook = NonNullable<Plugin['beforeModel']>

const asking = (name: string, beforeModel: Hook): Plugin => ({ name, beforeModel })
const note = (text: string) => userMessage(text, start)
/** Asks in the first turn only. */
const first =
  (hook: Hook): Hook =>
  (context) =>
    context.turn === 1 ? hook(context) : undefined

test("PH-01 sends plugins' messages in one prompt, in the order of the plugins, and stores none", async () => {
  const { act } = toolbox()
  const { model, asked } = recorded([calls(call('c1', 'act')), 'Bye'])
  const { agent, store } = testAgent({
    model,
    tools: [act()],
    plugins: [
      asking(
        'a',
        first(({ addMessages }) => addMessages([note('one'), note('two')])),
      ),
      asking(
        'b',
        first(({ addMessages }) => addMessages([note('three')])),
      ),
    ],
  })
  await agent.run('Hi', { runId })

  expect(asked).toMatchObject([
    { messages: ['user: Hi', 'user: one', 'user: two', 'user: three'] },
    { messages: ['user: Hi', 'assistant: calls 1.c1 act', 'result 1.c1: act done'] },
  ])
  expect(await transcriptOf(store, runId)).toEqual([
    'user: Hi',
    'assistant: calls 1.c1 act',
    '1.c1 succeeded, result 1.c1: act done',
    'assistant: Bye',
  ])
})

test('RUN-02 PH-01 adds a result for every added call, and drops an added result without a call', async () => {
  const { model, asked } = recorded(['unused', 'Bye'])
  const { agent } = testAgent({
    model,
    plugins: [
      asking('a', ({ addMessages, messages }) => {
        const head = { timestamp: start, usage: usage(), model: 'm', provider: 'p', stopReason: 'toolUse' as const }
        const orphan = { callId: 'x', toolCallId: 'x', toolName: 'act', isError: false, status: 'success' as const }
        addMessages([
          { role: 'toolResult', ...orphan, content: [], timestamp: start },
          { role: 'assistant', content: [{ type: 'toolCall', id: 'y', name: 'act', arguments: {} }], ...head },
          note(`after ${messages().length}`),
        ])
      }),
    ],
  })
  await agent.run('Hi', { runId })
  expect(asked).toMatchObject([
    {
      messages: [
        'user: Hi',
        'assistant: calls undefined act',
        'result y (error): [Tool execution was interrupted before producing a result.]',
        'user: after 1',
      ],
    },
  ])
})

function usage() {
  return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 }
}

test('PH-01 overrides the settings of one model call', async () => {
  const { act } = toolbox()
  const { model, asked } = recorded([calls(call('c1', 'act')), 'Bye'])
  const settings = {
    thinking: 'high',
    temperature: 0.2,
    maxTokens: 9,
    toolChoice: 'auto',
    requiredCall: 'act',
  } as const
  const { agent } = testAgent({
    model,
    tools: [act()],
    plugins: [
      asking(
        'a',
        first(({ override }) => override(settings)),
      ),
    ],
    request: { temperature: 1, maxTokens: 100, thinking: 'off' },
  })
  await agent.run('Hi', { runId })
  expect(asked[0]).toMatchObject(settings)
  expect(asked[1]).toMatchObject({ temperature: 1, maxTokens: 100, thinking: 'off' })
  expect(asked[1]).not.toHaveProperty('requiredCall')
  expect(asked[1]).not.toHaveProperty('toolChoice')
})

test('PH-01 AGT-11 a finishing call keeps tool choice none, despite requests of plugins', async () => {
  const { act } = toolbox()
  const { model, asked } = recorded([calls(call('c1', 'act')), 'Bye'])
  const { agent } = testAgent({
    model,
    tools: [act()],
    limits: { maxTurns: 1 },
    onLimit: 'finish',
    plugins: [
      {
        ...asking('a', ({ override }) => override({ toolChoice: 'auto', requiredCall: true })),
        transformRequest: (request) => ({ ...request, toolChoice: 'auto' }),
      },
    ],
  })
  expect((await agent.run('Hi', { runId })).text).toBe('Bye')
  expect(asked).toMatchObject([{ toolChoice: 'auto', requiredCall: true }, { toolChoice: 'none' }])
  expect(asked[1]).not.toHaveProperty('requiredCall')
})

test('PH-01 asks the model that a plugin chose, then the others in their order, each with its own settings', async () => {
  const asked: unknown[] = []
  const failing = { error: { kind: 'network' as const, message: 'Away.' } }
  const own = recorded([failing, 'Bye'], 'own', asked).model
  const { agent } = testAgent({
    model: own,
    fallbackModels: [recorded(['Bye'], 'second', asked).model, recorded([failing], 'third', asked).model],
    retry: { maxRetries: 0 },
    plugins: [
      asking('a', ({ override, models }) => {
        expect(models).toEqual(['scripted/own', 'scripted/second', 'scripted/third'])
        override({ model: 'scripted/third', temperature: 0 })
      }),
    ],
  })
  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'natural_end' })
  expect(asked).toMatchObject([
    { model: 'third', temperature: 0 },
    { model: 'own', temperature: 0 },
    { model: 'second', temperature: 0 },
  ])
})

test('PRV-05 PH-01 refreshes the credentials of the model that a plugin chose', async () => {
  const refreshed: string[] = []
  const refused = { error: { kind: 'auth' as const, message: 'Unauthorized.', status: 401 } }
  const locked = (id: string) => ({
    ...recorded([refused], id).model,
    refreshCredentials: async () => void refreshed.push(id),
  })
  const { agent } = testAgent({
    model: locked('own'),
    fallbackModels: [locked('second')],
    plugins: [asking('a', ({ override }) => override({ model: 'scripted/second' }))],
  })
  expect((await agent.run('Hi', { runId })).outcome.error?.code).toBe('auth_error')
  expect(refreshed).toEqual(['second'])
})

test('PH-01 keeps a field of the plugin that set it first, and reports the other', async () => {
  const { act } = toolbox()
  const { model, asked } = recorded(['Bye'])
  const { agent } = testAgent({
    model,
    tools: [act('a'), act('b')],
    plugins: [
      asking('first', ({ chooseTools, override }) => {
        chooseTools(['b'])
        override({ temperature: 1 })
        override({ temperature: 0.5 })
      }),
      asking('second', ({ chooseTools, override }) => {
        chooseTools(['a'])
        override({ temperature: 0, maxTokens: 7 })
      }),
    ],
  })
  const events = await eventsOf(agent.start('Hi', { runId }))
  expect(asked).toMatchObject([{ tools: ['b'], temperature: 0.5, maxTokens: 7 }])
  expect(events.filter(({ type }) => type === 'plugin.conflict')).toMatchObject([
    {
      type: 'plugin.conflict',
      runId,
      subject: runId,
      at: start,
      field: 'tools',
      kept: 'first',
      ignored: 'second',
    },
    {
      type: 'plugin.conflict',
      runId,
      subject: runId,
      at: start,
      field: 'temperature',
      kept: 'first',
      ignored: 'second',
    },
  ])
})

const whole = asking('asking', ({ addMessages, chooseTools, override, turn }) => {
  addMessages([note(`only in turn ${turn}`)])
  chooseTools(['act'])
  override({ temperature: turn / 10, model: 'scripted/second' })
})

test('CKP-03 PH-01 sends the model the same request after a restart, and calls no plugin again', async () => {
  const box = toolbox()
  const tools = [box.act(), box.act('other')]
  const held = heldReply()
  const one = recorded([held.reply], 'second')
  const own = recorded(['unused', 'Bye'], 'own').model
  const before = testAgent({ model: own, fallbackModels: [one.model], tools, plugins: [whole] })
  const run = before.agent.start('Hi', { runId })
  const driving = run.settled()
  await held.asked
  expect(JSON.stringify(await before.store.read(runId))).toContain('only in turn 1')
  await stop(run, driving)

  before.clock.advance(60_000)
  const two = recorded([calls(call('c1', 'other')), 'Bye'], 'second')
  const changed = asking('changed', ({ turn, addMessages }) => addMessages([note(`changed ${turn}`)]))
  const after = testAgent({
    model: own,
    fallbackModels: [two.model],
    tools,
    plugins: [changed],
    store: before.store,
    clock: before.clock,
    process: 'p2',
  })
  const { outcome } = await (await after.agent.load(runId)).settled()

  expect(two.asked[0]).toEqual(one.asked[0])
  expect(one.asked).toMatchObject([
    { model: 'second', messages: ['user: Hi', 'user: only in turn 1'], tools: ['act'], temperature: 0.1 },
  ])
  expect(outcome).toEqual({ reason: 'natural_end' })
  expect(await resultsOf(before.store, runId)).toEqual({
    '1.c1': 'Tool "other" is not offered in this step. Available tools: act.',
  })
  expect(JSON.stringify((await before.store.read(runId)).document)).not.toContain('only in turn')
})

test.for(['before', 'after'] as const)(
  "CKP-03 PH-01 keeps plugins' requests when stopped %s any write",
  async (side) => {
    const play = async (process: MortalProcess, clock = fakeClock(), store = memoryStore({ clock })) => {
      const asked: unknown[] = []
      const replies = [calls(call('c1', 'act', { n: 1 }), call('c2', 'other')), 'Bye']
      const { act } = toolbox()
      const under = testAgent({
        model: recorded([], 'own').model,
        fallbackModels: [recorded(replies, 'second', asked).model],
        tools: [act('act', { effects: 'none' }), act('other')],
        plugins: [whole],
        store: mortalStore(store, process),
        clock,
        process: `p${Math.max(0, process.writes)}`,
      })
      return { ...under, asked, plain: store }
    }
    const undisturbed = new MortalProcess()
    const expected = await play(undisturbed)
    await expected.agent.run('Hi', { runId })
    const transcript = await transcriptOf(expected.plain, runId)

    for (let write = 2; write <= undisturbed.writes; write++) {
      const broken = await play(new MortalProcess({ write, side }))
      await broken.agent.run('Hi', { runId }).catch(() => undefined)
      broken.clock.advance(60_000)
      const next = await play(new MortalProcess(), broken.clock, broken.plain)
      await (await next.agent.load(runId)).settled()
      expect(await transcriptOf(broken.plain, runId), `${side} write ${write}`).toEqual(transcript)
      for (const request of [...broken.asked, ...next.asked]) expect(expected.asked).toContainEqual(request)
    }
  },
)

test('PH-01 stores no plan for a run without one', async () => {
  const { agent, store } = testAgent({ replies: ['Bye'], plugins: [asking('quiet', () => undefined)] })
  await agent.run('Hi', { runId })
  expect(JSON.stringify((await store.read(runId)).document)).not.toContain('"request"')
})
