import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInspector } from '@statelyai/inspect'
import { expect, test } from 'vitest'
import { createActor, createMachine, toPromise, waitFor } from 'xstate'
import { readChart, runMachine } from '../../../machines/index.ts'
import { loopbackServer } from '../../../proof/support/loopback-server.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { createAgent, type PlainLog, tool } from '../../../src/index.ts'
import { type InspectorMessage, statelyInspector } from '../../../src/adapters/inspect/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { clerk } from './clerk.ts'

const actorsIn = (messages: readonly InspectorMessage[]) =>
  new Set(messages.flatMap((message) => (message.type === '@xstate.actor' ? message.sessionId : [])))

/** Every state an actor was shown in, those it only came through included. */
function statesOf(messages: readonly InspectorMessage[], id: string): ReadonlySet<string> {
  const own = messages.filter(({ sessionId }) => sessionId === id)
  const passes = own.flatMap((message) => (message.type === '@xstate.snapshot' ? (message.event['passes'] ?? []) : []))
  return new Set([passes].flat().map(String))
}

const lines = (seen: readonly { readonly body: string }[]) =>
  seen.flatMap(({ body }) => body.split('\n')).map((line) => JSON.parse(line) as InspectorMessage)

test('OBS-02 shows every state of a run with two parallel calls over a kill, a wait and a resume, under the same ids', async () => {
  await using receiver = await loopbackServer()
  const path = join(await temporaryFolder(), 'runs.db')
  const program = new URL('processes/inspected-run.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [program, path, 'r1', receiver.origin], { stdio: 'inherit' })
  const isLooking = () => statesOf(lines(receiver.seen), 'r1/1.look').has('running.executing')
  await expect.poll(isLooking, { timeout: 30_000 }).toBe(true)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const before = lines(receiver.seen)
  receiver.seen.length = 0

  const store = sqliteStore(path)
  const inspector = statelyInspector({ url: receiver.origin })
  const agent = clerk({ store, inspect: inspector, look: async () => 'seen' })
  const run = await agent.load('r1')
  expect((await run.settled()).status).toBe('waiting')
  await run.approve()
  expect((await run.settled()).status).toBe('done')
  await inspector.close()
  await store.close()
  const after = lines(receiver.seen)

  const calls = ['r1', 'r1/1.look', 'r1/1.send', 'r1/1.look/runTool']
  expect(calls.filter((id) => !actorsIn(before).has(id) || !actorsIn(after).has(id))).toEqual([])
  expect(new Set([...before, ...after].map(({ rootId }) => rootId))).toEqual(new Set(['r1']))
  expect([...statesOf(after, 'r1/1.send')]).toEqual([
    'suspended.decided',
    'resuming.gating',
    'resuming.judging',
    'running.executing',
    'succeeded.concluding',
    'succeeded.settled',
  ])
  const shown = [...statesOf(before, 'r1'), ...statesOf(after, 'r1')]
  const wanted = [
    'running.turn.callingModel',
    'running.toolRound.executing',
    'waiting',
    'running.opening.restarting',
    'done',
  ]
  expect(wanted.filter((state) => !shown.includes(state))).toEqual([])
  expect(inspector.counts).toEqual({ sent: after.length, dropped: 0 })
}, 60_000)

test("OBS-02 shows an agent's charts state by state, as they were run", async () => {
  const messages: InspectorMessage[] = []
  const steps: string[] = []
  const inspector = statelyInspector({ send: (message) => messages.push(message) })
  const inspect = (event: Parameters<typeof inspector.next>[0]) => {
    if (event.type === '@xstate.microstep' && 'id' in event.actorRef && event.actorRef.id === 'root') {
      const { value } = event.snapshot as { readonly value: object | string }
      steps.push(JSON.stringify(value).replaceAll(/[{}"]/g, '').replaceAll(':', '.'))
    }
    inspector.next(event)
  }
  const agent = clerk({ store: memoryStore(), inspect, look: async () => 'seen' })
  const { runId } = await agent.run('Go')
  const passes = messages.flatMap((message) =>
    message.type === '@xstate.snapshot' && message.sessionId === runId ? (message.event['passes'] ?? []) : [],
  )
  expect(passes).toEqual(steps)
  expect(steps.length).toBeGreaterThan(20)
})

test("OBS-02 shows a bare actor under its run's id, before and after it continues elsewhere", async () => {
  const shown: InspectorMessage[][] = [[], []]
  const inspectorOf = (index: number) => statelyInspector({ send: (message) => shown[index]?.push(message) })
  const ask = tool({
    name: 'ask',
    description: 'Asks.',
    input: { type: 'object' },
    needs: 'approval',
    execute: () => 'yes',
  })
  const model = scripted([{ toolCalls: [{ id: 'a', name: 'ask', arguments: {} }] }, 'Done.'])
  const agent = createAgent({ name: 'clerk', model, tools: [ask] })
  let log: PlainLog | undefined
  const actor = createActor(agent.provide({ onLog: (kept) => (log = kept) }), { input: 'Go', inspect: inspectorOf(0) })
  await waitFor(actor.start(), ({ value }) => value === 'waiting')
  const snapshot = actor.getPersistedSnapshot()
  actor.stop()
  const again = createActor(agent.provide(log === undefined ? {} : { log }), {
    snapshot,
    inspect: inspectorOf(1),
  }).start()
  await agent.decide(again, [{ target: '1.a', action: 'resume' }])
  await toPromise(again)
  const [before, after] = shown.map((messages) => actorsIn(messages))
  const runId = log?.runId ?? ''
  expect(runId).toMatch(/^run_/)
  for (const ids of [before, after]) expect([...(ids ?? [])]).toEqual(expect.arrayContaining([runId, `${runId}/1.a`]))
  expect(shown.flat().every(({ rootId }) => rootId === runId)).toBe(true)
})

test('OBS-02 an actor around an agent keeps its own id, and the run below it has its own', async () => {
  const messages: InspectorMessage[] = []
  const agent = createAgent({ name: 'guide', model: scripted(['Hi.']) })
  const app = createMachine({
    id: 'app',
    initial: 'on',
    states: { on: { invoke: { src: agent.machine, id: 'guide', input: 'Hi', onDone: 'off' } }, off: { type: 'final' } },
  } as never)
  const actor = createActor(app, { inspect: statelyInspector({ send: (message) => messages.push(message) }) })
  actor.start()
  await toPromise(actor)
  const found = messages.flatMap((one) => (one.type === '@xstate.actor' ? one : []))
  expect(found.find(({ name }) => name === 'app')?.sessionId).toBe(actor.sessionId)
  const run = found.find(({ name }) => name === 'run')
  expect([run?.parentId, run?.sessionId.startsWith('run_')]).toEqual([actor.sessionId, true])
})

test("OBS-02 sends a chart's definition once, and at most 20 kB for a call after the first", async () => {
  const messages: InspectorMessage[] = []
  const turn = { toolCalls: [{ name: 'look', arguments: { at: 'x'.repeat(200) } }] }
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    execute: () => 'y'.repeat(50_000),
  })
  const inspect = statelyInspector({ send: (message) => messages.push(message) })
  const agent = createAgent({
    name: 'clerk',
    model: scripted([turn, turn, turn, turn, turn, 'Done.']),
    tools: [look],
    inspect,
  })
  await agent.run('Go')
  const defined = messages.flatMap((one) => (one.type === '@xstate.actor' && one.definition !== undefined ? [one] : []))
  expect(defined.map(({ name }) => name)).toEqual(['run', 'modelCall', 'toolCall'])
  const drawn = readChart(createMachine(JSON.parse(defined[0]?.definition ?? '')))
  expect(drawn.states.map(({ path }) => path)).toEqual(readChart(runMachine).states.map(({ path }) => path))
  const bytes: number[] = [0]
  for (const message of messages) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) + Buffer.byteLength(JSON.stringify(message))
    if (message.type === '@xstate.event' && message.event.type === 'toolCall.settled') bytes.push(0)
  }
  expect(bytes.length).toBe(6)
  expect(Math.max(...bytes.slice(1))).toBeLessThanOrEqual(20_000)
})

