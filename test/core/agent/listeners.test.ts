import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { eventsOf, runId, testAgent } from '../../../proof/support/test-agent.ts'
import { heldTool, toolbox } from '../../../proof/support/tools.ts'

const { act } = toolbox()
const replies = [calls(call('c1', 'act')), 'Bye']

describe('EVT-01 listeners', () => {
  test('EVT-01 EVT-03 a listener of a run and a listener of its agent receive the events of an iterator', async () => {
    const { agent } = testAgent({ replies, tools: [act()] })
    const ofAgent: AgentEvent[] = []
    const ofRun: AgentEvent[] = []
    agent.on((event) => void ofAgent.push(event))
    const run = agent.start('Hi', { runId })
    run.on((event) => void ofRun.push(event))
    const events = await eventsOf(run)
    expect(events.length).toBeGreaterThan(15)
    expect(ofRun).toEqual(events)
    expect(ofAgent).toEqual(events)
  })

  test("EVT-01 a listener of an agent receives the events of all its runs, a listener of a run only that run's", async () => {
    const { agent } = testAgent({ replies: ['Bye'] })
    const ofAgent = new Set<string>()
    const ofRun = new Set<string>()
    agent.on((event) => ofAgent.add(event.runId))
    const run = agent.start('Hi', { runId })
    run.on((event) => ofRun.add(event.runId))
    await run.settled()
    await agent.run('Hi', { runId: 'run-2' })
    expect(ofAgent).toEqual(new Set([runId, 'run-2']))
    expect(ofRun).toEqual(new Set([runId]))
  })

  test('EVT-01 a listener receives events across waits, does not drive, and receives nothing after it is removed', async () => {
    const { agent } = testAgent({ replies, tools: [act('act', { needs: 'approval' })] })
    const run = agent.start('Hi', { runId, drive: false })
    const types: string[] = []
    const leave = run.on(({ type }) => void types.push(type))
    expect((await run.result()).status).toBe('running')
    await run.settled()
    await run.approve()
    expect(types.at(-1)).toBe('run.waiting')
    const until = types.length
    run.on(({ type }) => (type === 'run.resumed' ? leave() : undefined))
    await run.settled()
    expect(types.slice(until)).toEqual(['call.decided', 'run.resumed'])
    leave()
  })

  test('EVT-01 a listener that removes another during an event is the last to receive that event', async () => {
    const { agent } = testAgent({ replies: ['Bye'] })
    const heard: string[] = []
    const leaves: (() => void)[] = []
    agent.on(() => leaves[0]?.())
    leaves.push(agent.on(({ type }) => void heard.push(type)))
    await agent.run('Hi')
    expect(heard).toEqual([])
  })
})

describe('EVT-04 listeners that fail', () => {
  test.each<[string, (event: AgentEvent) => unknown]>([
    [
      'throws',
      () => {
        throw new Error('I cannot hear.')
      },
    ],
    ['promises and fails', () => Promise.reject(new Error('I cannot hear.'))],
  ])('EVT-04 reports a listener that %s to the others once, and the run goes on', async (_what, hear) => {
    const { agent } = testAgent({ replies, tools: [act()] })
    let heard = 0
    const run = agent.start('Hi', { runId })
    run.on((event) => {
      heard++
      return hear(event)
    })
    const ofAgent: string[] = []
    agent.on(({ type }) => void ofAgent.push(type))
    const events = await eventsOf(run)
    const failures = events.filter(({ type }) => type === 'listener.failed')
    expect(failures).toEqual([
      {
        type: 'listener.failed',
        runId,
        subject: runId,
        at: expect.any(Number),
        message: 'A listener of events failed: I cannot hear.',
      },
    ])
    expect(ofAgent.filter((type) => type === 'listener.failed')).toHaveLength(1)
    expect(heard).toBe(events.length - 1)
    expect(events.at(-1)).toMatchObject({ type: 'run.ended', outcome: { reason: 'natural_end' } })
  })

  test("EVT-04 two listeners that throw do not end the run, even when they receive each other's error", async () => {
    const { agent } = testAgent({ replies: ['Bye'] })
    const counts = [0, 0]
    for (const index of [0, 1]) {
      agent.on(() => {
        counts[index] = (counts[index] ?? 0) + 1
        throw new Error('no')
      })
    }
    expect(await agent.run('Hi')).toMatchObject({ status: 'done', text: 'Bye' })
    expect(Math.min(...counts)).toBeGreaterThan(5)
  })

  test('EVT-04 a listener that never returns delays nothing', async () => {
    const { agent } = testAgent({ replies, tools: [act()] })
    agent.on(() => new Promise(() => {}))
    expect(await agent.run('Hi')).toMatchObject({ status: 'done', text: 'Bye' })
  })

  test.each([[undefined], [null], ['run.started'], [{ handleEvent: () => {} }]])(
    'EVT-04 refuses a listener that is not a function: %j',
    (listener) => {
      const { agent } = testAgent()
      const refused = expect.objectContaining({
        name: 'UsageError',
        code: 'bad_option',
        message: expect.stringContaining('Expected a function that receives each event.'),
      })
      expect(() => agent.on(listener as never)).toThrow(refused)
      expect(() => agent.start('Hi').on(listener as never)).toThrow(refused)
    },
  )
})

