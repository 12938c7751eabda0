import { expect, test } from 'vitest'
import { createActor } from 'xstate'
import { type AgentEvent, type Run, StoreError } from '../../src/index.ts'
import { userMessage } from '../../src/core/domain/message.ts'
import type { LoopPhaseContext } from '../../src/core/ports/plugin.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { start } from '../../proof/support/fake-clock.ts'
import { call, calls, say } from '../../proof/support/say.ts'
import { eventsOf, heldReply, runId, stop, testAgent } from '../../proof/support/test-agent.ts'
import { heldTool, toolbox } from '../../proof/support/tools.ts'

const { act } = toolbox()
const head = { runId, subject: runId, at: start }

type EventOf<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>

function only<Type extends AgentEvent['type']>(events: readonly AgentEvent[], type: Type): readonly EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type)
}

test("EVT-01 emits a run's events with every field", async () => {
  const replies = [calls(call('c1', 'act', { n: 1 })), 'Bye']
  const { agent } = testAgent({ replies, tools: [act()] })
  const run = agent.start('Hi', { runId, labels: { team: 'blue' } })
  const events = await eventsOf(run)
  const messages = await run.messages()
  const [user, asked, result, said] = messages.map(({ place: _, turn: __, ...message }) => message)
  const places = messages.map(({ place }) => place)
  const usageOf = (index: number) => {
    const message = messages[index]
    return message?.role === 'assistant' ? message.usage : undefined
  }
  const configuration = { provider: 'scripted', model: 'scripted' }
  const tool = { ...head, callId: '1.c1', toolName: 'act' }
  const expected = [
    { ...head, type: 'run.started', agent: 'test', metadata: { team: 'blue' }, configuration },
    { ...head, type: 'message.ended', turn: 1, place: places[0], message: user },
    { ...head, type: 'turn.started', turn: 1, trigger: 'user', said: [places[0]] },
    { ...head, type: 'message.started', turn: 1, role: 'assistant' },
    { ...head, type: 'message.ended', turn: 1, place: places[1], message: asked },
    { ...tool, type: 'toolExecution.started', arguments: { n: 1 }, attempt: 1 },
    { ...tool, type: 'toolExecution.ended', status: 'succeeded', isError: false, result },
    { ...tool, type: 'call.settled', place: places[2], status: 'succeeded' },
    { ...head, type: 'message.ended', turn: 1, place: places[2], message: result },
    {
      ...head,
      type: 'turn.ended',
      turn: 1,
      place: places[1],
      usage: usageOf(1),
    },
    { ...head, type: 'turn.started', turn: 2, trigger: 'continuation' },
    { ...head, type: 'message.started', turn: 2, role: 'assistant' },
    { ...head, type: 'message.ended', turn: 2, place: places[3], message: said },
    {
      ...head,
      type: 'turn.ended',
      turn: 2,
      place: places[3],
      usage: usageOf(3),
      prefixShare: 1,
    },
    {
      ...head,
      type: 'run.ended',
      outcome: { reason: 'natural_end' },
      turns: 2,
      toolCalls: 1,
      usage: (await run.result()).usage,
      cost: 0,
    },
  ]
  let seq = 0
  const isLive = ({ type }: { readonly type: string }) => type.startsWith('toolExecution') || type === 'message.started'
  const told = events.filter(({ type }) => type !== 'message.updated')
  expect(told.map(({ seq: _, ...event }) => event)).toEqual(expected)
  for (const event of told) {
    expect([event.type, event.seq === undefined]).toEqual([event.type, isLive(event)])
    if (event.seq === undefined) continue
    expect(event.seq).toBeGreaterThan(seq)
    seq = event.seq
  }
})

test('EVT-01 emits the messages sent before a run without a turn waits or ends', async () => {
  const plugins = [{ name: 'ender', stepStart: ({ terminate }: { terminate(): void }) => terminate() }]
  const events = await eventsOf(testAgent({ plugins }).agent.start('Hi', { runId }))
  expect(events.map(({ type }) => type)).toEqual(['run.started', 'message.ended', 'run.ended'])
  expect(only(events, 'message.ended')).toMatchObject([{ turn: 1, place: 2 }])
})

test("EVT-01 emits plugins' messages before a turn as they enter the log", async () => {
  const plugins = [
    { name: 'hint', beforeModel: ({ append }: LoopPhaseContext) => append(userMessage('Be brief.', start)) },
  ]
  const events = await eventsOf(testAgent({ plugins, replies: ['Bye'] }).agent.start('Hi', { runId }))
  const told = events.flatMap((event) =>
    event.type === 'message.ended' ? `${event.turn} ${say(event.message)}` : event.type,
  )
  expect(told.filter((line) => !line.startsWith('message.'))).toEqual([
    'run.started',
    '1 user: Hi',
    '1 user: Be brief.',
    'turn.started',
    '1 assistant: Bye',
    'turn.ended',
    'run.ended',
  ])
})

