import { describe, expect, test } from 'vitest'
import { call, calls } from '../../../proof/support/say.ts'
import { eventsOf, heldReply, stop, testAgent, type TestAgentOptions } from '../../../proof/support/test-agent.ts'
import { type AgentEvent, type Plugin, type Run, tool } from '../../../src/index.ts'
import { fileSessionStore } from '../../../src/adapters/recorder/file-session-store.ts'
import {
  type RecordedRun,
  recordEvents,
  type RecordOptions,
  recordSessions,
} from '../../../src/adapters/recorder/index.ts'
import { temporaryFolder } from '../stores/temporary-folder.ts'

const act = tool({ name: 'act', description: '-', effects: 'none', input: { type: 'object' }, execute: () => 'done' })
const ask = tool({
  name: 'ask',
  description: '-',
  input: { type: 'object' },
  needs: 'approval',
  execute: () => 'asked',
})

const recorded = (options: TestAgentOptions = {}) => testAgent({ tools: [act, ask], ...options })

const shown = ({ id, status, turns, calls: made, children }: RecordedRun) => [id, status, turns, made, children]

/** A run's events as a program of another version may tell them. */
function started(runId: string, at: number, fields: object = {}): AgentEvent {
  const head = { type: 'run.started', runId, subject: runId, at, agent: 'guide', metadata: {} } as const
  return { ...head, ...fields }
}

function ended(runId: string, at: number, fields: object = {}): AgentEvent {
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 }
  const outcome = { reason: 'natural_end' } as const
  const end = { type: 'run.ended', outcome, turns: 0, toolCalls: 0, usage, cost: 0 } as const
  return { ...end, runId, subject: runId, at, ...fields }
}

