import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Decision, type Json, StoreError, UsageError } from '../../../src/index.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { fakeClock } from '../../../proof/support/fake-clock.ts'
import { resultsOf } from '../../../proof/support/read-run.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox, toolNamed } from '../../../proof/support/tools.ts'

const textIn = (value: Json) => (typeof value === 'string' ? value : '')

/** An object in an object, so many times. */
function nested(depth: number): Json {
  let value: Json = 'bottom'
  for (let left = depth; left > 0; left--) value = { value }
  return value
}

const tooDeep = 'is nested more than 200 objects and lists deep, or contains itself'

describe.each<[string, () => Promise<Store>]>([
  ['memory', async () => memoryStore()],
  ['SQLite', async () => sqliteStore(join(await temporaryFolder(), 'runs.db'), { synchronous: 'normal' })],
])('%s', (_name, open) => {
  test('TC-07 CKP-09 accepts arguments of the maximum depth, and answers deeper ones with an error', async () => {
    const store = await open()
    const { done, act } = toolbox()
    const replies = [
      calls(call('c1', 'act', nested(200)), call('c2', 'act', nested(201)), call('c3', 'act', nested(2_400))),
      'Bye',
    ]
    const { agent } = testAgent({ replies, store, tools: [act()] })
    expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'natural_end' })
    const refusal = `The arguments for "act" could not be read: The value ${tooDeep}.`
    expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'act done', '1.c2': refusal, '1.c3': refusal })
    expect(done).toEqual([`act ${JSON.stringify(nested(200))}`])
    await store.close()
  })

  test('TC-03 CKP-09 accepts results, tickets, state and edits of the maximum depth, and refuses deeper ones', async () => {
    const store = await open()
    const paths: Record<string, string[]> = { deep: Array(200).fill('k'), wide: Array(100).fill('k') }
    const tools = [
      toolNamed('give', (input) => ({ content: [], details: nested(Number(input)) }), { input: {} }),
      toolNamed(
        'keep',
        (input, { patch }) => {
          const [path, depth] = input as [string, number]
          patch([{ path: paths[path] ?? [], value: nested(depth) }])
          return 'kept'
        },
        { input: {} },
      ),
      toolNamed('ask', (input, { suspend }) => suspend({ parameters: nested(Number(input)) }), { input: {} }),
    ]
    const asked = [
      call('g1', 'give', 198),
      call('g2', 'give', 201),
      call('k1', 'keep', ['wide', 100]),
      call('k2', 'keep', ['wide', 101]),
      call('k3', 'keep', ['deep', 1]),
      call('a1', 'ask', 199),
      call('a2', 'ask', 201),
    ]
    const { agent } = testAgent({ replies: [calls(...asked), 'Bye', 'Bye'], store, tools, executor: 'parallel' })
    const run = agent.start('Hi', { runId })
    const { suspended } = await run.settled()
    expect(suspended.map(({ callId }) => callId)).toEqual(['1.a1'])
    expect(await resultsOf(store, runId)).toMatchObject({
      '1.g1': '',
      '1.g2': expect.stringContaining(tooDeep),
      '1.k1': 'kept',
      '1.k2': expect.stringContaining(tooDeep),
      '1.k3': expect.stringContaining(tooDeep),
      '1.a2': expect.stringContaining(tooDeep),
    })
    expect(await run.edit('1.a1', nested(201))).toMatchObject({ answer: 'refused', message: `"input" ${tooDeep}.` })
    expect(await run.edit('1.a1', 100)).toMatchObject({ answer: 'applied' })
    const again = await testAgent({ replies: [calls(...asked), 'Bye', 'Bye'], store, tools, process: 'p2' }).agent.load(
      runId,
    )
    expect((await again.settled()).status).toBe('waiting')
    await store.close()
  })
})

test('RUN-11 CKP-09 fails a call that would make the state too large, and the run continues', async () => {
  const text = 'x'.repeat(20_000_000)
  const tools = [
    toolNamed(
      'keep',
      (key, { patch }) => {
        patch([{ path: [textIn(key)], value: text }])
        return 'kept'
      },
      { input: {} },
    ),
  ]
  const asks = ['a', 'b', 'c'].map((key) => calls(call(key, 'keep', key)))
  const { agent, store } = testAgent({ replies: [...asks, 'Bye'], tools })
  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'natural_end' })
  expect(await resultsOf(store, runId)).toEqual({
    '1.a': 'kept',
    '2.b': 'kept',
    '3.c': 'Tool "keep" failed: The state would have 60000042 bytes; at most 50000000 are kept. Nothing was changed.',
  })
})

test.each<[string, unknown, string]>([
  ['too deep', [{ role: 'user', content: [{ type: 'text', text: 'Hi', more: nested(200) }] }], tooDeep],
  [
    'of a getter that throws',
    {
      get length() {
        return raise()
      },
    },
    'could not be read: boom',
  ],
  [
    'of a message that throws',
    [
      {
        role: 'user',
        get content() {
          return raise()
        },
      },
    ],
    'could not be read: boom',
  ],
  ['of no blocks', [{ role: 'user', content: ['Hi'] }], 'is invalid'],
  ['of 60 MB', 'x'.repeat(60_000_000), 'is too large: at most 50000000 bytes of JSON are accepted'],
])('AGT-01 refuses a prompt that is %s, and stores nothing', async (_what, prompt, problem) => {
  const { agent, store } = testAgent()
  await expect(agent.run(prompt as never)).rejects.toMatchObject({
    name: 'UsageError',
    code: 'bad_prompt',
    message: expect.stringContaining(`The prompt ${problem}`),
  })
  expect(await store.list()).toEqual([])
})

