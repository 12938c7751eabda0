import { describe, expect, test } from 'vitest'
import { call, calls } from '../../../proof/support/say.ts'
import { eventsOf, heldReply, testAgent, type TestAgentOptions } from '../../../proof/support/test-agent.ts'
import { type AgentEvent, type Plugin, type Run, tool } from '../../../src/index.ts'
import {
  memorySessionStore,
  type RecordedRun,
  type RecorderOptions,
  type SessionRecorder,
  sessionRecorder,
} from '../../../src/adapters/recorder/index.ts'

const act = tool({ name: 'act', description: '-', effects: 'none', input: { type: 'object' }, execute: () => 'done' })
const ask = tool({
  name: 'ask',
  description: '-',
  input: { type: 'object' },
  needs: 'approval',
  execute: () => 'asked',
})

/** An agent whose events are stored, and a recorder that hears it. */
function recorded(options: TestAgentOptions = {}, record: RecorderOptions = {}) {
  const recorder = sessionRecorder(record)
  const under = testAgent({ tools: [act, ask], ...options })
  under.agent.on(recorder.record)
  return { ...under, recorder }
}

const shown = ({ id, status, turns, calls: made, children }: RecordedRun) => [id, status, turns, made, children]

async function storedOf(run: Run): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = []
  for await (const event of run.events({ deltas: false })) events.push(event)
  return events
}

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

function hear(recorder: SessionRecorder, ...events: readonly AgentEvent[]): void {
  for (const event of events) recorder.record(event)
}