test('EVT-01 a process that takes over before the first turn emits no message that is already logged', async () => {
  const store = memoryStore()
  const begun = Promise.withResolvers<void>()
  const never = new Promise<void>(() => {})
  const waits = { name: 'slow', stepStart: () => (begun.resolve(), never) }
  const first = testAgent({ store, plugins: [waits] })
  const run = first.agent.start('Hi', { runId })
  const driving = run.settled()
  await begun.promise
  await stop(run, driving)
  const second = testAgent({ store, process: 'p2', replies: ['Bye'] })
  const events = await eventsOf(await second.agent.load(runId))
  expect(events.map(({ type }) => type).filter((type) => type !== 'message.updated')).toEqual([
    'turn.started',
    'message.started',
    'message.ended',
    'turn.ended',
    'run.ended',
  ])
  expect(only(events, 'message.ended').map(({ message }) => message.role)).toEqual(['assistant'])
})

test('EVT-01 a process that takes over inside a turn emits no earlier message', async () => {
  const store = memoryStore()
  const held = heldReply()
  const first = testAgent({ store, replies: [held.reply] })
  const run = first.agent.start('Hi', { runId })
  const driving = run.settled()
  await held.asked
  await stop(run, driving)
  const second = testAgent({ store, process: 'p2', replies: ['Bye'] })
  const events = await eventsOf(await second.agent.load(runId))
  expect(only(events, 'message.ended').map(({ message }) => message.role)).toEqual(['assistant'])
  expect(only(events, 'turn.ended')).toMatchObject([{ turn: 1, place: 5 }])
})

test.each<[string, (run: Run) => Promise<unknown>]>([
  ['the run is cancelled', (run) => run.cancel()],
  ['its call is cancelled', (run) => run.cancelCall('1.a')],
])('EVT-01 emits one end of a running tool if %s', async (_what, cancel) => {
  const held = heldTool()
  const { agent } = testAgent({ tools: [held.tool], replies: [calls(call('a', 'held')), 'Bye'] })
  const run = agent.start('Hi', { runId })
  void held.begins('1.a').then(() => cancel(run))
  const told = (await eventsOf(run)).filter(({ type }) => type.startsWith('toolExecution'))
  const tool = { ...head, callId: '1.a', toolName: 'held' }
  expect(told).toEqual([
    { ...tool, type: 'toolExecution.started', arguments: {}, attempt: 1 },
    { ...tool, type: 'toolExecution.ended', status: 'cancelled', isError: true },
  ])
})

test('EVT-01 emits no end of a running tool if another process may continue it', async () => {
  const inner = memoryStore()
  const held = heldTool()
  let isBroken = false
  const store: Store = {
    ...inner,
    inbox: (...given) =>
      isBroken ? Promise.reject(new StoreError('store_unavailable', 'gone')) : inner.inbox(...given),
  }
  const { agent } = testAgent({ store, tools: [held.tool], replies: [calls(call('a', 'held'))] })
  const run = agent.start('Hi', { runId })
  const events: AgentEvent[] = []
  const told = (async () => {
    for await (const event of run) events.push(event)
  })()
  await held.begins('1.a')
  isBroken = true
  await run.cancel()
  await expect(told).rejects.toThrow('gone')
  expect(only(events, 'toolExecution.started')).toHaveLength(1)
  expect(only(events, 'toolExecution.ended')).toEqual([])
})

test('EVT-01 a bare actor emits one end of a cancelled tool, with run and subject', async () => {
  const held = heldTool()
  const { agent } = testAgent({ tools: [held.tool], replies: [calls(call('a', 'held'))] })
  const actor = createActor(agent.machine, { input: 'Hi' })
  const events: AgentEvent[] = []
  actor.on('*', (event) => void events.push(event))
  const done = new Promise<void>((resolve) => void actor.subscribe({ complete: resolve }))
  actor.start()
  await held.begins('1.a')
  actor.send({ type: 'run.cancelRequested', at: start })
  await done
  expect(only(events, 'toolExecution.ended')).toMatchObject([{ callId: '1.a', status: 'cancelled' }])
  expect(new Set(events.map(({ subject, runId: id }) => `${subject} ${id}`))).toEqual(new Set(['run_p1_1 run_p1_1']))
})

/** A store that keeps more of each new run than this version's starts have. */
function storing(more: object): Store {
  const store = memoryStore()
  return {
    ...store,
    create: (run, ...rest) => store.create({ ...run, input: { ...(run.input as object), ...more } }, ...rest),
  }
}

test("EVT-03 names the run's stored subject on every event", async () => {
  const replies = [calls(call('a', 'act')), 'Bye']
  const events = await eventsOf(testAgent({ tools: [act()], replies }).agent.start('Hi', { runId, subject: 'talk-7' }))
  expect(events.length).toBeGreaterThan(15)
  expect(new Set(events.map((event) => event.subject))).toEqual(new Set(['talk-7']))
})

