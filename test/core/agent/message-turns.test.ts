import { expect, test } from 'vitest'
import { z } from 'zod'
import { restoreDump } from '../../../proof/fixtures/dump-store.ts'
import {
  beginFixture,
  fixtureAgent,
  fixtureId,
  type FixtureRun,
  playFixture,
} from '../../../proof/fixtures/fixture-run.ts'
import { fixtureRuns } from '../../../proof/fixtures/fixture-runs.ts'
import { recordRun } from '../../../proof/fixtures/recording.ts'
import { fakeClock } from '../../../proof/support/fake-clock.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { heldReply, runId, testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import {
  type Agent,
  type AgentEvent,
  emptyRunView,
  foldEvents,
  type Plugin,
  type Run,
  userMessage,
} from '../../../src/index.ts'
import type { TranscriptMessage } from '../../../src/ports.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { temporaryFolder } from '../../adapters/stores/temporary-folder.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'

/** Every message of a run as `role turn`, with the turn of its event where that is another one. */
function turnsOf(messages: readonly TranscriptMessage[], events: readonly AgentEvent[]): readonly string[] {
  const told = new Map(events.flatMap((event) => (event.type === 'message.ended' ? [[event.place, event.turn]] : [])))
  return messages.map(({ role, place, turn }) => {
    const heard = told.get(place)
    return `${role} ${turn}${heard === turn ? '' : `, told in ${heard}`}`
  })
}

function heardFrom(agent: Agent): AgentEvent[] {
  const events: AgentEvent[] = []
  agent.on((event) => void events.push(event))
  return events
}

/** The turns in `messages`, the result and the fold of the events, which are equal. */
async function readTurns(run: Run, events: readonly AgentEvent[]): Promise<readonly string[]> {
  const messages = await run.messages()
  const own = events.filter((event) => event.runId === run.id)
  expect((await run.result()).messages).toEqual(messages)
  expect(foldEvents(own, emptyRunView).messages).toEqual(messages)
  return turnsOf(messages, own)
}

/** An answer and a result in time are told in their turn, a late result later, and anything else in its turn or the one before. */
function differences(messages: readonly TranscriptMessage[], events: readonly AgentEvent[]): readonly string[] {
  const found = new Map(messages.map((message) => [message.place, message]))
  return events.flatMap((event) => {
    if (event.type === 'turn.ended' && event.place !== undefined) {
      const turn = found.get(event.place)?.turn
      return turn === event.turn ? [] : [`answer of turn ${event.turn}: ${turn}`]
    }
    if (event.type !== 'message.ended') return []
    const { role } = event.message
    const { turn = 0 } = found.get(event.place) ?? {}
    const late = event.turn - turn
    const isRight = role === 'assistant' ? late === 0 : role === 'toolResult' ? late >= 0 : late === 0 || late === -1
    return isRight ? [] : [`${role} at ${event.place} of turn ${event.turn}: ${turn}`]
  })
}

test.for(fixtureRuns)(
  'PRV-09 each message has the same turn number as its events, in the recorded run $name',
  async (fixture) => {
    const played = fixtureAgent(fixture, memoryStore(), 1)
    const events = heardFrom(played.agent)
    const run = await beginFixture(fixture, played)
    await playFixture(fixture, run, played.clock)
    const messages = await run.messages()
    const own = events.filter((event) => event.runId === run.id)
    expect(own.filter(({ type }) => type === 'message.ended').length).toBeGreaterThan(0)
    expect(differences(messages, own)).toEqual([])
  },
)

