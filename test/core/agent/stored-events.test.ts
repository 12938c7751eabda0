import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { eventsOf, heldReply, runId, testAgent, type TestAgentOptions } from '../../../proof/support/test-agent.ts'
import { type AgentEvent, ModelError, type Run, tool, UsageError } from '../../../src/index.ts'
import type { StoredEvent } from '../../../src/ports.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { eventOf } from '../../../src/core/domain/event-of.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../../adapters/stores/temporary-folder.ts'

const act = tool({
  name: 'act',
  description: '-',
  effects: 'none',
  input: z.object({ n: z.number() }),
  execute: ({ n }) => `did ${n}`,
})
const ask = tool({
  name: 'ask',
  description: '-',
  input: z.object({}),
  // A call that is answered asks again, until it is told enough.
  execute: (_, { decision, suspend, patch }) => {
    patch([{ path: ['asked'], value: true }])
    const { input } = decision ?? {}
    const said = (input as { readonly enough?: boolean } | undefined)?.enough
    return decision?.result === 'enough' || said === true ? 'heard' : suspend({ message: 'More?' })
  },
})
const acting = (...ns: readonly number[]) => ({ toolCalls: ns.map((n) => ({ name: 'act', arguments: { n } })) })

const stored = (options: TestAgentOptions = {}) =>
  testAgent({ tools: [act, ask], replies: [acting(1, 2), 'Done.'], ...options })

async function readAll(run: Run, after = 0): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = []
  for await (const event of run.events({ after: after, deltas: false })) events.push(event)
  return events
}

/** Numbered events as a program that keeps their JSON has them. */
function numbered(events: readonly AgentEvent[]): readonly unknown[] {
  return events.flatMap((event) => (event.seq === undefined ? [] : [JSON.parse(JSON.stringify(event))]))
}

async function onStores(use: (store: Store) => Promise<void>): Promise<void> {
  using folder = temporaryFolder()
  for (const store of [memoryStore(), sqliteStore(folder.file('runs.db'), { synchronous: 'normal' })]) {
    await use(store)
    await store.close()
  }
}