test('OBS-02 shows a round of 200 calls by summaries: no message grows with the calls', async () => {
  let longest = 0
  const inspect = statelyInspector({
    send: (message) => {
      if (!('definition' in message)) longest = Math.max(longest, JSON.stringify(message).length)
    },
  })
  const toolCalls = Array.from({ length: 200 }, (_, index) => ({ id: `c${index}`, name: 'look', arguments: {} }))
  const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => 'seen' })
  await createAgent({ name: 'clerk', model: scripted([{ toolCalls }, 'Done.']), tools: [look], inspect }).run('Go')
  expect(longest).toBeLessThan(40_000)
})

test("OBS-02 passes finished messages unchanged to the official inspector's adapter", async () => {
  const taken: unknown[] = []
  const messages: InspectorMessage[] = []
  const inspector = createInspector({ send: (message) => taken.push(message) })
  const both = [statelyInspector({ inspector }), statelyInspector({ send: (message) => messages.push(message) })]
  const inspect = (event: never) => {
    for (const one of both) one.next(event)
  }
  await createAgent({ name: 'guide', model: scripted(['Hi.']), inspect }).run('Hi')
  const bare = (list: readonly unknown[]) => list.map((one) => ({ ...(one as object), createdAt: '' }))
  expect(bare(taken)).toEqual(bare(messages))
  expect(taken.length).toBeGreaterThan(10)
})

