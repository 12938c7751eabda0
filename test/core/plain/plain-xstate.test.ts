import { expect, test } from 'vitest'
import { createActor, setup, type Snapshot, toPromise, waitFor } from 'xstate'
import { runMachine } from '../../../machines/run/run.machine.ts'
import { type AgentEvent, type Model, type PlainLog, textOf, UsageError } from '../../../src/index.ts'
import { eventOf } from '../../../src/core/domain/event-of.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { say } from '../../../proof/support/say.ts'
import { eventsOf, quiet, runId, testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'

const replies = [
  { toolCalls: [{ id: 'c1', name: 'look', arguments: {} }] },
  { toolCalls: [{ id: 'c2', name: 'write', arguments: {} }] },
  'Bye',
]

function asking() {
  const { done, act } = toolbox()
  const tools = [act('look', { effects: 'none' }), act('write', { needs: 'approval' })]
  return { done, ...testAgent({ replies, tools }) }
}

test('RUN-09 EVT-04 numbers the events of a bare actor like the entries of its log', async () => {
  const { agent } = testAgent({ replies: ['Bye'] })
  let log: PlainLog | undefined
  const actor = createActor(agent.provide({ onLog: (kept) => (log = kept) }), { input: 'Hi' })
  const events: AgentEvent[] = []
  actor.on('*', (event) => events.push(event))
  await toPromise(actor.start())
  expect(events.at(-1)?.type).toBe('run.ended')
  await quiet()
  const { runId: id, entries } = log ?? { runId: '', entries: [] }
  const numbered = entries.flatMap((entry) => eventOf(entry, { runId: id, subject: id }) ?? [])
  expect(events.filter(({ seq }) => seq !== undefined)).toEqual(numbered)
  expect(numbered.map(({ type }) => type)).toContain('run.ended')
})

test('RUN-09 runs as a plain XState actor, waits, accepts a decision sent by hand and ends with its messages', async () => {
  const { agent, done, clock } = asking()
  const actor = createActor(agent.machine, { input: 'Hi' })
  actor.start()
  const waiting = await waitFor(actor, (snapshot) => snapshot.value === 'waiting')
  const [entry] = Object.values(waiting.context.calls)
  expect(done).toEqual(['look {}'])

  actor.send({
    type: 'decision.received',
    at: clock.now(),
    decision: {
      inboxId: 0,
      decisionId: 'd1',
      callId: entry?.callId ?? '',
      suspensionId: entry?.suspension?.id ?? '',
      action: 'resume',
      input: { edited: true },
    },
  })
  const { outcome, text, messages } = await toPromise(actor)
  expect({ outcome, text }).toEqual({ outcome: { reason: 'natural_end' }, text: 'Bye' })
  expect(messages.map(say)).toEqual([
    'user: Hi',
    'assistant: calls 1.c1 look',
    'result 1.c1: look done',
    'assistant: calls 2.c2 write',
    'result 2.c2: [A person changed the arguments of this call to: {"edited":true}] | write done',
    'assistant: Bye',
  ])
  expect(done).toEqual(['look {}', 'write {"edited":true}'])
})

test("RUN-09 emits a run's events on its actor, with the same order and content as the engine", async () => {
  const plain = asking()
  const told: AgentEvent[] = []
  const actor = createActor(plain.agent.machine, { input: 'Hi' })
  actor.on('*', (event) => void told.push(event))
  // @ts-expect-error No event has this name.
  actor.on('message.gone', () => {})
  const texts: string[] = []
  actor.on('message.ended', ({ message }) => void texts.push(say(message)))
  actor.start()
  await waitFor(actor, (snapshot) => snapshot.value === 'waiting')
  const [suspended] = told.flatMap((event) => (event.type === 'call.suspended' ? event.call.callId : []))
  await plain.agent.decide(actor, [{ target: suspended ?? '', action: 'resume' }])
  await toPromise(actor)
  await quiet()

  const engine = asking()
  const run = engine.agent.start('Hi', { runId })
  const events = [...(await eventsOf(run))]
  await run.approve()
  events.push(...(await eventsOf(run)))
  const shape = ({ seq: _, ...event }: AgentEvent) =>
    // A store counts its checkpoints and its events among the entries of a log.
    JSON.stringify({ ...event, runId: '', subject: '', at: 0 })
      .replaceAll(/"(seq|messageSeq|place)":\d+|"messages":[^\]]*/g, '')
      .replaceAll(/sus_p1_\d+/g, 'sus')
      // Emitted if the same process sent the previous prompt.
      .replaceAll(/"prefixShare":[\d.]+,/g, '')
  const parts = (list: readonly AgentEvent[]) => list.filter(({ type }) => type !== 'message.updated').map(shape)
  expect(parts(told)).toEqual(parts(events))
  expect(texts.at(-1)).toBe('assistant: Bye')
  expect(new Set(told.map((event) => event.runId)).size).toBe(1)
})

test('RUN-09 embeds in an application: two runs invoked by one machine stay separate', async () => {
  const { agent, prompts } = testAgent({ replies: ['Bye'] })
  const app = setup({ actors: { agent: agent.machine } }).createMachine({
    id: 'app',
    type: 'parallel',
    states: {
      one: {
        initial: 'asking',
        states: { asking: { invoke: { src: 'agent', input: 'One', onDone: 'done' } }, done: { type: 'final' } },
      },
      two: {
        initial: 'asking',
        states: { asking: { invoke: { src: 'agent', input: 'Two', onDone: 'done' } }, done: { type: 'final' } },
      },
    },
  })
  const actor = createActor(app)
  actor.start()
  await waitFor(actor, ({ status }) => status === 'done')
  expect(prompts).toEqual([['user: One'], ['user: Two']])
})

