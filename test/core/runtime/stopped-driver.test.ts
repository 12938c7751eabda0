import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { eventsOf, runId, stop, testAgent } from '../../../proof/support/test-agent.ts'
import { toolNamed } from '../../../proof/support/tools.ts'
import { StoreError } from '../../../src/core/domain/store-error.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import type { Tool, ToolContext } from '../../../src/core/ports/tool.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { fakeClock } from '../../../proof/support/fake-clock.ts'

const replies = [{ toolCalls: [{ id: 'c1', name: 'pay', arguments: {} }] }, 'Done.']
const leaseMs = 30_000

/** A place where somebody stops, as a process does at SIGSTOP, until told to go on. */
function stopping() {
  const reached = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const pass = async () => {
    reached.resolve()
    await goOn.promise
  }
  return { reached: reached.promise, goOn: goOn.resolve, pass }
}

/** A tool that notes who ran it, with which attempt and fence. */
function payTool(paid: string[], process: string, extras: Partial<Tool> = {}): Tool {
  const pay = (_: unknown, { attempt, fence }: ToolContext) => {
    paid.push(`${process} attempt ${attempt} fence ${fence}`)
    return 'paid'
  }
  return toolNamed('pay', pay, extras)
}

describe('CKP-05 TC-08 stopped drivers', () => {
  test('CKP-05 TC-08 a driver stopped between the commit of a call and its start launches nothing after a takeover', async () => {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const { reached, goOn, pass } = stopping()
    let commits = 0
    const parking: Store = {
      ...store,
      commit: async (commit) => {
        const receipt = await store.commit(commit)
        if (++commits === 2) await pass()
        return receipt
      },
    }
    const paid: string[] = []
    const first = testAgent({
      replies,
      store: parking,
      clock,
      leaseMs,
      tools: [payTool(paid, 'p1', { effects: 'idempotent' })],
    })
    const driving = first.agent.start('Hi', { runId }).settled()
    await reached
    first.clock.advance(leaseMs + 1)
    const tools = [payTool(paid, 'p2', { effects: 'idempotent' })]
    const second = testAgent({ replies, store, leaseMs, clock: first.clock, process: 'p2', tools })
    expect(await (await second.agent.load(runId)).settled()).toMatchObject({ status: 'done' })
    goOn()
    await expect(driving).rejects.toMatchObject({ code: 'fence_conflict' })
    expect(paid).toEqual(['p2 attempt 2 fence 2'])
  })

  test('CKP-05 TC-08 a driver stopped while the arguments of a started call are checked launches nothing after a takeover', async () => {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const { reached, goOn, pass } = stopping()
    // The schema asks twice each time it is asked: when the answer is taken in, and before the tool runs.
    let checks = 0
    const input = z.object({}).refine(async () => {
      if (++checks === 4) await pass()
      return true
    })
    const paid: string[] = []
    const first = testAgent({ replies, store, clock, leaseMs, tools: [payTool(paid, 'p1', { input })] })
    const driving = first.agent.start('Hi', { runId }).settled()
    await reached
    first.clock.advance(leaseMs + 1)
    const second = testAgent({
      replies,
      store,
      leaseMs,
      clock: first.clock,
      process: 'p2',
      tools: [payTool(paid, 'p2')],
    })
    const run = await second.agent.load(runId)
    expect(await run.settled()).toMatchObject({ status: 'waiting' })
    await run.approve()
    expect(await run.settled()).toMatchObject({ status: 'done' })
    goOn()
    await expect(driving).rejects.toMatchObject({ code: 'fence_conflict' })
    expect(paid).toEqual(['p2 attempt 2 fence 3'])
  })

  test('CKP-05 a stopped driver renews its lease and continues if nobody took over', async () => {
    const store = memoryStore()
    const { reached, goOn, pass } = stopping()
    const renewals: number[] = []
    let commits = 0
    const parking: Store = {
      ...store,
      renew: async (lease, ttlMs) => {
        renewals.push(clock.now())
        await store.renew(lease, ttlMs)
      },
      commit: async (commit) => {
        const receipt = await store.commit(commit)
        if (++commits === 2) await pass()
        return receipt
      },
    }
    const paid: string[] = []
    const { agent, clock } = testAgent({ replies, store: parking, leaseMs, tools: [payTool(paid, 'p1')] })
    const driving = agent.start('Hi', { runId }).settled()
    await reached
    clock.advance(leaseMs - 1)
    goOn()
    expect(await driving).toMatchObject({ status: 'done' })
    expect([paid, renewals]).toEqual([['p1 attempt 1 fence 1'], [clock.now()]])
  })
})

test('CKP-05 a driver stopped while it renews its lease launches nothing once another has taken over', async () => {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const [parked, renewing] = [stopping(), stopping()]
  const renewed: Store = {
    ...store,
    renew: async (...renewal) => {
      await store.renew(...renewal)
      await renewing.pass()
    },
  }
  // The schema asks twice each time it is asked: when the answer is taken in, and before the tool runs.
  let checks = 0
  const input = z.object({}).refine(async () => {
    if (++checks === 4) await parked.pass()
    return true
  })
  const paid: string[] = []
  const first = testAgent({
    replies,
    store: renewed,
    clock,
    leaseMs,
    tools: [payTool(paid, 'p1', { effects: 'idempotent', input })],
  })
  const driving = first.agent.start('Hi', { runId }).settled()
  await parked.reached
  first.clock.advance(leaseMs - 1)
  parked.goOn()
  await renewing.reached
  first.clock.advance(leaseMs + 1)
  const tools = [payTool(paid, 'p2', { effects: 'idempotent' })]
  const second = testAgent({ replies, store, leaseMs, clock: first.clock, process: 'p2', tools })
  expect(await (await second.agent.load(runId)).settled()).toMatchObject({ status: 'done' })
  renewing.goOn()
  await expect(driving).rejects.toMatchObject({ code: 'fence_conflict' })
  expect(paid).toEqual(['p2 attempt 2 fence 2'])
})