test('OBS-02 masks secrets by name, shape and value, and shows the beginning of long texts', async () => {
  const messages: InspectorMessage[] = []
  const secrets = [{ name: 'PIN', value: 'correct horse' }]
  const inspector = statelyInspector({ send: (message) => messages.push(message), secrets })
  const machine = createMachine({
    id: 'vault',
    context: {
      apiKey: 'plain-looking',
      note: `uses sk-proj-${'a1B2'.repeat(10)} and postgres://app:hunter22@db/x`,
      pin: 'the correct horse it is',
      long: `${'z'.repeat(990)}sk-proj-${'c3D4'.repeat(10)}${'z'.repeat(50_000_000)}`,
      headers: { Authorization: 'Bearer abc' },
    },
    on: { go: {} },
  })
  const actor = createActor(machine, { inspect: inspector }).start()
  actor.send({ type: 'go', password: 'swordfish', token: '', cookies: [{ 'set-cookie': 'id=77' }] })
  await inspector.close()
  const text = JSON.stringify(messages)
  const leaks = ['plain-looking', 'a1B2', 'c3D4', 'hunter22', 'correct horse', 'abc', 'swordfish', 'id=77']
  expect(leaks.filter((secret) => text.includes(secret))).toEqual([])
  expect(text).toContain('[50001038 characters]')
  expect(text).toContain('[secret PIN]')
  expect(text.length).toBeLessThan(20_000)
})

test.each([
  ['answers 500', () => loopbackServer((response) => response.writeHead(500).end())],
  ['hangs up', () => loopbackServer((response) => response.destroy())],
])('OBS-02 a receiver that %s delays no run, and dropped messages are counted', async (_, start) => {
  await using receiver = await start()
  const inspector = statelyInspector({ url: receiver.origin })
  const agent = createAgent({ name: 'guide', model: scripted(['Hi.']), inspect: inspector })
  expect((await agent.run('Hi')).text).toBe('Hi.')
  await inspector.close()
  expect(inspector.counts.sent).toBe(0)
  expect(inspector.counts.dropped).toBeGreaterThan(10)
})

test('OBS-02 a receiver that is missing or throws delays no run', async () => {
  const gone = await loopbackServer()
  await gone[Symbol.asyncDispose]()
  const throwing = () => {
    throw new Error('Not now.')
  }
  for (const options of [{ url: gone.origin }, { url: gone.origin.replace('http', 'ws') }, { send: throwing }]) {
    const inspector = statelyInspector(options)
    expect((await createAgent({ name: 'guide', model: scripted(['Hi.']), inspect: inspector }).run('Hi')).text).toBe(
      'Hi.',
    )
    await inspector.close()
    expect(inspector.counts).toEqual({ sent: 0, dropped: inspector.counts.dropped })
    expect(inspector.counts.dropped).toBeGreaterThan(10)
  }
})

test.each([
  [{ url: 'ws://example.org:8080' }, 'an address of this machine'],
  [{ url: 'https://127.0.0.1' }, 'Expected ws:// or http://'],
  [{ url: 'http://127.0.0.1.example.org' }, 'an address of this machine'],
  [{ url: 'nowhere' }, 'Expected ws:// or http://'],
  [{ sent: () => {} }, 'Did you mean send?'],
])('OBS-02 refuses %j and says what is expected', (options, text) => {
  expect(() => statelyInspector(options as never)).toThrow(
    expect.objectContaining({ code: 'bad_option', message: expect.stringContaining(text) }),
  )
})

test('OBS-02 shows the event of a step as it was sent, even if its receiver has changed it since', async () => {
  const messages: InspectorMessage[] = []
  const inspector = statelyInspector({ send: (message) => messages.push(message) })
  const machine = createMachine({
    id: 'counter',
    on: { add: { actions: ({ event }) => Object.assign(event, { by: 'changed' }) } },
  })
  const actor = createActor(machine, { inspect: inspector }).start()
  const event = { type: 'add', by: 'one' }
  actor.send(event)
  event.by = 'two'
  actor.send(event)
  await inspector.close()
  const steps = messages.filter(({ type }) => type !== '@xstate.actor')
  const told = steps.flatMap((message) => ('event' in message && message.event.type === 'add' ? [message] : []))
  expect(told.map(({ type, event: { by } }) => [type, by])).toEqual([
    ['@xstate.event', 'one'],
    ['@xstate.snapshot', 'one'],
    ['@xstate.event', 'two'],
    ['@xstate.snapshot', 'two'],
  ])
})