describe('EVT-04 stored events', () => {
  test('EVT-04 stored events follow a commit, have the numbers of its entries, and are read as they were emitted', async () => {
    await onStores(async (store) => {
      const { agent } = stored({ store })
      const run = agent.start('Go', { runId })
      const told = await eventsOf(run)
      const read = await readAll(run)
      const entries = await store.entries(runId, 0, 1000)
      expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1))
      expect(read).toEqual(entries.flatMap((entry) => eventOf(entry, { runId, subject: runId }) ?? []))
      expect(read).toEqual(numbered(told))
      const unnumbered = new Set(told.flatMap(({ type, seq }) => (seq === undefined ? type : [])))
      expect([...unnumbered].filter((type) => read.some((event) => event.type === type))).toEqual([])
      expect(read.map(({ type }) => type)).toEqual([
        'run.started',
        'message.ended',
        'turn.started',
        'message.ended',
        'call.settled',
        'call.settled',
        'message.ended',
        'message.ended',
        'turn.ended',
        'turn.started',
        'message.ended',
        'turn.ended',
        'run.ended',
      ])
    })
  })

  test('EVT-04 stored events of a call that suspends repeatedly are read as they were each time', async () => {
    await onStores(async (store) => {
      const { agent } = stored({
        store,
        replies: [
          {
            toolCalls: [
              { name: 'ask', arguments: {} },
              { name: 'ask', arguments: {} },
            ],
          },
          'Done.',
        ],
        onPartialSuspension: 'wait',
      })
      const run = agent.start('Go', { runId })
      const told = [...(await eventsOf(run))]
      const ids = (await run.result()).suspended.map(({ callId }) => callId)
      for (const answer of [
        { action: 'resume' },
        { action: 'resume', input: { enough: false } },
        { action: 'resume', input: { enough: true } },
      ] as const) {
        await run.decide(ids.map((target) => ({ target, ...answer })))
        told.push(...(await eventsOf(run)))
      }
      const read = await readAll(run)
      expect(read).toEqual(numbered(told))
      const suspensions = read.flatMap((event) => (event.type === 'call.suspended' ? event.call.suspension?.id : []))
      expect(new Set(suspensions).size).toBeGreaterThan(2)
      expect(read.filter(({ type }) => type === 'run.waiting').length).toBeGreaterThan(2)
    })
  })

  test('EVT-04 stores warnings of an effect with its result, and emits them after that commit', async () => {
    await onStores(async (store) => {
      const replies = [{ error: new ModelError('network', 'Overloaded') }, 'Done.']
      const { agent } = testAgent({ store, replies, retry: { initialDelayMs: 0 } })
      const run = agent.start('Go', { runId })
      const told = await eventsOf(run)
      const read = await readAll(run)
      expect(read).toEqual(numbered(told))
      const [failed] = read.filter(({ type }) => type === 'model.failed')
      expect(failed).toMatchObject({ seq: 5, turn: 1, error: { message: 'Overloaded' } })
    })
  })

  test('EVT-04 stores the text of each message once in the store file', async () => {
    using folder = temporaryFolder()
    const path = folder.file('runs.db')
    const store = sqliteStore(path, { synchronous: 'normal', secureDelete: true })
    const { agent } = stored({ store, replies: [acting(1234), acting(5678, 9012), 'A reply of the model.'] })
    await agent.run('A question of the user.', { runId })
    await store.close()
    const file = readFileSync(path, 'latin1')
    for (const said of ['A question of the user.', 'did 1234', 'did 5678', 'did 9012', 'A reply of the model.'])
      expect([said, file.split(`"${said}"`).length - 1]).toEqual([said, 1])
  })

  test('EVT-04 stored events continue if another agent drives the run on', async () => {
    const store = memoryStore()
    const first = stored({ store, replies: [{ toolCalls: [{ name: 'ask', arguments: {} }] }, 'Done.'] })
    await first.agent.run('Go', { runId })
    const second = stored({ store, process: 'p2', replies: [{ toolCalls: [] }, 'Done.'] })
    const plain = testAgent({ store, process: 'p2', tools: [act, ask], replies: [{ toolCalls: [] }, 'Done.'] })
    const run = await plain.agent.load(runId)
    await run.deny()
    await run.settled()
    const read = await readAll(await second.agent.load(runId))
    const numbers = read.map(({ seq }) => seq)
    expect(numbers).toEqual([...new Set(numbers)].sort((left, right) => left - right))
    expect(read.at(-1)).toMatchObject({ type: 'run.ended' })
  })

  test('EVT-04 CKP-08 a fork has its own events, numbered from the beginning', async () => {
    const { agent } = stored()
    const original = agent.start('Go', { runId })
    await original.settled()
    const before = await readAll(original)
    const [, checkpoint] = await original.history()
    const fork = await agent.fork(runId, { from: checkpoint?.version ?? 0, runId: 'fork' })
    await fork.settled()
    const read = await readAll(fork)
    expect(new Set(read.map(({ runId: id }) => id))).toEqual(new Set(['fork']))
    expect(read.filter(({ type }) => type === 'run.started')).toEqual([
      {
        ...before[0],
        ...{ runId: 'fork', subject: runId, seq: expect.any(Number), at: expect.any(Number), parentRunId: runId },
        ...{ continuation: { kind: 'default' }, forkedFrom: { runId, version: checkpoint?.version } },
      },
    ])
    expect([read[0]?.type, read.at(-1)?.type]).toEqual(['run.started', 'run.ended'])
    expect(await readAll(original)).toEqual(before)
  })

  test('EVT-04 the events read so far and those read later add up to the whole', async () => {
    const { agent, store } = stored({ replies: [acting(1, 2, 3), acting(4), 'Done.'] })
    const run = agent.start('Go', { runId })
    await run.settled()
    const whole = await readAll(run)
    const last = (await store.entries(runId, 0, 1000)).at(-1)?.seq ?? 0
    for (let after = 0; after <= last; after++)
      expect([...whole.filter(({ seq }) => seq <= after), ...(await readAll(run, after))]).toEqual(whole)
  })
})