describe('SES-01 the recorder', () => {
  test('SES-01 a conversation is a session: its runs in order, with their start and outcome', async () => {
    const { agent, store } = recorded({ replies: [calls(call('a', 'act')), 'One.', 'Two.'] })
    const first = agent.start('Go', { runId: 'one', labels: { team: 'a' } })
    const { messages, usage, cost } = await first.settled()
    const next = await first.prompt('And?', { runId: 'two' })
    await next.settled()
    const [session, ...others] = await recordSessions(store)
    expect(others).toEqual([])
    expect(session).toMatchObject({ id: 'one', agentId: 'test', formation: { kind: 'firstRun' } })
    expect(session?.runs.map(shown)).toEqual([
      ['one', 'completed', 2, 1, ['two']],
      ['two', 'completed', 1, 0, []],
    ])
    const [one, two] = session?.runs ?? []
    expect(one).toMatchObject({ messages, usage, cost, metadata: { team: 'a' }, outcome: { reason: 'natural_end' } })
    expect(one?.configuration).toEqual({ provider: 'scripted', model: 'scripted' })
    expect(two).toMatchObject({ parentRunId: 'one', continuation: { kind: 'default' }, agent: 'test' })
    expect(two?.messages).toHaveLength(2)
  })

  test("SES-01 records an agent's events as in its log, and a repeated event once", async () => {
    const { agent, store } = recorded({ replies: [calls(call('a', 'act'), call('b', 'ask')), 'Soon.', 'Bye.'] })
    const heard: AgentEvent[] = []
    agent.on((event) => void heard.push(event))
    const run = agent.start('Go', { runId: 'one' })
    await run.settled()
    expect((await recordSessions(store))[0]?.runs).toMatchObject([{ id: 'one', status: 'waiting' }])
    await run.approve()
    await run.settled()
    const stored = await recordSessions(store)
    const committed = heard.filter(({ seq }) => seq !== undefined)
    expect(recordEvents([...committed, ...committed])).toEqual(stored)
    expect(recordEvents(heard)[0]?.runs).toMatchObject([{ status: 'completed', calls: 2, turns: 3 }])
  })

  test('SES-01 SES-03 a file keeps recorded runs that the store no longer has', async () => {
    using folder = temporaryFolder()
    const files = fileSessionStore(folder.file('sessions'))
    const { agent, store } = recorded({ replies: ['One.', 'Two.'] })
    await agent.start('Go', { runId: 'one', subject: 'talk' }).settled()
    for (const session of await recordSessions(store)) await files.save(session)
    await store.delete('one')
    await agent.start('Go', { runId: 'two', subject: 'talk' }).settled()
    for (const session of await recordSessions(store)) await files.save(session)
    expect((await files.load('talk')).runs.map(({ id, status }) => [id, status])).toEqual([
      ['one', 'completed'],
      ['two', 'completed'],
    ])
  })

  test('SES-02 records the runs of one session, or of one agent', async () => {
    const { agent, store } = recorded({ replies: ['One.', 'Two.'] })
    await (await agent.session('talk').prompt('Hi')).settled()
    await agent.start('Go', { runId: 'alone' }).settled()
    const ids = async (options: Parameters<typeof recordSessions>[1]) =>
      (await recordSessions(store, options)).flatMap(({ runs }) => runs.map(({ id }) => id))
    expect(await ids({ session: 'talk' })).toEqual(['talk.scripted.scripted.1'])
    expect((await ids({ agent: 'test' })).toSorted()).toEqual(['alone', 'talk.scripted.scripted.1'])
    expect(await ids({ agent: 'other' })).toEqual([])
  })

  test('SES-01 flush closes undriven runs as aborted without their partial turn, and leaves waiting and driven ones', async () => {
    const held = heldReply()
    const { agent, store } = recorded({ replies: [calls(call('b', 'ask')), held.reply] })
    await agent.start('Wait', { runId: 'waiting' }).settled()
    const open = agent.start('Go', { runId: 'open' })
    await open.settled()
    await open.approve()
    const going = open.settled()
    await held.asked
    const statuses = async () => {
      const runs = (await recordSessions(store, { flush: true })).flatMap((session) => session.runs)
      return Object.fromEntries(runs.map(({ id, status }) => [id, status]))
    }
    expect(await statuses()).toEqual({ waiting: 'waiting', open: 'running' })
    await stop(open, going)
    expect(await statuses()).toEqual({ waiting: 'waiting', open: 'aborted' })
    const before = (await recordSessions(store)).find(({ id }) => id === 'open')?.runs[0]
    const flushed = (await recordSessions(store, { flush: true })).find(({ id }) => id === 'open')?.runs[0]
    expect(flushed).toMatchObject({ status: 'aborted', isFlushed: true, endedAt: before?.lastActiveAt })
    expect(flushed?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'toolResult'])
  })

  test('SES-01 records how runs end by their status', async () => {
    const no: Plugin = { name: 'no', filterInput: () => ({ reject: 'Not this.' }) }
    const outcomes: readonly [TestAgentOptions, (run: Run) => Promise<unknown>, string][] = [
      [{ replies: ['Bye.'] }, async () => undefined, 'completed'],
      [{ replies: [calls(call('a', 'act'))], limits: { maxTurns: 1 } }, async () => undefined, 'completed'],
      [{ replies: [{ error: { kind: 'api', message: 'boom' } }] }, async () => undefined, 'failed'],
      [{ replies: [calls(call('b', 'ask'))] }, (run) => run.settled().then(() => run.cancel()), 'aborted'],
      [{ replies: ['Bye.'], plugins: [no] }, async () => undefined, 'rejected'],
    ]
    for (const [options, then, status] of outcomes) {
      const { agent, store } = recorded(options)
      const run = agent.start('Go', { runId: 'r' })
      await then(run)
      await run.settled()
      expect((await recordSessions(store))[0]?.runs[0]?.status).toBe(status)
    }
  })

  test('SES-01 keeps lifecycle events only, all events with deltas, or none', async () => {
    const { agent } = recorded({ replies: ['One two three.'] })
    const heard = await eventsOf(agent.start('Go', { runId: 'r' }))
    const typesOf = (events?: RecordOptions['events']) => {
      const [session] = recordEvents(heard, events === undefined ? {} : { events })
      return new Set(session?.runs[0]?.events.map(({ type }) => type))
    }
    const lifecycle = ['run.started', 'message.ended', 'turn.started', 'turn.ended', 'run.ended']
    expect([...typesOf()]).toEqual(lifecycle)
    expect(typesOf('all').has('message.updated')).toBe(true)
    expect(typesOf('none').size).toBe(0)
  })

  test("SES-01 omits a tool's output from the record if the output is not JSON", async () => {
    using folder = temporaryFolder()
    const itself: Record<string, unknown> = {}
    itself['self'] = itself
    const of = { runId: 'r', subject: 'r', at: 2, callId: '1.a', toolName: 'act' }
    const end = { ...of, type: 'toolExecution.ended', status: 'succeeded', isError: false, output: itself } as const
    const store = fileSessionStore(folder.file('sessions'))
    for (const session of recordEvents([started('r', 1), end, ended('r', 3)])) await store.save(session)
    const { runs } = await store.load('r')
    const { output: _, ...rest } = end
    expect(runs[0]?.events[1]).toEqual(rest)
  })
})

