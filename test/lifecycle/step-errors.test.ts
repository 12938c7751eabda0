import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/core/ports/store.ts'
import type { ToolContext } from '../../src/core/ports/tool.ts'
import { fakeClock } from '../../proof/support/fake-clock.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { resultsOf, statusesOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { runId, testAgent } from '../../proof/support/test-agent.ts'
import { toolNamed } from '../../proof/support/tools.ts'

const replies = [calls(call('c1', 'pay')), 'Bye']

/** The end of a tool that uses steps, and the steps recorded by then. */
async function failureOf(use: (context: ToolContext) => Promise<unknown>) {
  const store = memoryStore()
  const failures: unknown[] = []
  let steps: unknown
  const execute = async (_: unknown, context: ToolContext) => {
    await use(context).catch((error: unknown) => failures.push(error))
    steps = (await store.calls(runId))[0]?.record.steps?.done
    return 'done'
  }
  await testAgent({ replies, tools: [toolNamed('pay', execute)], store }).agent.run('Hi', { runId })
  return { failure: failures[0], steps }
}

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = [value]
  return value
}

describe('TC-08 steps that are refused', () => {
  test('TC-08 refuses the same step name twice in one attempt, whether or not the first has finished', async () => {
    const { failure, steps } = await failureOf(async ({ step }) => {
      await step('charge', () => 1)
      return step('charge', () => 2)
    })
    expect(failure).toMatchObject({
      name: 'UsageError',
      code: 'step_repeated',
      message:
        'Step "charge" of tool "pay" was requested twice in one performance. Give each step a unique name, such as "charge 2".',
    })
    expect(steps).toEqual([{ name: 'charge', result: 1 }])
    const beside = await failureOf(({ step }) => Promise.all([step('charge', () => 1), step('charge', () => 2)]))
    expect(beside.failure).toMatchObject({ code: 'step_repeated' })
  })

  test("TC-08 rethrows a step's exception, and does not record the step", async () => {
    const { failure, steps } = await failureOf(({ step }) =>
      step('charge', () => {
        throw new Error('card refused')
      }),
    )
    expect(failure).toEqual(new Error('card refused'))
    expect(steps).toBeUndefined()
  })

  test.for<[string, unknown, string]>([
    ['is not JSON', () => 1, 'is not JSON: it is a function'],
    ['holds a big integer', { n: 1n }, 'is not JSON: it contains a big integer'],
    ['is nested too deep', nested(201), 'is nested more than 200 objects and lists deep, or contains itself'],
    ['is too large', 'x'.repeat(50_000_001), 'is too large: at most 50000000 bytes of JSON are accepted'],
  ])("TC-08 refuses a step's result that %s", async ([, value, problem]) => {
    const { failure, steps } = await failureOf(({ step }) => step('charge', () => value))
    expect(failure).toMatchObject({
      code: 'bad_step',
      message: `The result of step "charge" of tool "pay" ${problem}. Expected plain JSON, of at most 50000000 bytes for all steps of a call; the step was done and is not kept.`,
    })
    expect(steps).toBeUndefined()
  })

  test('TC-08 refuses steps that are too large together', async () => {
    const { failure, steps } = await failureOf(async ({ step }) => {
      await step('a', () => 'x'.repeat(30_000_000))
      await step('b', () => 'x'.repeat(30_000_000))
    })
    expect(failure).toMatchObject({ code: 'bad_step', message: expect.stringContaining('bytes of JSON. Expected') })
    expect(steps).toMatchObject([{ name: 'a' }])
  })

  test.for<[string, unknown, unknown, string]>([
    [
      'no text',
      7,
      () => 1,
      'A step of tool "pay" has no name that can be kept. Expected a text of 1 to 200 characters.',
    ],
    [
      'an empty text',
      ' ',
      () => 1,
      'A step of tool "pay" has no name that can be kept. Expected a text of 1 to 200 characters.',
    ],
    [
      'too long',
      'x'.repeat(201),
      () => 1,
      'A step of tool "pay" has no name that can be kept. Expected a text of 1 to 200 characters.',
    ],
    [
      'half a character',
      '\ud800',
      () => 1,
      'A step of tool "pay" has no name that can be kept. Expected a text of 1 to 200 characters.',
    ],
    ['given without a function', 'charge', 1, 'Step "charge" of tool "pay" received no function to perform.'],
  ])('TC-08 refuses a step name that is %s', async ([, name, perform, message]) => {
    const { failure } = await failureOf(({ step }) => step(name as string, perform as () => number))
    expect(failure).toMatchObject({ name: 'UsageError', code: 'bad_step', message })
  })

  test('TC-08 does not record a step that is running when its tool returns', async () => {
    const store = memoryStore()
    const going = Promise.withResolvers<number>()
    let late: Promise<unknown> | undefined
    let asked: Promise<unknown> | undefined
    const execute = (_: unknown, { step }: ToolContext) => {
      late = step('charge', () => going.promise).catch((error: unknown) => error)
      asked = late.then(() => step('mail', () => 1)).catch((error: unknown) => error)
      return 'done'
    }
    await testAgent({ replies, tools: [toolNamed('pay', execute)], store }).agent.run('Hi', { runId })
    going.resolve(1)

    expect(await late).toMatchObject({ code: 'bad_step', message: expect.stringContaining('Await every step') })
    expect(await asked).toMatchObject({ code: 'bad_step' })
    expect((await store.calls(runId))[0]?.record.steps).toBeUndefined()
  })
})