describe('a late listener', () => {
  /** A model that has said some of its answer, and says the rest when it is told to. */
  function speaking() {
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const whole = scripted(['Bye'])
    return {
      begun: begun.promise,
      goOn: goOn.resolve,
      model: {
        ...whole,
        async *stream(request: Parameters<typeof whole.stream>[0]) {
          yield { type: 'thinking' as const, delta: 'Hm' }
          yield { type: 'thinking' as const, delta: '.' }
          yield { type: 'text' as const, delta: 'B' }
          begun.resolve()
          await goOn.promise
          yield* whole.stream(request)
        },
      },
    }
  }

  test('EVT-02 EVT-04 an iterator and a listener receive the whole answer so far as one update for each block', async () => {
    const { begun, goOn, model } = speaking()
    const { agent } = testAgent({ model })
    const run = agent.start('Hi', { runId })
    await begun
    const iterator = run.events()
    const ofRun: AgentEvent[] = []
    const ofAgent: AgentEvent[] = []
    run.on((event) => void ofRun.push(event))
    agent.on((event) => void ofAgent.push(event))
    goOn()
    await run.settled()
    const all: AgentEvent[] = []
    for await (const event of iterator) all.push(event)
    const events = all.slice(all.findIndex(({ type }) => type === 'message.started'))
    const pieces = events.slice(0, 3).map((event) => (event.type === 'message.updated' ? event.delta : event.type))
    expect(pieces).toEqual(['message.started', { type: 'thinking', delta: 'Hm.' }, { type: 'text', delta: 'B' }])
    expect(ofRun).toEqual(events)
    expect(ofAgent).toEqual(events)
  })

  test('EVT-02 EVT-04 receives no update of an answer that is already in the transcript', async () => {
    const held = heldTool()
    const { agent } = testAgent({
      replies: [{ text: 'Let me see.', toolCalls: [call('a', 'held')] }, 'Bye'],
      tools: [held.tool],
    })
    const run = agent.start('Hi', { runId })
    await held.begins('1.a')
    const heard: string[] = []
    run.on(({ type }) => void heard.push(type))
    held.finish('1.a')
    await run.settled()
    expect(heard[0]).toBe('toolExecution.ended')
  })

  test('EVT-02 receives no event of an answer that a detached drive has abandoned', async () => {
    const { begun, model } = speaking()
    const { agent } = testAgent({ model })
    const run = agent.start('Hi', { runId })
    await begun
    await run.detach()
    const heard: string[] = []
    run.on(({ type }) => void heard.push(type))
    await run.result()
    expect(heard).toEqual([])
  })
})

test('EVT-02 EVT-04 receives an answer that is continued after a cut from its beginning, in one update', async () => {
  const inner = scripted([{ text: 'One, ', stopReason: 'length' }, 'two.'], { by: 'calls' })
  const events = await eventsOf(testAgent({ model: inner }).agent.start('Hi', { runId }))
  const told = events.flatMap((event): readonly string[] => {
    if (event.type === 'message.started') return event.role === 'assistant' ? ['begins'] : []
    return event.type === 'message.updated' ? [event.delta.delta] : []
  })
  const second = told.lastIndexOf('begins')
  expect(told.slice(0, second).join('')).toBe('beginsOne, ')
  expect(told[second + 1]).toBe('One, ')
  expect(told.slice(second + 1).join('')).toBe('One, two.')
})