describe('SES-01 sessions', () => {
  test('SES-01 EVT-01 takes sessions from the events, with the agent id and metadata in them', () => {
    const metadata = { plan: { paid: true } }
    const start = started('s-7.gpt.1', 1, { session: 's-7', agentId: 'guide-id', subject: 'talk', metadata })
    expect(recordEvents([start])).toMatchObject([
      { id: 's-7', agentId: 'guide-id', formation: { kind: 'explicit' }, runs: [{ metadata, agentId: 'guide-id' }] },
    ])
  })

  test('SES-01 makes one session for each conversation, another for another agent, with legal ids', () => {
    const found = recordEvents([
      started('a', 1, { subject: 'talk' }),
      started('b', 2, { subject: 'talk' }),
      started('c', 3, { subject: 'talk', agent: 'other' }),
      started('d', 4, { subject: `tälk ${'x'.repeat(90)}` }),
    ])
    const sessions = found.map(({ id, agentId, runs }) => [id, agentId, runs.map((run) => run.id)])
    expect(sessions).toEqual([
      [expect.stringMatching(/^t-lk-x+-[0-9a-f]{14}$/), 'guide', ['d']],
      [expect.stringMatching(/^talk-other-[0-9a-f]{14}$/), 'other', ['c']],
      ['talk', 'guide', ['a', 'b']],
    ])
    expect(sessions.every(([id]) => /^[\w-]{1,64}$/.test(String(id)))).toBe(true)
  })

  test('SES-02 rotates a session only after more than the given time without activity, by agent', () => {
    const events = [
      started('a', 0),
      ended('a', 50),
      started('b', 150),
      ended('b', 160),
      started('other', 200, { agent: 'other' }),
      started('c', 261),
    ]
    const formation = { kind: 'inactivityTimeout', afterMs: 100 }
    const sessions = recordEvents(events, { inactivityMs: 100 }).map(({ id, runs, formation: formed }) => [
      id,
      runs.map((run) => run.id),
      formed,
    ])
    expect(sessions).toEqual([
      ['c', ['c'], formation],
      ['other', ['other'], formation],
      ['a', ['a', 'b'], formation],
    ])
  })

  test("SES-01 a session names the call that it was spawned from, and the child's run", () => {
    const of = { runId: 'parent', subject: 'parent', at: 3, callId: '1.a', toolName: 'delegate' }
    const begun = [
      started('parent', 1),
      started('child', 2, { parentRunId: 'parent', agent: 'helper', session: 'child-s' }),
    ]
    const named = (sessions: ReturnType<typeof recordEvents>, id: string) => sessions.find((one) => one.id === id)
    expect(named(recordEvents(begun), 'child-s')?.spawnedFrom).toEqual({ runId: 'parent', sessionId: 'parent' })
    const end = {
      ...of,
      type: 'toolExecution.ended',
      status: 'succeeded',
      isError: false,
      childRunId: 'child',
    } as const
    const sessions = recordEvents([...begun, end])
    expect(named(sessions, 'child-s')?.spawnedFrom).toEqual({
      runId: 'parent',
      sessionId: 'parent',
      callId: '1.a',
      toolName: 'delegate',
    })
    expect(named(sessions, 'parent')?.runs[0]?.childRuns).toEqual([
      { callId: '1.a', toolName: 'delegate', runId: 'child', sessionId: 'child-s' },
    ])
    expect(named(sessions, 'parent')?.runs[0]?.children).toEqual([])
  })

  test('SES-01 refuses invalid options', () => {
    expect(() => recordEvents([], { inactivityMs: -1 })).toThrow(/inactivityMs/)
    expect(() => recordEvents([], { event: 'all' } as never)).toThrow(/Did you mean events/)
  })
})