describe('DEC-09 CKP-05 steps of an ended attempt', () => {
  test('DEC-09 a step throws the abort reason if its call was cancelled while it ran, and is not recorded', async () => {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const begun = Promise.withResolvers<void>()
    const going = Promise.withResolvers<number>()
    const ended = Promise.withResolvers<unknown>()
    const execute = async (_: unknown, { step, signal }: ToolContext) => {
      const taken = step('charge', () => {
        begun.resolve()
        return going.promise
      })
      const failure: unknown = await taken.catch((error: unknown) => error)
      const next: unknown = await step('mail', () => 1).catch((error: unknown) => error)
      ended.resolve([failure, next, signal.reason])
      return 'done'
    }
    const { agent } = testAgent({ replies, tools: [toolNamed('pay', execute)], store })
    const run = agent.start('Hi', { runId })
    const end = run.settled()
    await begun.promise
    await run.cancelCall('1.c1')
    await end
    going.resolve(1)

    const [failure, next, reason] = (await ended.promise) as unknown[]
    expect(reason).toEqual(new Error('The effect is no longer wanted.'))
    expect([failure, next]).toEqual([reason, reason])
    expect((await store.calls(runId))[0]?.record.steps).toBeUndefined()
    expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'cancelled' })
  })

  test('DEC-09 a step throws the abort reason if its call is cancelled before the commit that would record it', async () => {
    const store = memoryStore()
    const ended = Promise.withResolvers<unknown>()
    const run = { cancel: () => Promise.resolve<unknown>(undefined) }
    const execute = async (_: unknown, { step }: ToolContext) => {
      ended.resolve(await step('charge', async () => void (await run.cancel())).catch((error: unknown) => error))
      return 'done'
    }
    const { agent } = testAgent({ replies, tools: [toolNamed('pay', execute)], store })
    const started = agent.start('Hi', { runId })
    run.cancel = () => started.cancelCall('1.c1')
    await started.settled()

    expect(await ended.promise).toEqual(new Error('The effect is no longer wanted.'))
    expect((await store.calls(runId))[0]?.record.steps).toBeUndefined()
  })

  test('TC-08 a step throws the abort reason if its call has timed out', async () => {
    const begun = Promise.withResolvers<void>()
    const going = Promise.withResolvers<number>()
    const ended = Promise.withResolvers<unknown>()
    const execute = async (_: unknown, { step }: ToolContext) => {
      const taken = step('charge', () => {
        begun.resolve()
        return going.promise
      })
      ended.resolve(await taken.catch((error: unknown) => error))
      return 'done'
    }
    const { agent, store, clock } = testAgent({ replies, tools: [toolNamed('pay', execute, { timeoutMs: 50 })] })
    const end = agent.run('Hi', { runId })
    await begun.promise
    clock.advance(50)
    await end
    going.resolve(1)

    expect(await ended.promise).toEqual(new Error('Timeout'))
    expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'Timeout: tool "pay" gave no result within 50 ms.' })
  })

  test('CKP-05 a driver that another has taken over from records no step', async () => {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const begun = Promise.withResolvers<void>()
    const going = Promise.withResolvers<number>()
    const ended = Promise.withResolvers<unknown>()
    const execute = async (_: unknown, { step, fence }: ToolContext) => {
      if (fence > 1) return step('charge', () => fence)
      const taken = step('charge', () => {
        begun.resolve()
        return going.promise
      })
      ended.resolve(await taken.catch((error: unknown) => error))
      return 'done'
    }
    const tools = [toolNamed('pay', execute, { effects: 'idempotent' })]
    const leaseMs = 30_000
    const first = testAgent({ replies, tools, store, clock, leaseMs })
    const driving = first.agent.start('Hi', { runId }).settled()
    await begun.promise
    first.clock.advance(leaseMs + 1)
    const second = testAgent({ replies, tools, store, leaseMs, clock: first.clock, process: 'p2' })
    await (await second.agent.load(runId)).settled()
    going.resolve(1)

    await expect(driving).rejects.toMatchObject({ code: 'fence_conflict' })
    expect(await ended.promise).toEqual(new Error('This process no longer drives the run.'))
    expect(await resultsOf(store, runId)).toEqual({ '1.c1': '2' })
  })

  test('CKP-05 a driver whose lease another has taken begins no step', async () => {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const begun = Promise.withResolvers<ToolContext>()
    const done: string[] = []
    const goOn = Promise.withResolvers<void>()
    const execute = async (_: unknown, context: ToolContext) => {
      if (context.fence === 1) {
        begun.resolve(context)
        await goOn.promise
      }
      return context.step('charge', () => {
        done.push(`fence ${context.fence}`)
        return 'charged'
      })
    }
    const tools = [toolNamed('pay', execute, { effects: 'idempotent' })]
    const leaseMs = 30_000
    const first = testAgent({ replies, tools, store, clock, leaseMs })
    const driving = first.agent.start('Hi', { runId }).settled()
    await begun.promise
    first.clock.advance(leaseMs + 1)
    const second = testAgent({ replies, tools, store, leaseMs, clock: first.clock, process: 'p2' })
    await (await second.agent.load(runId)).settled()
    goOn.resolve()

    await expect(driving).rejects.toMatchObject({ code: 'fence_conflict' })
    expect(done).toEqual(['fence 2'])
  })

  test('RUN-06 a step is written again if the store was busy, and returns only then', async () => {
    const inner = memoryStore()
    let busy = 2
    let tries = 0
    const { StoreError } = await import('../../src/core/domain/store-error.ts')
    const store: Store = {
      ...inner,
      commit: async (commit) => {
        if (commit.calls.some(({ record }) => record.steps !== undefined)) {
          tries++
          if (busy-- > 0) throw new StoreError('store_busy', 'The store is locked.')
        }
        return inner.commit(commit)
      },
    }
    const seen: unknown[] = []
    const execute = async (_: unknown, { step }: ToolContext) => {
      seen.push(await step('charge', () => 1), tries)
      return 'done'
    }
    const { agent, clock } = testAgent({ replies, tools: [toolNamed('pay', execute)], store })
    const end = agent.run('Hi', { runId })
    for (const wait of [10, 20]) {
      await clock.sleeping(clock.now() + wait)
      clock.advance(wait)
    }
    await end
    expect(seen).toEqual([1, 3])
  })
})
