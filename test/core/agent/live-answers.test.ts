import { isDeepStrictEqual } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type AgentEvent, type Plugin, textOf } from '../../../src/index.ts'
import { readLiveAnswer } from '../../../src/ports.ts'
import { readerRead } from '../../../src/core/domain/live-answer.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { heldAnswer } from '../../../proof/support/held-answer.ts'
import { toResponse } from '../../../src/servers/http/server-sent-events.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { type FakeClock, fakeClock } from '../../../proof/support/fake-clock.ts'
import { say } from '../../../proof/support/say.ts'
import { quiet, runId, testAgent } from '../../../proof/support/test-agent.ts'
import { temporaryFolder } from '../../adapters/stores/temporary-folder.ts'

/** A store, and the same rows as another process opens them. */
type OpenStores = (clock: FakeClock) => readonly [Store, Store]

const inMemory: OpenStores = (clock) => {
  const store = memoryStore({ clock })
  return [store, store]
}

const inOneFile: OpenStores = (clock) => {
  const folder = temporaryFolder()
  const open = () => sqliteStore(folder.file('runs.db'), { clock, synchronous: 'normal' })
  const stores = [open(), open()] as const
  onTestFinished(async () => {
    for (const store of stores) await store.close()
    folder[Symbol.dispose]()
  })
  return stores
}

/** A run that one agent drives, another agent on its store, and what the store is asked of answers under way. */
async function twoAgents(open: OpenStores = inMemory, plugins: readonly Plugin[] = []) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const clock = fakeClock()
  const [inner, other] = open(clock)
  const asked = { put: 0, written: 0, ended: 0 }
  const store: Store = {
    ...inner,
    records: async (reads) => {
      if (isDeepStrictEqual(reads, readerRead(runId))) asked.put++
      return inner.records(reads)
    },
    change: async (change) => {
      if (change.reads.some((read) => 'run' in read)) asked.written++
      else if (change.reads.length > 0) asked.ended++
      return inner.change(change)
    },
  }
  const answer = heldAnswer()
  const first = testAgent({ model: answer.model, store, clock, plugins })
  const run = first.agent.start('Hi', { runId })
  const settled = run.settled()
  await answer.asked
  const second = testAgent({ replies: [], store: other, clock, process: 'p2' })
  const pass = async () => {
    await quiet()
    await vi.advanceTimersByTimeAsync(100)
    await quiet()
  }
  return { answer, asked, clock, inner, pass, settled, second: await second.agent.load(runId) }
}

test('EVT-04 streams the current answer to a reader in another process, and removes it afterwards', async () => {
  const { answer, asked, clock, inner, pass, settled, second } = await twoAgents()
  const heard: AgentEvent[] = []
  const reading = (async () => {
    for await (const event of second.events()) heard.push(event)
  })()
  const look = async () => {
    await clock.sleeping()
    clock.advance(250)
    await quiet()
  }
  await look()
  for (const piece of ['He', 'llo']) answer.give(piece)
  await pass()
  await look()
  for (const piece of [', ', 'wor', 'ld']) answer.give(piece)
  await pass()
  await look()
  const head = { runId, subject: runId, turn: 1 }
  await quiet()
  expect(heard.filter(({ seq }) => seq === undefined)).toMatchObject([
    { type: 'message.started', ...head, role: 'assistant' },
    { type: 'message.updated', ...head, delta: { type: 'text', delta: 'Hello' } },
    { type: 'message.updated', ...head, delta: { type: 'text', delta: ', world' } },
  ])
  expect(asked).toEqual({ put: 2, written: 2, ended: 0 })
  answer.give()
  vi.useRealTimers()
  expect((await settled).text).toBe('Hello, world')
  expect(asked.ended).toBe(1)
  expect(await readLiveAnswer(inner, runId)).toBeUndefined()
  clock.advance(250)
  await reading
  expect(heard.at(-1)?.type).toBe('run.ended')
})

test('PH-05 EVT-04 stores no letter of a refused word that is still in the window, however its deltas are split', async () => {
  const word = 'QZXVKJWYBGPFMCUDLSHRNIOA'
  const refusing: Plugin = {
    name: 'refusing',
    answerWindow: word.length,
    onAnswer: (answer) => (textOf(answer).includes(word) ? { refuse: 'It says the word.' } : undefined),
  }
  for (let place = 1; place < word.length; place++) {
    const { answer, inner, pass, settled } = await twoAgents(inMemory, [refusing])
    const read = async () => JSON.stringify(await readLiveAnswer(inner, runId))
    await read()
    for (const piece of ['it is well known that it is ', word.slice(0, place)]) answer.give(piece)
    await pass()
    const seen = await read()
    expect(seen).toContain('it i')
    for (const piece of [word.slice(place), ', they say']) answer.give(piece)
    await pass()
    expect((seen + (await read())).match(/[A-Z]{2}/)).toBeNull()
    answer.give()
    vi.useRealTimers()
    expect((await settled).text).toBe('')
    expect(JSON.stringify(await inner.read(runId))).not.toMatch(/QZ/)
  }
})