test.each([
  [{ parentRunId: 'parent-1' }, 'subAgent'],
  [{ session: 's1', parentRunId: 'parent-1', continuation: { kind: 'default' } }, 'continuation'],
  [{ continuation: { kind: 'rerun', tag: 't' } }, 'continuation'],
  [{ parentRunId: 'parent-1', continuation: { kind: 'branch', tag: 't' } }, 'branch'],
])("EVT-01 emits a run's origin, and the trigger of its first turn: %j", async (origin, trigger) => {
  const replies = [calls(call('a', 'act')), 'Bye']
  const events = await eventsOf(
    testAgent({ store: storing(origin), tools: [act()], replies }).agent.start('Hi', { drive: false }),
  )
  expect(events[0]).toMatchObject({ type: 'run.started', ...origin })
  expect(only(events, 'turn.started').map((event) => event.trigger)).toEqual([trigger, 'continuation'])
})

test("EVT-01 emits the agent's id, and the application's metadata of the run", async () => {
  const { agent } = testAgent({ id: 'desk-7', replies: ['Hi', 'Yes'] })
  const given = { metadata: { page: { number: 3 }, team: 'red' }, labels: { team: 'blue' } }
  const told = { agent: 'test', agentId: 'desk-7', metadata: { page: { number: 3 }, team: 'blue' } }
  const run = agent.start('Hi', { runId, ...given })
  expect((await eventsOf(run))[0]).toMatchObject({ type: 'run.started', ...told })
  const next = await run.prompt('More?', { runId: 'run-2' })
  expect((await eventsOf(next))[0]).toMatchObject({ type: 'run.started', runId: 'run-2', ...told })
})

test.each([
  ['a list', [1]],
  ['what is not JSON', { when: () => 0 }],
  ['what is too large', { text: 'x'.repeat(64_000) }],
  ['what is too deep', JSON.parse('{"a":'.repeat(300) + '1' + '}'.repeat(300))],
  ['a key that is not taken', JSON.parse('{"__proto__":{"admin":true}}')],
])('EVT-01 refuses %s as the metadata of a run', (_, metadata) => {
  const { agent } = testAgent({ replies: [] })
  expect(() => agent.start('Hi', { metadata })).toThrow(expect.objectContaining({ code: 'bad_metadata' }))
})

test('EVT-04 DEC-01 stores who decided, about which suspension and with which scope, without arguments or results', async () => {
  const replies = [calls(call('c1', 'act'), call('c2', 'act')), 'Bye']
  const { agent } = testAgent({ replies, tools: [act('act', { needs: 'approval' })] })
  const run = agent.start('Hi', { runId })
  const { suspended } = await run.settled()
  const ids = suspended.map(({ suspension }) => suspension?.id)
  await run.edit('1.c1', { n: 2 }, { by: 'Ann', scope: 'run', decisionId: 'd1' })
  await run.deny('1.c2', { by: 'Bob', reason: 'Not today', decisionId: 'd2' })
  await run.settled()
  const events: AgentEvent[] = []
  for await (const event of run.events()) events.push(event)
  const decided = { type: 'call.decided', runId, subject: runId, at: start, seq: expect.any(Number) }
  expect(only(events, 'call.decided')).toEqual([
    { ...decided, callId: '1.c1', decisionId: 'd1', suspensionId: ids[0], action: 'resume', scope: 'run', by: 'Ann' },
    { ...decided, callId: '1.c2', decisionId: 'd2', suspensionId: ids[1], action: 'cancel', by: 'Bob' },
  ])
})

test('EVT-04 DEC-06 emits a decision that was sent twice once', async () => {
  const { agent } = testAgent({
    replies: [calls(call('c1', 'act')), 'Bye'],
    tools: [act('act', { needs: 'approval' })],
  })
  const run = agent.start('Hi', { runId })
  await run.settled()
  expect((await run.approve('1.c1', { decisionId: 'd1' })).answer).toBe('applied')
  expect((await run.approve('1.c1', { decisionId: 'd1' })).answer).toBe('duplicate')
  expect(only(await eventsOf(run), 'call.decided').map(({ decisionId }) => decisionId)).toEqual(['d1'])
})

test('EVT-04 RUN-07 emits no decision after the end of a run that was cancelled with it', async () => {
  const { agent } = testAgent({
    replies: [calls(call('c1', 'act'), call('c2', 'act')), 'Bye'],
    tools: [act('act', { needs: 'approval' })],
  })
  const run = agent.start('Hi', { runId })
  await run.settled()
  await run.cancel()
  await run.approve('1.c1')
  const events = await eventsOf(run)
  expect(events.at(-1)?.type).toBe('run.ended')
})