function raise(): never {
  throw new Error('boom')
}

describe('decisions', () => {
  async function waiting() {
    const { done, act } = toolbox()
    const replies = [calls(call('c1', 'act', {})), 'Bye']
    const { agent, store } = testAgent({ replies, tools: [act('act', { needs: 'approval' })] })
    const run = agent.start('Hi', { runId })
    await run.settled()
    return { run, store, done }
  }

  test.each<[string, unknown]>([
    ['a text', 'approve'],
    ['an object', { target: '1.c1', action: 'resume' }],
    ['a list that throws', new Proxy([], { get: raise })],
    ['a revoked proxy', revoked()],
  ])('DEC-06 refuses %s instead of a list of decisions', async (_what, given) => {
    const { run } = await waiting()
    await expect(run.decide(given as never)).rejects.toBeInstanceOf(UsageError)
    await expect(run.decide(given as never)).rejects.toMatchObject({ code: 'bad_decision' })
  })

  test.each<[string, unknown, string]>([
    [
      'a getter that throws',
      {
        action: 'resume',
        target: '1.c1',
        get input() {
          return raise()
        },
      },
      'could not be read: boom',
    ],
    ['a proxy that throws', new Proxy({}, { ownKeys: raise }), 'could not be read: boom'],
    ['a target of half a character', { target: '\ud800', action: 'resume' }, '"target" contains half of a character'],
    [
      'an id of half a character',
      { target: '1.c1', action: 'resume', decisionId: 'd\udc00' },
      '"decisionId" contains half',
    ],
    ['a toJSON', { target: '1.c1', action: 'resume', input: { toJSON: () => ({}) } }, '"input" is not JSON'],
    [
      'texts of 1.2 MB together',
      { target: '1.c1', action: 'cancel', reason: 'x'.repeat(600_000), by: 'y'.repeat(600_000) },
      'The decision has 12000',
    ],
    ['an unreadable deep value', { target: '1.c1', action: 'resume', input: nested(50_000) }, tooDeep],
  ])(
    'DEC-06 CKP-09 refuses %s in a decision, and accepts the other decisions of the list',
    async (_what, odd, problem) => {
      const { run, store, done } = await waiting()
      const [refused, applied] = await run.decide([odd as Decision, { target: '1.c1', action: 'resume' }])
      expect(refused).toMatchObject({ answer: 'refused', message: expect.stringContaining(problem) })
      expect(applied).toMatchObject({ answer: 'applied' })
      expect((await run.settled()).status).toBe('done')
      expect(done).toEqual(['act {}'])
      const direct = await store.decide(runId, [odd as Decision], 0)
      expect(direct).toMatchObject([{ answer: 'refused', message: expect.stringContaining(problem) }])
    },
  )

  test("DEC-01 CKP-05 reads the caller's values once, before the store takes its lock", async () => {
    const path = join(await temporaryFolder(), 'runs.db')
    const store = sqliteStore(path)
    const { act } = toolbox()
    const replies = [calls(call('c1', 'act', {})), 'Bye']
    const { agent } = testAgent({ replies, store, tools: [act('act', { needs: 'approval' })] })
    await agent.run('Hi', { runId })
    const other = new DatabaseSync(path)
    other.exec('PRAGMA busy_timeout = 0')
    let reads = 0
    const decision = {
      target: '1.c1',
      action: 'resume' as const,
      get input() {
        reads++
        other.exec('BEGIN IMMEDIATE; ROLLBACK')
        return {}
      },
    }
    expect(await store.decide(runId, [decision], Date.now())).toMatchObject([{ answer: 'applied' }])
    expect(reads).toBe(1)
    other.close()
    await store.close()
  })
})

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable([], {})
  revoke()
  return proxy
}

test.each([Number.NaN, Infinity, undefined, '0'])('RUN-06 refuses a clock that returns %s', async (reading) => {
  const { agent, store } = testAgent({ clock: { ...fakeClock(), now: () => reading as number } })
  await expect(agent.run('Hi')).rejects.toMatchObject({ name: 'UsageError', code: 'bad_number' })
  expect(await store.list()).toEqual([])
})

test('RUN-06 passes on each reading of a complete clock', async () => {
  let asked = 0
  const clock = { ...fakeClock(), monotonic: () => ++asked }
  await testAgent({ clock, replies: ['Bye'] }).agent.run('Hi')
  expect(asked).toBeGreaterThan(0)
})

test('CKP-09 reads and drives a run in which an earlier version stored arguments of any depth', async () => {
  const path = join(await temporaryFolder(), 'runs.db')
  const store = sqliteStore(path)
  const { act } = toolbox()
  const replies = [calls(call('c1', 'act', { old: 'DEEP \u0001' })), 'Bye']
  const { agent } = testAgent({ replies, store, tools: [act('act', { needs: 'approval' })] })
  await agent.run('Hi', { runId })
  await store.close()
  const database = new DatabaseSync(path)
  const deep = `${'['.repeat(2_400)}"\\u0001"${']'.repeat(2_400)}`
  const { changes } = database
    .prepare(`UPDATE log SET body = replace(body, '"DEEP \\u0001"', ?) WHERE kind = 'message'`)
    .run(deep)
  expect(changes).toBeGreaterThan(0)
  database.close()

  const later = sqliteStore(path)
  const run = await testAgent({
    replies,
    store: later,
    tools: [act('act', { needs: 'approval' })],
    process: 'p2',
  }).agent.load(runId)
  await run.deny('1.c1', { reason: 'too deep' })
  expect(await run.settled()).toMatchObject({ status: 'done', outcome: { reason: 'natural_end' } })
  await expect(later.record('none')).rejects.toBeInstanceOf(StoreError)
  await later.close()
})