test('EVT-04 writes nothing of an answer without readers elsewhere, and no request to the store for a short one', async () => {
  const { answer, asked, pass, settled } = await twoAgents()
  for (let second = 0; second < 5; second++) {
    for (const piece of ['one ', 'two ', 'three ']) answer.give(piece)
    await pass()
  }
  expect(asked).toEqual({ put: 5, written: 0, ended: 0 })
  answer.give('end')
  answer.give()
  vi.useRealTimers()
  await settled
  expect(asked).toEqual({ put: 5, written: 0, ended: 0 })
})

test("EVT-04 following a run without a text listener writes no reader's mark", async () => {
  const { answer, asked, clock, pass, settled, second } = await twoAgents()
  const followed = second.settled({ follow: true })
  await clock.sleeping()
  answer.give('Hello')
  await pass()
  expect(asked).toEqual({ put: 1, written: 0, ended: 0 })
  answer.give()
  vi.useRealTimers()
  await settled
  clock.advance(250)
  await followed
})

test.for([
  ['memory', inMemory],
  ['SQLite', inOneFile],
] as const)(
  'EVT-04 an HTTP response with deltas streams the answer of a run that another process drives, in order (%s)',
  async ([, open]) => {
    const { answer, asked, clock, pass, settled, second } = await twoAgents(open)
    const response = await toResponse(second, { deltas: true, named: false })
    const events: AgentEvent[] = []
    const text = response.body?.pipeThrough(new TextDecoderStream())
    const read = (async () => {
      for await (const chunk of text ?? [])
        for (const line of chunk.split('\n')) if (line.startsWith('data: ')) events.push(JSON.parse(line.slice(6)))
    })()
    const look = async () => {
      await clock.sleeping()
      clock.advance(250)
      await quiet()
    }
    await look()
    answer.give('Hello')
    await pass()
    await look()
    answer.give(', world')
    await pass()
    await look()
    await clock.sleeping()
    expect(events.map(shortly).slice(-3)).toEqual(['message.started', 'Hello', ', world'])
    expect(asked).toEqual({ put: 2, written: 2, ended: 0 })
    answer.give()
    vi.useRealTimers()
    await settled
    clock.advance(250)
    await read
    expect(events.map(shortly)).toEqual([
      'run.started',
      'user: Hi',
      'turn.started',
      'message.started',
      'Hello',
      ', world',
      'assistant: Hello, world',
      'turn.ended',
      'run.ended',
    ])
  },
)

test('EVT-04 reads the stored events of a run that another process drives without a mark, if no reader here follows its text', async () => {
  const { answer, asked, clock, pass, settled, second } = await twoAgents()
  const types: string[] = []
  const read = (async () => {
    for await (const { type } of second.events({ deltas: false })) types.push(type)
  })()
  for (const piece of ['Hello', ', world']) {
    await clock.sleeping()
    clock.advance(250)
    answer.give(piece)
    await pass()
  }
  expect(asked).toEqual({ put: 2, written: 0, ended: 0 })
  answer.give()
  vi.useRealTimers()
  await settled
  clock.advance(250)
  await read
  expect(types.at(-1)).toBe('run.ended')
})

test('EVT-04 gives each of several readers of a run its answer once, and a late reader all of it', async () => {
  const { answer, clock, pass, second } = await twoAgents()
  const read = (events: AsyncIterable<AgentEvent>) => {
    const heard: AgentEvent[] = []
    void (async () => {
      for await (const event of events) if (event.seq === undefined) heard.push(event)
    })()
    return heard
  }
  const look = async () => {
    await quiet()
    clock.advance(250)
    await quiet()
  }
  const first = second.events()
  const [one, two] = [read(first), read(second.events())]
  await look()
  answer.give('Hello')
  await pass()
  await look()
  const late = read(second.events())
  await look()
  await first.return()
  answer.give('!')
  await pass()
  await look()
  await look()
  expect(two.map(shortly)).toEqual(['message.started', 'Hello', '!'])
  expect(late.map(shortly)).toEqual(['message.started', 'Hello', '!'])
  expect(one.map(shortly)).toEqual(['message.started', 'Hello'])
})

const shortly = (event: AgentEvent) => {
  if (event.type === 'message.updated') return event.delta.delta
  return event.type === 'message.ended' ? say(event.message) : event.type
}