test('RUN-09 keeps the logs of two actors of one machine apart', async () => {
  const { agent, prompts } = asking()
  const actors = ['One', 'Two'].map((text) => createActor(agent.machine, { input: agent.machineInput(text) }))
  for (const actor of actors) actor.start()
  for (const actor of actors) await waitFor(actor, (snapshot) => snapshot.value === 'waiting')
  const firsts = prompts.map(([first]) => first)
  expect(new Set(firsts).size).toBe(2)
  for (const prompt of prompts) expect(prompt.filter((line) => line.startsWith('user'))).toHaveLength(1)
})

test('RUN-09 copies a message of the application completely, even if it is frozen only at the top', async () => {
  const { agent } = testAgent({ replies: ['Bye'] })
  const content = [{ type: 'text' as const, text: 'Hi' }]
  const message = Object.freeze({ role: 'user' as const, content, timestamp: 1 })
  const actor = createActor(agent.machine, { input: { ...agent.machineInput('?'), messages: [message] } })
  const ended = toPromise(actor.start())
  content[0] = { type: 'text', text: 'Changed' }
  expect((await ended).messages.map(say)).toEqual(['user: Hi', 'assistant: Bye'])
})

test('RUN-09 keeps the parts of two cut-off answers apart', async () => {
  const speaker = scripted(['unused'])
  const model: Model = {
    ...speaker,
    stream: (request) => {
      const [first] = request.messages
      const name = first === undefined ? '' : textOf(first)
      const isContinued = request.messages.length > 1
      const reply = isContinued ? { text: ` ends ${name}` } : { text: `${name} begins`, stopReason: 'length' as const }
      return scripted([reply], { by: 'calls' }).stream(request)
    },
  }
  const { agent, prompts } = testAgent({ model })
  const actors = ['One', 'Two'].map((text) => createActor(agent.machine, { input: agent.machineInput(text) }))
  for (const actor of actors) actor.start()
  for (const actor of actors) await waitFor(actor, (snapshot) => snapshot.status === 'done')
  expect(prompts.filter((prompt) => prompt.length > 1)).toEqual([
    ['user: One', 'assistant: One begins', 'user: Continue exactly where you stopped.'],
    ['user: Two', 'assistant: Two begins', 'user: Continue exactly where you stopped.'],
  ])
})

test('RUN-09 CKP-03 continues twice from one snapshot, each actor with its own effects', async () => {
  const { agent, prompts } = testAgent({ replies: ['Bye'] })
  let log: PlainLog | undefined
  const first = createActor(agent.provide({ onLog: (kept) => (log = kept) }), { input: 'Hi' })
  first.start()
  const saved = JSON.stringify([first.getPersistedSnapshot(), log])
  first.stop()
  const twins = [1, 2].map(() => {
    const [snapshot, kept] = JSON.parse(saved) as [Snapshot<unknown>, PlainLog]
    return createActor(agent.provide({ log: kept }), { snapshot })
  })
  for (const twin of twins) twin.start()
  const outputs = await Promise.all(twins.map((twin) => toPromise(twin)))
  expect(outputs.map(({ outcome, text }) => [outcome.reason, text])).toEqual([
    ['natural_end', 'Bye'],
    ['natural_end', 'Bye'],
  ])
  expect(prompts).toEqual([['user: Hi'], ['user: Hi']])
})

test('RUN-09 replaces parts by provide and shows every actor to inspect', async () => {
  const { agent } = asking()
  const seen = new Set<string>()
  const announced: string[] = []
  const machine = agent.machine.provide({ actions: { announceEnd: () => void announced.push('end') } })
  const actor = createActor(machine, {
    input: agent.machineInput('Hi'),
    inspect: (event) => {
      if (event.type === '@xstate.actor' && 'id' in event.actorRef) seen.add(String(event.actorRef.id))
    },
  })
  actor.start()
  await waitFor(actor, (snapshot) => snapshot.value === 'waiting')
  expect(announced).toEqual(['end'])
  expect([...seen]).toEqual(expect.arrayContaining(['modelCall', 'callModel', '1.c1', 'runTool', '2.c2']))
})

test('RUN-09 a bare machine names the action to provide', async () => {
  const { agent } = asking()
  const actor = createActor(runMachine, { input: agent.machineInput('Hi') })
  const failed = new Promise((resolve) => actor.subscribe({ error: resolve }))
  actor.start()
  expect(String(await failed)).toContain('Provide the action "recordInput"')
})

test('RUN-09 a bare machine with its actions names the actor to provide', async () => {
  const { agent } = asking()
  const machine = runMachine.provide({ actions: { recordInput: () => {} } })
  const actor = createActor(machine, { input: agent.machineInput('Hi') })
  const failed = new Promise((resolve) => actor.subscribe({ error: resolve }))
  actor.start()
  expect(String(await failed)).toMatch(/Provide the actor "(keepTime|callModel)"/)
})

test('RUN-09 AGT-12 refuses to start without a prompt, with an empty prompt or with invalid options', () => {
  const { agent } = asking()
  expect(() => createActor(agent.machine).start()).toThrow(/The prompt is not JSON: it is undefined/)
  expect(() => createActor(agent.machine, { input: ' ' }).start()).toThrow(/The prompt is empty/)
  expect(() => agent.provide({ onlog: () => {} } as never)).toThrow(/Did you mean onLog/)
  expect(() => agent.provide({ store: {} } as never)).toThrow(/createAgent\(\{ store \}\) with agent.start/)
  expect(() => agent.provide({ actorTimeoutMs: 0 })).toThrow(UsageError)
})