test('PRV-09 the stored messages and events of a run have the same turn numbers', async () => {
  using place = temporaryFolder()
  const path = place.file('run.db')
  const fixture = fixtureRuns.find(({ name }) => name === 'stored-events') as FixtureRun
  const { schema, moments } = await recordRun(fixture)
  restoreDump(path, [schema, moments.get('stored-events.13') ?? ''])
  const store = sqliteStore(path)
  const run = await fixtureAgent(fixture, store, 2, fakeClock()).agent.load(fixtureId)
  const events: AgentEvent[] = []
  for await (const event of run.events({ deltas: false })) events.push(event)
  const messages = await run.messages()
  expect(events.filter(({ type }) => type === 'message.ended')).toHaveLength(messages.length)
  expect(turnsOf(messages, events).filter((line) => line.includes('told'))).toEqual(['toolResult 1, told in 3'])
  expect(differences(messages, events)).toEqual([])
  await store.close()
})

test('PRV-09 a correction belongs to the turn that answers it', async () => {
  const { agent } = testAgent({ output: z.object({ n: z.number() }), replies: ['{}', '{"n":1}'] })
  const events = heardFrom(agent)
  const run = agent.start('Go', { runId })
  await run.settled()
  expect(await readTurns(run, events)).toEqual(['user 1', 'assistant 1', 'user 2, told in 1', 'assistant 2'])
})

test('PRV-09 a turn repeated after an outage has the messages of one turn', async () => {
  const down = { error: { kind: 'network', message: 'No route to host' } } as const
  const { agent } = testAgent({
    onModelFailure: 'wait',
    retry: { maxRetries: 0 },
    model: scripted([down, 'Bye'], { by: 'calls' }),
  })
  const events = heardFrom(agent)
  const run = agent.start('Hi', { runId })
  expect((await run.settled()).status).toBe('waiting')
  expect(await readTurns(run, events)).toEqual(['user 1'])
  await run.approve()
  await run.settled()
  expect(await readTurns(run, events)).toEqual(['user 1', 'assistant 1'])
})

test("PRV-09 a late result has its answer's turn, and the note about it the turn that reads it", async () => {
  const { act } = toolbox()
  const replies = [calls(call('c1', 'act'), call('c2', 'gated')), 'Not yet', 'Bye']
  const { agent } = testAgent({ replies, tools: [act(), act('gated', { needs: 'approval' })] })
  const events = heardFrom(agent)
  const run = agent.start('Hi', { runId })
  await run.settled()
  await run.approve()
  await run.settled()
  expect(await readTurns(run, events)).toEqual([
    'user 1',
    'assistant 1',
    'toolResult 1',
    'toolResult 1, told in 2',
    'assistant 2',
    'user 3',
    'assistant 3',
  ])
})

test('PRV-09 a message sent before a wait, during a tool or at the end of a run belongs to the turn that would read it', async () => {
  const { act } = toolbox()
  let isHeld = true
  const plugin: Plugin = {
    name: 'notes',
    runStart: ({ suspend }) => {
      if (isHeld) suspend({ message: 'Now?' })
      isHeld = false
    },
    stepStart: ({ append, turn }) => append(userMessage(`Turn ${turn}`, 0)),
    reviewCall: ({ append }) => append(userMessage('Beside', 0)),
  }
  const { agent } = testAgent({
    replies: [calls(call('c1', 'act'))],
    tools: [act()],
    plugins: [plugin],
    limits: { maxTurns: 1 },
  })
  const events = heardFrom(agent)
  const run = agent.start('Hi', { runId })
  await run.settled()
  await run.approve()
  await run.settled()
  expect(await readTurns(run, events)).toEqual([
    'user 1',
    'user 1',
    'assistant 1',
    'toolResult 1',
    'user 2, told in 1',
    'user 2',
  ])
})

