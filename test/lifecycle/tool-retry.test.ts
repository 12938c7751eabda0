import { describe, expect, test } from 'vitest'
import { tool, type ToolReturn } from '../../src/index.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import type { Json } from '../../src/core/domain/text/json.ts'
import type { Tool, ToolContext } from '../../src/core/ports/tool.ts'
import { start } from '../../proof/support/fake-clock.ts'
import { resultsOf, statusesOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { eventsOf, quiet, runId, stop, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { toolNamed } from '../../proof/support/tools.ts'

const replies = [calls(call('c1', 'fetch')), 'Bye']
/** Without jitter: a random number of a half leaves a wait as it is. */
const middle = { retry: { random: () => 0.5 } }

/** A tool that does, at each performance, what comes next; the last for ever. */
function fetching(
  acts: readonly ((context: ToolContext) => ToolReturn | Promise<ToolReturn>)[],
  extras: Partial<Tool> = {},
) {
  const seen: string[] = []
  const execute = async (_: Json, context: ToolContext) => {
    seen.push(`attempt ${context.attempt} key ${context.idempotencyKey}`)
    return (acts[Math.min(seen.length, acts.length) - 1] ?? (() => 'none'))(context)
  }
  return { seen, tool: toolNamed('fetch', execute, { effects: 'idempotent', retry: { attempts: 3 }, ...extras }) }
}

const fails = (): ToolReturn => ({ content: [{ type: 'text', text: 'Not now.' }], status: 'error' })
const throws = (): ToolReturn => {
  throw new Error('reset')
}

/** Starts a run; `passes` waits until the tool sleeps for so long, and lets it wake up. */
function started(options: TestAgentOptions) {
  const testing = testAgent({ replies, ...middle, ...options })
  const end = testing.agent.run('Hi', { runId })
  const passes = async (ms: number) => {
    await testing.clock.sleeping(testing.clock.now() + ms)
    testing.clock.advance(ms)
  }
  return { ...testing, end, passes }
}

describe('TC-03 retries', () => {
  test('TC-03 TC-09 retries after an error result and after an exception, with the same key, each wait twice the previous one', async () => {
    const { seen, tool: fetch } = fetching([fails, throws, () => 'fetched'])
    const { end, passes, store, prompts } = started({ tools: [fetch] })
    await passes(1000)
    await passes(2000)
    await end

    expect(seen).toEqual([1, 2, 3].map((attempt) => `attempt ${attempt} key run-1:1.c1:0`))
    expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'fetched' })
    expect(prompts[1]).toEqual(['user: Hi', 'assistant: calls 1.c1 fetch', 'result 1.c1: fetched'])
  })

  test('TC-03 retries until its attempts are used up; the model sees only the last failure', async () => {
    const { seen, tool: fetch } = fetching([throws, fails], { effects: 'none', retry: { attempts: 2, baseMs: 50 } })
    const { end, passes, store } = started({ tools: [fetch] })
    await passes(50)
    await end

    expect(seen).toHaveLength(2)
    expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'failed' })
    expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'Not now.' })
  })

  test('TC-03 never waits longer than maxMs, and the jitter is up to a fifth either way', async () => {
    for (const [random, waits] of [
      [0, [8, 16, 24]],
      [0.5, [10, 20, 30]],
    ] as const) {
      const { seen, tool: fetch } = fetching([fails], { retry: { attempts: 4, baseMs: 10, maxMs: 30 } })
      const { end, passes } = started({ tools: [fetch], retry: { random: () => random } })
      for (const wait of waits) await passes(wait)
      await end
      expect(seen).toHaveLength(4)
    }
  })

  test('EVT-01 emits each attempt, with what went wrong and when the next one starts', async () => {
    const { tool: fetch } = fetching([throws, () => 'fetched'])
    const { agent, clock } = testAgent({ replies, ...middle, tools: [fetch] })
    const events = eventsOf(agent.start('Hi', { runId }))
    await clock.sleeping(start + 1000)
    clock.advance(1000)
    const told = (await events).flatMap((event): readonly unknown[] => {
      if (event.type === 'toolExecution.started') return [`started ${event.attempt}`]
      return event.type === 'toolExecution.ended' ? [{ status: event.status, retry: event.retry }] : []
    })

    expect(told).toEqual([
      'started 1',
      { status: 'failed', retry: { at: start + 1000, message: 'Tool "fetch" failed: reset' } },
      'started 2',
      { status: 'succeeded', retry: undefined },
    ])
  })

  test('TC-03 retries after a time-out, and ignores late actions of the timed-out attempt', async () => {
    const late = Promise.withResolvers<unknown>()
    const going = Promise.withResolvers<void>()
    const hangs = async ({ step }: ToolContext) => {
      late.resolve(await step('slow', () => going.promise).catch((error: unknown) => error))
      return 'too late'
    }
    const { seen, tool: fetch } = fetching([hangs, () => 'fetched'], { timeoutMs: 70 })
    const { end, passes, store } = started({ tools: [fetch] })
    await passes(70)
    await passes(1000)
    await end
    going.resolve()

    expect(await late.promise).toEqual(new Error('Timeout'))
    expect(seen).toHaveLength(2)
    expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'fetched' })
  })

  test("TC-08 a retry does not repeat the attempt's finished steps", async () => {
    const done: string[] = []
    const act = async ({ step, attempt }: ToolContext) => {
      const first = await step('first', () => done.push('first'))
      if (attempt === 1) throw new Error('reset')
      return `${first} then ${await step('second', () => done.push('second'))}`
    }
    const { tool: fetch } = fetching([act])
    const { end, passes, store } = started({ tools: [fetch] })
    await passes(1000)
    await end

    expect(done).toEqual(['first', 'second'])
    expect(await resultsOf(store, runId)).toEqual({ '1.c1': '1 then 2' })
  })

  test('RUN-11 applies no state changes of a failed attempt', async () => {
    const act = ({ patch, attempt }: ToolContext) => {
      patch([{ path: [`attempt ${attempt}`], value: true }])
      return attempt === 1 ? fails() : 'fetched'
    }
    const { tool: fetch } = fetching([act])
    const { end, passes, store } = started({ tools: [fetch] })
    await passes(1000)
    await end

    const states = (await store.read(runId)).log.flatMap((entry) => (entry.kind === 'state' ? [entry.state] : []))
    expect(states).toEqual([{ 'attempt 2': true }])
  })

  test('DEC-05 counts attempts from the first again once a person has answered', async () => {
    const asks = ({ suspend }: ToolContext) => suspend()
    const { seen, tool: fetch } = fetching([fails, asks, fails, fails, () => 'fetched'])
    const { end, passes, agent, store } = started({ tools: [fetch] })
    await passes(1000)
    expect((await end).status).toBe('waiting')
    const run = await agent.load(runId)
    await run.approve()
    const settled = run.settled()
    await passes(1000)
    await passes(2000)
    await settled

    expect(seen.map((line) => line.slice(0, 9))).toEqual([1, 2, 3, 4, 5].map((attempt) => `attempt ${attempt}`))
    expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'fetched' })
  })
})