test('CKP-09 an effect waits for a locked store to renew its lease, as long as the lease lasts', async () => {
  const store = memoryStore()
  const { reached, goOn, pass } = stopping()
  let [commits, renewals] = [0, 0]
  const locked: Store = {
    ...store,
    commit: async (commit) => {
      const receipt = await store.commit(commit)
      if (++commits === 2) await pass()
      return receipt
    },
    renew: async (...renewal) => {
      if (++renewals <= 2) throw new StoreError('store_busy', 'The store is locked by another process.')
      await store.renew(...renewal)
    },
  }
  const paid: string[] = []
  const { agent, clock } = testAgent({ replies, store: locked, leaseMs, limits: false, tools: [payTool(paid, 'p1')] })
  const driving = agent.start('Hi', { runId }).settled()
  await reached
  clock.advance(leaseMs - 5_000)
  goOn()
  for (let count = 0; count < 2; count++) {
    await clock.sleeping()
    clock.advance(100)
  }
  expect(await driving).toMatchObject({ status: 'done' })
  expect(paid).toEqual(['p1 attempt 1 fence 1'])
})

test('TC-09 counts the attempts of a call that ended with their processes', async () => {
  const store = memoryStore()
  const paid: string[] = []
  const clock = fakeClock()
  for (const process of ['p1', 'p2', 'p3']) {
    const started = Promise.withResolvers<void>()
    const hang = (_: unknown, { attempt, signal }: ToolContext) => {
      paid.push(`${process} ${attempt}`)
      started.resolve()
      return new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('too late')))
    }
    const tools = [toolNamed('pay', hang, { effects: 'none' })]
    const { agent } = testAgent({ replies, store, clock, process, tools })
    const run = process === 'p1' ? agent.start('Hi', { runId }) : await agent.load(runId)
    const driving = run.settled()
    await started.promise
    await stop(run, driving)
  }
  expect(paid).toEqual(['p1 1', 'p2 2', 'p3 3'])
})

describe('CKP-09 locked and full stores', () => {
  const busy = new StoreError('store_busy', 'The store is locked by another process.')

  /** Refuses the commit of the call's result so many times. */
  function refusing(times: number): Store {
    const store = memoryStore()
    let count = 0
    return {
      ...store,
      commit: async (commit) => {
        const holdsResult = commit.calls.some(({ record }) => record.result !== undefined)
        if (holdsResult && ++count <= times) throw busy
        return store.commit(commit)
      },
    }
  }

  test('CKP-09 stores the result of a tool that ran once as soon as the store is free, and emits it once', async () => {
    const paid: string[] = []
    const { agent, clock, prompts } = testAgent({
      replies,
      store: refusing(3),
      leaseMs,
      limits: false,
      tools: [payTool(paid, 'p1')],
    })
    const events = eventsOf(agent.start('Hi', { runId }))
    for (let count = 0; count < 3; count++) {
      await clock.sleeping()
      expect(prompts).toHaveLength(1)
      clock.advance(2000)
    }
    const delayed = (await events).filter(({ type }) => type === 'commit.delayed')
    expect([delayed, paid]).toEqual([
      [{ type: 'commit.delayed', runId, subject: runId, at: expect.any(Number), message: busy.message }],
      ['p1 attempt 1 fence 1'],
    ])
    expect(await (await agent.load(runId)).settled()).toMatchObject({ status: 'done' })
  })

  test('CKP-09 fails the drive when the lease would end, and leaves the run at its last commit', async () => {
    const { agent, clock, store } = testAgent({
      replies,
      store: refusing(Infinity),
      leaseMs,
      limits: false,
      tools: [payTool([], 'p1')],
    })
    const driving = agent.start('Hi', { runId }).settled()
    driving.catch(() => undefined)
    await clock.sleeping()
    clock.advance(leaseMs)
    await expect(driving).rejects.toMatchObject({ code: 'store_busy' })
    expect(await store.calls(runId)).toMatchObject([{ record: { status: 'running' } }])
  })
})

test('RUN-06 does not count time asleep as running time', async () => {
  const clock = fakeClock()
  const steady = { at: 0 }
  const asleep = { ...clock, monotonic: () => steady.at }
  const { reached, goOn, pass } = stopping()
  const pay = async () => {
    await pass()
    return 'paid'
  }
  const limits = { maxDurationMs: 60_000 }
  const { agent } = testAgent({ replies, clock: asleep, leaseMs, limits, tools: [toolNamed('pay', pay)] })
  const driving = agent.start('Hi', { runId }).settled()
  await reached
  clock.advance(3_600_000)
  steady.at += 10
  goOn()
  expect(await driving).toMatchObject({ outcome: { reason: 'natural_end' } })
})
