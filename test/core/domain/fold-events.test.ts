import { describe, expect, test } from 'vitest'
import { foldFaults } from '../../../proof/properties/judge-events.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { eventsOf, runId, testAgent } from '../../../proof/support/test-agent.ts'
import { type AgentEvent, emptyRunView, foldEvents, tool } from '../../../src/index.ts'
import type { StoredEvent } from '../../../src/ports.ts'

const act = tool({
  name: 'act',
  description: '-',
  effects: 'none',
  input: { type: 'object' },
  execute: (_, ctx) => {
    ctx.progress('half')
    ctx.update({ at: 1 })
    return 'done'
  },
})
const ask = tool({
  name: 'ask',
  description: '-',
  input: { type: 'object' },
  needs: 'approval',
  execute: () => 'asked',
})

const head = { runId: 'r', subject: 's', at: 5 }

describe('EVT-01 fold', () => {
  test('EVT-01 EVT-04 the fold of a waiting or finished run equals its result, live and stored', async () => {
    const { agent, store } = testAgent({
      tools: [act, ask],
      replies: [calls(call('a', 'act'), call('b', 'ask')), 'Bye.'],
    })
    const run = agent.start('Go', { runId })
    const live = await eventsOf(run)
    const waiting = foldEvents(live)
    const standing = await run.result()
    expect(waiting.suspended).toEqual(standing.suspended)
    expect(waiting.calls.map(({ toolName, status, attempt }) => [toolName, status, attempt])).toEqual([
      ['act', 'succeeded', 1],
      ['ask', 'suspended', 0],
    ])
    expect(foldFaults(live.filter(isStored), await store.read(runId))).toEqual([])
    await run.approve()
    const rest = await eventsOf(run)
    const done = foldEvents(rest, waiting)
    const { messages, text, usage, cost, turns, outcome } = await run.result()
    expect(done).toMatchObject({ status: 'done', messages, text, usage, cost, turns, outcome, suspended: [] })
    const stored: StoredEvent[] = []
    for await (const event of run.events({ deltas: false })) stored.push(event)
    const { attempt: _, ...ofStored } = foldEvents(stored).calls[1] ?? {}
    expect(ofStored).toMatchObject({ toolName: 'ask', status: 'succeeded', result: { content: [{ text: 'asked' }] } })
    expect(foldFaults(stored, await store.read(runId))).toEqual([])
  })

  test('EVT-04 repeated events have no effect, from any position', async () => {
    const bye = { text: 'Bye.', usage: { input: 3 } }
    const { agent } = testAgent({ tools: [act], replies: [calls(call('a', 'act')), bye] })
    const live = await eventsOf(agent.start('Go', { runId }))
    const numbered = live.filter(isStored)
    const view = foldEvents(numbered)
    for (const from of numbered.keys()) expect(foldEvents(numbered.slice(from), view)).toBe(view)
    const unnumbered = live.map(({ seq: _, ...event }) => event as AgentEvent)
    const once = foldEvents(unnumbered)
    expect(foldEvents(unnumbered, once)).toEqual(once)
    const underWay = unnumbered.filter(({ type }) => type !== 'run.ended')
    expect(foldEvents(underWay, foldEvents(underWay))).toMatchObject({ usage: once.usage, cost: once.cost })
  })

  test('EVT-01 CTX-02 counts the usage of a summary while its run is still going', () => {
    const usage = { input: 7, output: 3, cacheRead: 0, cacheWrite: 0, totalTokens: 10 }
    const sizes = { turn: 1, tokensBefore: 9, tokensAfter: 5, tier: 'summary' } as const
    const compacted = { ...head, ...sizes, type: 'context.compacted' } as const
    const view = foldEvents([{ ...compacted, summary: { model: 'scripted/short', usage, cost: 0.5 } }, compacted])
    expect(view).toMatchObject({ usage, cost: 0.5 })
  })

  test('EVT-02 shows the answer in progress, and starts it again at another attempt', () => {
    const pieces: readonly AgentEvent[] = [
      { ...head, type: 'message.started', turn: 1, role: 'assistant' },
      { ...head, type: 'message.updated', turn: 1, delta: { type: 'text', delta: 'Wro' } },
      { ...head, type: 'message.started', turn: 1, role: 'assistant' },
      { ...head, type: 'message.updated', turn: 1, delta: { type: 'thinking', delta: 'Hm.' } },
      { ...head, type: 'message.updated', turn: 1, delta: { type: 'text', delta: 'Ri' } },
      { ...head, type: 'message.updated', turn: 1, delta: { type: 'text', delta: 'ght' } },
      { ...head, type: 'message.updated', turn: 1, delta: { type: 'toolCall', id: 'a', name: 'act', delta: '{"n"' } },
      { ...head, type: 'message.updated', turn: 1, delta: { type: 'toolCall', id: 'a', name: 'act', delta: ':1}' } },
    ]
    const toolCalls = [{ id: 'a', name: 'act', arguments: '{"n":1}' }]
    const view = foldEvents(pieces)
    expect(view.underWay).toEqual({ turn: 1, text: 'Right', thinking: 'Hm.', toolCalls })
    expect(emptyRunView.underWay).toBeUndefined()
  })

  test("EVT-01 shows a tool's progress only until its call settles", async () => {
    const { agent } = testAgent({ tools: [act], replies: [calls(call('a', 'act')), 'Bye.'] })
    let view = emptyRunView
    const seen: unknown[] = []
    for (const event of await eventsOf(agent.start('Go', { runId }))) {
      view = foldEvents([event], view)
      const [one] = view.calls
      if (event.type === 'toolExecution.ended' || event.type === 'call.settled')
        seen.push([one?.progress, one?.partial])
    }
    expect(seen).toEqual([
      ['half', { at: 1 }],
      [undefined, undefined],
    ])
  })

  test("EVT-01 puts a late result in its call's place", () => {
    const result = (text: string) =>
      ({
        role: 'toolResult',
        callId: '1.a',
        toolCallId: 'a',
        toolName: 'act',
        content: [{ type: 'text', text }],
        isError: false,
        status: 'success',
        timestamp: 5,
      }) as const
    const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }], timestamp: 5 }) as const
    const events: readonly AgentEvent[] = [
      { ...head, type: 'message.ended', turn: 1, place: 1, message: user('one') },
      { ...head, type: 'message.ended', turn: 1, place: 9, message: user('two') },
      { ...head, type: 'message.ended', turn: 1, place: 5, message: result('late') },
    ]
    const { messages } = foldEvents(events)
    expect(messages.map(({ place }) => place)).toEqual([1, 5, 9])
  })

  test('TST-04 a fold that differs from the result is a fault', async () => {
    const { agent, store } = testAgent({ replies: ['Bye.'] })
    const live = await eventsOf(agent.start('Go', { runId }))
    const stored = live.filter(isStored)
    const faults = foldFaults(
      stored.filter(({ type }) => type !== 'message.ended'),
      await store.read(runId),
    )
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual(['text', 'turns', 'messages'])
  })
})

function isStored(event: AgentEvent): event is StoredEvent {
  return event.seq !== undefined
}