describe('TC-08 waits between attempts', () => {
  test('TC-08 CKP-03 a call that waits for its next attempt keeps its timer if its process died', async () => {
    const store = memoryStore()
    const { seen, tool: fetch } = fetching([fails, () => 'fetched'])
    const first = testAgent({ replies, ...middle, tools: [fetch], store })
    const run = first.agent.start('Hi', { runId })
    const end = run.settled()
    await first.clock.sleeping(start + 1000)
    expect(await store.due(start + 999)).toEqual([])
    expect(await store.due(start + 1000)).toEqual([runId])
    await stop(run, end)
    first.clock.advance(400)

    const second = testAgent({ replies, ...middle, tools: [fetch], store, clock: first.clock, process: 'p2' })
    const goesOn = (await second.agent.load(runId)).settled()
    await second.clock.sleeping(start + 1000)
    expect(seen).toHaveLength(1)
    second.clock.advance(600)
    await goesOn
    expect(seen).toEqual(['attempt 1 key run-1:1.c1:0', 'attempt 2 key run-1:1.c1:0'])
    expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'fetched' })
  })

  test.for(['call', 'run'] as const)(
    'DEC-09 RUN-07 a call that waits for its next attempt is cancelled at once with its %s',
    async (what) => {
      const { seen, tool: fetch } = fetching([fails])
      const { agent, clock, store } = testAgent({ replies, ...middle, tools: [fetch] })
      const run = agent.start('Hi', { runId })
      const end = run.settled()
      await clock.sleeping(start + 1000)
      await (what === 'call' ? run.cancelCall('1.c1') : run.cancel())
      await end
      clock.advance(5000)
      await quiet()

      expect(seen).toHaveLength(1)
      expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'cancelled' })
      expect(await store.due(start + 10_000)).toEqual([])
    },
  )
})