describe('SES-01 the recorder', () => {
  test('SES-01 a conversation is a session: its runs in order, with what they were and came to', async () => {
    const { agent, recorder } = recorded({ replies: [calls(call('a', 'act')), 'One.', 'Two.'] })
    const first = agent.start('Go', { runId: 'one', labels: { team: 'a' } })
    const { messages, usage, cost } = await first.settled()
    const next = await first.prompt('And?', { runId: 'two' })
    await next.settled()
    const [session, ...others] = recorder.sessions()
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
    expect(recorder.current()).toEqual([])
  })

  test('SES-01 stored events give the same record later, and change nothing where they were heard', async () => {
    const { agent, recorder } = recorded({ replies: [calls(call('a', 'act'), call('b', 'ask')), 'Bye.'] })
    const run = agent.start('Go', { runId: 'one' })
    await run.settled()
    expect(recorder.current().map(({ id, status }) => [id, status])).toEqual([['one', 'waiting']])
    await run.approve()
    await run.settled()
    const live = recorder.sessions()
    const stored = await storedOf(run)
    await recorder.recordStored(stored)
    expect(recorder.sessions()).toEqual(live)
    const late = sessionRecorder()
    await late.recordStored(run.events({ deltas: false }))
    const committed = live.map((session) => ({
      ...session,
      runs: session.runs.map((one) => ({ ...one, events: one.events.filter(({ seq }) => seq !== undefined) })),
    }))
    expect(late.sessions()).toEqual(committed)
  })

  test('SES-01 what was heard from the middle is partial until the stored events tell the rest', async () => {
    const { agent, recorder } = recorded({ replies: [calls(call('b', 'ask')), 'Bye.'] })
    const run = agent.start('Go', { runId: 'one' })
    await run.settled()
    const second = sessionRecorder()
    agent.on(second.record)
    await run.approve()
    await run.settled()
    const [partial] = second.session('one')?.runs ?? []
    expect(partial).toMatchObject({ status: 'completed', isPartial: true, agent: '' })
    await second.recordStored(run.events({ deltas: false }))
    const [whole] = recorder.session('one')?.runs ?? []
    const { events: _, ...same } = whole ?? { events: [] }
    expect(second.session('one')?.runs[0]).toMatchObject(same)
  })

  test('SES-01 a run whose other half an earlier process recorded goes on in its record', async () => {
    const { agent, recorder } = recorded({ replies: [calls(call('b', 'ask')), 'Bye.'] })
    const store = memorySessionStore()
    const run = agent.start('Go', { runId: 'one' })
    await run.settled()
    for (const session of recorder.sessions()) await store.save(session)
    const second = sessionRecorder()
    second.adopt(await store.load('one'))
    expect(second.sessions()).toEqual([await store.load('one')])
    agent.on(second.record)
    await run.approve()
    const { messages, usage } = await run.settled()
    const [drained] = second.drainCompleted()
    expect(drained?.runs[0]).toMatchObject({ status: 'completed', messages, usage, turns: 2, calls: 1, agent: 'test' })
    expect(drained?.runs[0]?.isPartial).toBeUndefined()
    expect(second.sessions()).toEqual([])
  })

  test('SES-01 flush closes what is under way as aborted without its partial turn, and leaves what waits or is driven elsewhere', async () => {
    const held = heldReply()
    const { agent, recorder } = recorded({ replies: [calls(call('b', 'ask')), held.reply] })
    const waiting = agent.start('Wait', { runId: 'waiting' })
    await waiting.settled()
    const open = agent.start('Go', { runId: 'open' })
    await open.settled()
    await open.approve()
    const going = open.settled()
    await held.asked
    await recorder.recordStored([started('elsewhere', 5, { seq: 1 })])
    const [before] = recorder.session('open')?.runs ?? []
    recorder.flush()
    const [flushed] = recorder.session('open')?.runs ?? []
    expect(flushed).toMatchObject({ status: 'aborted', isFlushed: true, endedAt: before?.lastActiveAt })
    expect(flushed?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'toolResult'])
    expect(recorder.current().map(({ id, status }) => [id, status])).toEqual([
      ['waiting', 'waiting'],
      ['elsewhere', 'running'],
    ])
    expect(recorder.drainCompleted().map(({ id }) => id)).toEqual(['open'])
    await open.cancel()
    await going
  })

  test('SES-01 of a turn that was cut off only what was said to the run stays', () => {
    const recorder = sessionRecorder()
    const user = { role: 'user', content: [{ type: 'text', text: 'Go' }], timestamp: 1 } as const
    const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 }
    const answer = { role: 'assistant', stopReason: 'toolUse', model: 'm', provider: 'p', usage, timestamp: 1 } as const
    const text = { type: 'text', text: 'Let me see.' } as const
    const head = { runId: 'r', subject: 'r', at: 2, turn: 1 }
    hear(
      recorder,
      started('r', 1),
      { ...head, type: 'turn.started', trigger: 'user' },
      { ...head, type: 'message.ended', place: 1, message: user },
      { ...head, type: 'message.ended', place: 4, message: { ...answer, content: [text] } },
    )
    recorder.flush()
    expect(recorder.session('r')?.runs[0]).toMatchObject({ turns: 0, messages: [{ ...user, place: 1 }] })
    hear(recorder, { ...head, type: 'turn.ended', usage })
    recorder.flush()
    expect(recorder.session('r')?.runs[0]).toMatchObject({ turns: 1, messages: [user, answer] })
  })

  test('SES-01 tells how runs end by their status', async () => {
    const no: Plugin = { name: 'no', filterInput: () => ({ reject: 'Not this.' }) }
    const outcomes: readonly [TestAgentOptions, (run: Run) => Promise<unknown>, string][] = [
      [{ replies: ['Bye.'] }, async () => undefined, 'completed'],
      [{ replies: [calls(call('a', 'act'))], limits: { maxTurns: 1 } }, async () => undefined, 'completed'],
      [{ replies: [{ error: { kind: 'api', message: 'boom' } }] }, async () => undefined, 'failed'],
      [{ replies: [calls(call('b', 'ask'))] }, (run) => run.settled().then(() => run.cancel()), 'aborted'],
      [{ replies: ['Bye.'], plugins: [no] }, async () => undefined, 'rejected'],
    ]
    for (const [options, then, status] of outcomes) {
      const { agent, recorder } = recorded(options)
      const run = agent.start('Go', { runId: 'r' })
      await then(run)
      await run.settled()
      expect(recorder.session('r')?.runs[0]?.status).toBe(status)
    }
  })

  test('SES-01 keeps lifecycle events, all with deltas, or none', async () => {
    const typesOf = async (events?: RecorderOptions['events']) => {
      const { agent, recorder } = recorded({ replies: ['One two three.'] }, events === undefined ? {} : { events })
      await eventsOf(agent.start('Go', { runId: 'r' }))
      return new Set(recorder.session('r')?.runs[0]?.events.map(({ type }) => type))
    }
    const lifecycle = ['run.started', 'message.ended', 'turn.started', 'turn.ended', 'run.ended']
    expect([...(await typesOf())]).toEqual(lifecycle)
    expect((await typesOf('all')).has('message.updated')).toBe(true)
    expect((await typesOf('none')).size).toBe(0)
  })

  test('SES-01 what a tool tells that is no JSON is not in the record', async () => {
    const recorder = sessionRecorder()
    const itself: Record<string, unknown> = {}
    itself['self'] = itself
    const of = { runId: 'r', subject: 'r', at: 2, callId: '1.a', toolName: 'act' }
    const end = { ...of, type: 'toolExecution.ended', status: 'succeeded', isError: false, output: itself } as const
    hear(recorder, started('r', 1), end, ended('r', 3))
    const store = memorySessionStore()
    for (const session of recorder.drainCompleted()) await store.save(session)
    const { runs } = await store.load('r')
    const { output: _, ...rest } = end
    expect(runs[0]?.events[1]).toEqual(rest)
  })
})