describe('EVT-04 run.events', () => {
  test('EVT-04 run.events returns the stored events, then new ones until the run waits, and again when it continues', async () => {
    const held = heldReply()
    const { agent } = stored({ replies: [held.reply, { toolCalls: [{ name: 'ask', arguments: {} }] }, 'Done.'] })
    const run = agent.start('Go', { runId })
    await held.asked
    const reading = run.events({ deltas: false })
    expect((await reading.next()).value).toMatchObject({ seq: 1, type: 'run.started' })
    held.give({ toolCalls: [{ name: 'ask', arguments: {} }] })
    const rest: StoredEvent[] = []
    for await (const event of reading) rest.push(event)
    expect(rest.at(-1)).toMatchObject({ type: 'run.waiting' })
    const { seq = 0 } = rest.at(-1) ?? {}
    await run.deny()
    await run.settled()
    expect((await readAll(run, seq)).slice(0, 2)).toMatchObject([
      { type: 'call.decided', action: 'cancel' },
      { type: 'run.resumed' },
    ])
  })

  test('EVT-04 run.events reads a run that another agent on the same store drives, without driving it', async () => {
    using folder = temporaryFolder()
    const path = folder.file('runs.db')
    const held = heldReply()
    const driver = stored({ store: sqliteStore(path, { synchronous: 'normal' }), replies: [held.reply] })
    const run = driver.agent.start('Go', { runId })
    const told = eventsOf(run)
    await held.asked
    const reader = stored({ store: sqliteStore(path, { synchronous: 'full' }), process: 'p2' })
    const elsewhere = (await reader.agent.load(runId)).events({ deltas: false })
    const read: StoredEvent[] = []
    for (let count = 0; count < 3; count++) read.push((await elsewhere.next()).value as StoredEvent)
    const next = elsewhere.next()
    await reader.clock.sleeping()
    held.give('Done.')
    const all = numbered(await told)
    reader.clock.advance(1000)
    read.push((await next).value as StoredEvent)
    for await (const event of elsewhere) read.push(event)
    expect(read).toEqual(all)
  })

  test('EVT-04 run.events ends at once when it is aborted or left, and does not disturb the run', async () => {
    for (const leave of ['abort', 'return'] as const) {
      const held = heldReply()
      const { agent, clock } = stored({ replies: [held.reply] })
      const run = agent.start('Go', { runId })
      await held.asked
      const leaving = new AbortController()
      const reading = run.events({ after: 3, deltas: false, signal: leaving.signal })
      const next = reading.next()
      await clock.sleeping()
      if (leave === 'abort') leaving.abort()
      else await reading.return()
      expect(await next).toEqual({ done: true, value: undefined })
      expect(await reading.next()).toEqual({ done: true, value: undefined })
      held.give('Done.')
      expect(await run.settled()).toMatchObject({ text: 'Done.' })
    }
  })

  test('EVT-04 run.events ends with the error that ended its agent', async () => {
    const held = heldReply()
    const { agent, clock } = stored({ replies: [held.reply] })
    const run = agent.start('Go', { runId })
    await held.asked
    const next = run.events({ after: 3, deltas: false }).next()
    await clock.sleeping()
    const refused = next.catch((error: unknown) => error)
    held.give('Done.')
    await agent.close()
    expect(await refused).toMatchObject({ code: 'agent_closed' })
  })

  test.for([
    [-1, '-1 is not the number of an event.'],
    [1.5, '1.5 is not the number of an event.'],
    [Number.NaN, 'null is not the number of an event.'],
    ['2', '"2" is not the number of an event.'],
    [99, 'Run "run-1" has no event 99 yet.'],
    [{ seq: 2 }, '{"seq":2} is not the number of an event.'],
  ] as const)('EVT-04 run.events refuses %j', async ([after, problem]) => {
    const { agent } = stored()
    const run = agent.start('Go', { runId })
    await run.settled()
    const reading = run.events({ after: after as never, deltas: false })
    const wish = 'Expected 0 for all events, or the seq of an event of this run.'
    const refusal = new UsageError('bad_event_number', `${problem} ${wish}`)
    await expect(reading.opened()).rejects.toEqual(refusal)
    await expect(reading.next()).rejects.toEqual(refusal)
  })

  test('EVT-04 run.events of an unknown run fails like other reads', async () => {
    const { agent } = stored()
    await agent.start('Go', { runId }).settled()
    const other = agent.start('Go', { runId })
    await expect(readAll(other)).rejects.toMatchObject({ code: 'run_exists' })
  })
})