describe('TC-07 calls that are not retried', () => {
  test('TC-07 does not retry a call whose arguments do not fit', async () => {
    const { seen, tool: fetch } = fetching([() => 'fetched'], { input: { type: 'object', required: ['url'] } })
    const { end, store } = started({ tools: [fetch] })
    await end
    expect(seen).toEqual([])
    expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'failed' })
  })

  test('TC-08 does not retry a call that was planned as one that must not run twice', async () => {
    // Between the answer and the performance the tool's code comes to say otherwise.
    const { seen, tool: fetch } = fetching([fails])
    const { retry: _, ...asked } = { ...fetch, effects: 'once' as const, needs: 'approval' as const }
    const first = testAgent({ replies, tools: [asked] })
    await first.agent.run('Hi', { runId })
    const second = testAgent({ replies, tools: [fetch], store: first.store, clock: first.clock, process: 'p2' })
    const run = await second.agent.load(runId)
    await run.approve()
    await run.settled()

    expect(seen).toHaveLength(1)
    expect(await statusesOf(first.store, runId)).toEqual({ '1.c1': 'failed' })
  })
})

const base = { name: 'pay', description: 'Pays', input: { type: 'object' }, execute: () => 'paid' }
const wish = "Expected effects: 'none' or 'idempotent' beside it: a tool that must not run twice is never tried again."

describe('TC-08 retry options', () => {
  test.for<[string, object, string]>([
    ['with effects once', { effects: 'once', retry: { attempts: 2 } }, wish],
    ['without effects', { retry: { attempts: 2 } }, wish],
    ['of no attempts', { effects: 'none', retry: { attempts: 0 } }, 'Expected a whole number of 1 or more.'],
    ['of half an attempt', { effects: 'none', retry: { attempts: 1.5 } }, 'Expected a whole number of 1 or more.'],
    [
      'of endless attempts',
      { effects: 'none', retry: { attempts: Infinity } },
      'Expected a whole number of 1 or more.',
    ],
    ['without attempts', { effects: 'none', retry: {} }, 'is missing. Expected a whole number of 1 or more.'],
    [
      'with a negative wait',
      { effects: 'none', retry: { attempts: 2, baseMs: -1 } },
      'Expected a finite number of 0 or more.',
    ],
    [
      'with an endless wait',
      { effects: 'none', retry: { attempts: 2, maxMs: Infinity } },
      'Expected a finite number of 0 or more.',
    ],
    ['misspelt', { effects: 'none', retry: { attempts: 2, maxDelayMs: 1 } }, 'is not known. Did you mean maxMs?'],
    ['that is a number', { effects: 'none', retry: 3 }, 'Expected an object.'],
    ['by another name', { effects: 'none', maxRetries: 3 }, 'Did you mean retry: { attempts }?'],
  ])('TC-08 refuses a retry %s', ([, options, message]) => {
    let refusal: unknown
    try {
      tool({ ...base, ...options })
    } catch (error) {
      refusal = error
    }
    expect(refusal).toMatchObject({ name: 'UsageError', code: 'bad_option', message: expect.stringContaining(message) })
  })
})