test('PRV-09 messages of earlier runs keep their own turn numbers, page by page', async () => {
  const { act } = toolbox()
  const replies = [calls(call('c1', 'act')), 'One', calls(call('c1', 'act')), 'Two', 'Three']
  const { agent, store } = testAgent({ model: scripted(replies, { by: 'calls' }), tools: [act()] })
  const session = agent.session('s')
  await session.restore([
    { role: 'user', content: 'Before' },
    { role: 'assistant', content: 'Yes' },
  ])
  const first = await session.prompt('A')
  await first.settled()
  const second = await session.prompt('B')
  await second.settled()
  await session.compact()
  const last = await session.prompt('C')
  await last.settled()
  const said = (messages: readonly TranscriptMessage[]) =>
    messages.map((message) => `${message.role} ${message.turn ?? '-'} ${message.runId ?? '-'}`)
  const partOf = (writer: string) =>
    ['user 1', 'assistant 1', 'toolResult 1', 'assistant 2'].map((line) => `${line} ${writer}`)
  const given = ['user - -', 'assistant - -']
  const later = [...partOf(second.id), 'extension - s.compacted.1', 'user 1 -', 'assistant 1 -']
  const whole = [...given, ...partOf(first.id), ...later]
  const messages = await last.messages()
  expect(said(messages)).toEqual(whole)
  expect(await session.messages()).toEqual(messages)
  for (let limit = 1; limit < whole.length; limit++) {
    expect(await session.messages({ limit })).toEqual(messages.slice(-limit))
  }
  expect(said(await first.messages())).toEqual([...given, ...partOf('-')])
  expect(await session.save()).not.toContain('"turn"')
  await store.delete(first.id)
  const unknown = ['user', 'assistant', 'user', 'assistant', 'toolResult', 'assistant'].map((role) => `${role} - -`)
  expect(said(await last.messages())).toEqual([...unknown, ...later])
})

test('PRV-09 a fork continues the turn numbers of its original, and names the turns as its own', async () => {
  const { act } = toolbox()
  const model = scripted(({ messages }) => (messages.at(-1)?.role === 'user' ? calls(call('c1', 'act')) : 'Bye'))
  const { agent, store } = testAgent({ model, tools: [act('act', { effects: 'none' })] })
  await agent.run('Hi', { runId })
  const whole = (await (await agent.load(runId)).messages()).map(({ role, turn }) => `${role} ${turn}`)
  expect(whole).toEqual(['user 1', 'assistant 1', 'toolResult 1', 'assistant 2'])
  for (const { version } of await store.checkpoints(runId)) {
    const fork = await agent.fork(runId, { from: version })
    await fork.settled()
    expect((await fork.messages()).map(({ role, turn, runId: writer = '' }) => `${role} ${turn}${writer}`)).toEqual(
      whole,
    )
  }
})

test('PRV-09 a turn cut off by the running-time limit has no answer, and the final answer is not counted with it', async () => {
  const first = heldReply()
  const model = scripted([first.reply, 'Final'], { by: 'calls' })
  const { agent, clock } = testAgent({ limits: { maxDurationMs: 1000 }, onLimit: 'finish', model })
  const events = heardFrom(agent)
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await first.asked
  clock.advance(1000)
  await end
  expect(turnsOf(await run.messages(), events)).toEqual(['user 1', 'assistant 1, told in 2'])
  expect(foldEvents(events).messages.map(({ turn }) => turn)).toEqual([1, 1])
})

test('PRV-09 a page of a long session reads no more runs than it shows', async () => {
  const read: string[] = []
  const inner = memoryStore()
  const store: Store = {
    ...inner,
    input: (id) => {
      read.push(id)
      return inner.input(id)
    },
  }
  const { agent } = testAgent({ store, model: scripted(() => 'Yes') })
  const session = agent.session('s')
  for (let said = 0; said < 20; said++) await (await session.prompt(`${said}`)).settled()
  read.length = 0
  const page = await session.messages({ limit: 5 })
  expect(page.map(({ role, turn }) => `${role} ${turn}`)).toEqual([
    'assistant 1',
    ...['user 1', 'assistant 1', 'user 1', 'assistant 1'],
  ])
  expect(page.map((message) => message.runId !== undefined)).toEqual([true, true, true, false, false])
  expect(read).toHaveLength(2)
})