describe('SES-01 sessions', () => {
  test('SES-01 EVT-01 are those that events name, with the agent id and the metadata they tell', () => {
    const recorder = sessionRecorder()
    const metadata = { plan: { paid: true } }
    hear(recorder, started('s-7.gpt.1', 1, { session: 's-7', agentId: 'guide-id', subject: 'talk', metadata }))
    expect(recorder.sessions()).toMatchObject([
      { id: 's-7', agentId: 'guide-id', formation: { kind: 'explicit' }, runs: [{ metadata, agentId: 'guide-id' }] },
    ])
  })

  test('SES-01 are one a conversation, another for another agent, and have legal ids', () => {
    const recorder = sessionRecorder()
    hear(
      recorder,
      started('a', 1, { subject: 'talk' }),
      started('b', 2, { subject: 'talk' }),
      started('c', 3, { subject: 'talk', agent: 'other' }),
      started('d', 4, { subject: `tälk ${'x'.repeat(90)}` }),
    )
    const sessions = recorder.sessions().map(({ id, agentId, runs }) => [id, agentId, runs.map((run) => run.id)])
    expect(sessions).toEqual([
      [expect.stringMatching(/^t-lk-x+-[0-9a-f]{14}$/), 'guide', ['d']],
      [expect.stringMatching(/^talk-other-[0-9a-f]{14}$/), 'other', ['c']],
      ['talk', 'guide', ['a', 'b']],
    ])
    expect(sessions.every(([id]) => /^[\w-]{1,64}$/.test(String(id)))).toBe(true)
  })

  test('SES-02 rotate strictly above the time without activity, by agent', () => {
    const recorder = sessionRecorder({ inactivityMs: 100 })
    hear(
      recorder,
      started('a', 0),
      ended('a', 50),
      started('b', 150),
      ended('b', 160),
      started('other', 200, { agent: 'other' }),
      started('c', 261),
    )
    const formation = { kind: 'inactivityTimeout', afterMs: 100 }
    const sessions = recorder
      .sessions()
      .map(({ id, runs, formation: formed }) => [id, runs.map((run) => run.id), formed])
    expect(sessions).toEqual([
      ['c', ['c'], formation],
      ['other', ['other'], formation],
      ['a', ['a', 'b'], formation],
    ])
  })

  test('SES-01 tell of the call they were spawned from, and its run of the child', () => {
    const recorder = sessionRecorder()
    const of = { runId: 'parent', subject: 'parent', at: 3, callId: '1.a', toolName: 'delegate' }
    hear(
      recorder,
      started('parent', 1),
      started('child', 2, { parentRunId: 'parent', agent: 'helper', session: 'child-s' }),
    )
    expect(recorder.session('child-s')?.spawnedFrom).toEqual({ runId: 'parent', sessionId: 'parent' })
    hear(recorder, { ...of, type: 'toolExecution.ended', status: 'succeeded', isError: false, childRunId: 'child' })
    expect(recorder.session('child-s')?.spawnedFrom).toEqual({
      runId: 'parent',
      sessionId: 'parent',
      callId: '1.a',
      toolName: 'delegate',
    })
    expect(recorder.session('parent')?.runs[0]?.childRuns).toEqual([
      { callId: '1.a', toolName: 'delegate', runId: 'child', sessionId: 'child-s' },
    ])
    expect(recorder.session('parent')?.runs[0]?.children).toEqual([])
  })

  test('SES-01 an option that is none is refused', () => {
    expect(() => sessionRecorder({ inactivityMs: -1 })).toThrow(/inactivityMs/)
    expect(() => sessionRecorder({ event: 'all' } as never)).toThrow(/Did you mean events/)
  })
})
