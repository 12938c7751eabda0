import { describe, expect, test } from 'vitest'
import { toPlainJson } from '../../../src/core/domain/text/json.ts'
import { StoreError } from '../../../src/index.ts'
import type { Lease, Store } from '../../../src/core/ports/store.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { livingOwner } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { deadOwner } from '../../../proof/support/dead-owner.ts'
import { fakeClock } from '../../../proof/support/fake-clock.ts'
import { resultsOf, statusesOf, transcriptOf } from '../../../proof/support/read-run.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { heldTool, toolbox } from '../../../proof/support/tools.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'

const replies = [calls(call('c1', 'held')), 'Done']
const leaseMs = 30_000

/** Everything stored of the run, to see that nothing of it changed. */
async function storedOf(store: Store): Promise<unknown> {
  return {
    run: await store.read(runId),
    inbox: await store.inbox(runId, { isOpen: true }),
    calls: await store.calls(runId),
  }
}

test('CKP-05 DEC-07 refuses to drive a run that another process drives, and names it (A8)', async () => {
  const held = heldTool()
  const first = testAgent({ replies, tools: [held.tool] })
  const driving = first.agent.start('Hi', { runId }).settled()
  await held.begins('1.c1')
  const second = testAgent({ replies, tools: [held.tool], store: first.store, clock: first.clock, process: 'p2' })

  const refused = (await second.agent.load(runId)).settled()
  await expect(refused).rejects.toBeInstanceOf(StoreError)
  await expect(refused).rejects.toMatchObject({
    code: 'run_is_driven',
    message: expect.stringContaining(`${process.pid}`),
  })

  held.finish('1.c1')
  expect(await driving).toMatchObject({ status: 'done', text: 'Done' })
  expect(held.begun).toEqual(['1.c1'])
})

test('CKP-05 TC-08 takes over an expired lease; the late driver is refused and changes nothing (A8)', async () => {
  const held = heldTool()
  const first = testAgent({ replies, tools: [held.tool] })
  const lost = first.agent.start('Hi', { runId }).settled()
  await held.begins('1.c1')
  first.clock.advance(leaseMs + 1)

  const second = testAgent({ replies, tools: [held.tool], store: first.store, clock: first.clock, process: 'p2' })
  const run = await second.agent.load(runId)
  expect(await run.settled()).toMatchObject({
    status: 'waiting',
    suspended: [{ suspension: { reason: 'interrupted' } }],
  })
  const before = await storedOf(first.store)

  held.finish('1.c1')
  await expect(lost).rejects.toMatchObject({ name: 'StoreError', code: 'fence_conflict' })
  expect(await storedOf(first.store)).toEqual(before)

  await run.respond('1.c1', 'held done')
  expect(await run.settled()).toMatchObject({ status: 'done' })
  expect(await resultsOf(first.store, runId)).toEqual({ '1.c1': 'held done' })
})

test('CKP-05 DEC-07 takes over the run of a dead process on this host at once (A8)', async () => {
  const { store, clock, agent } = testAgent({ replies: ['Done'] })
  await agent.run('Hi', { runId: 'model' })
  const input = toPlainJson(agent.machineInput('Hi')) ?? null
  await store.create({ id: runId, agent: 'test', input, at: clock.now() }, deadOwner('gone'), 3_600_000)
  expect(await (await agent.load(runId)).settled()).toMatchObject({ status: 'done', text: 'Done' })
  expect(await transcriptOf(store, runId)).toEqual(await transcriptOf(store, 'model'))
})

test('CKP-05 DEC-06 lets one of two simultaneous drivers win, and executes once (S26, A8)', async () => {
  const { act, done } = toolbox()
  const tools = [act('act', { needs: 'approval' })]
  const first = testAgent({ replies: [calls(call('c1', 'act')), 'Done'], tools })
  await first.agent.run('Hi', { runId })
  const second = testAgent({
    replies: [calls(call('c1', 'act')), 'Done'],
    tools,
    store: first.store,
    clock: first.clock,
    process: 'p2',
  })
  const handles = [await first.agent.load(runId), await second.agent.load(runId)]
  const receipts = await Promise.all(handles.map((run) => run.approve('1.c1')))
  expect(receipts.map(({ answer }) => answer).toSorted()).toEqual(['applied', 'duplicate'])

  const ends = await Promise.allSettled(handles.map((run) => run.settled()))
  const refused = ends.filter((end) => end.status === 'rejected').map((end) => end.reason)
  expect(refused).toEqual([expect.objectContaining({ code: 'run_is_driven' })])
  expect(done).toEqual(['act {}'])
  expect(await statusesOf(first.store, runId)).toEqual({ '1.c1': 'succeeded' })
})

test('CKP-05 keeps its lease while a store cannot renew it for a while', async () => {
  const held = heldTool()
  const store = memoryStore()
  const renewing = Promise.withResolvers<void>()
  const failing: Store = {
    ...store,
    async renew() {
      renewing.resolve()
      throw new StoreError('store_unavailable', 'The disk is busy.')
    },
  }
  const { agent } = testAgent({ replies, tools: [held.tool], store: failing, leaseMs: 3 })
  const driving = agent.start('Hi', { runId }).settled()
  await held.begins('1.c1')
  await renewing.promise
  held.finish('1.c1')
  expect(await driving).toMatchObject({ status: 'done' })
})

test.for([
  ['idempotent', 0],
  ['none', 0],
  ['once', 1],
  [undefined, 1],
] as const)(
  'CKP-05 checks the lease in the store before a call with effects %s: %i time(s)',
  async ([effects, times]) => {
    let verified = 0
    const store: Store = { ...memoryStore(), verify: () => void verified++ }
    const { agent } = testAgent({
      replies: [calls(call('c1', 'act')), 'Done'],
      tools: [toolbox().act('act', effects === undefined ? {} : { effects })],
      store,
    })
    expect(await agent.run('Hi', { runId })).toMatchObject({ status: 'done' })
    expect(verified).toBe(times)
  },
)

const living = livingOwner('p1')

describe.runIf(living !== undefined)('CKP-05 with a clock an hour ahead', () => {
  /** A run whose driver, as the store has it, is another process of this host, and a second agent an hour ahead of it. */
  async function twoClocks() {
    const [clock, ahead] = [fakeClock(), fakeClock()]
    ahead.advance(3_600_000)
    // Each process tells the time of leases by its own clock.
    let asked = clock
    const inner = memoryStore({ clock: { now: () => asked.now() } })
    const held = heldTool()
    let lease: Lease | undefined
    const store: Store = {
      ...inner,
      create: async (run, owner, ttlMs, first) => {
        lease = await inner.create(run, { ...owner, ...living, id: owner.id }, ttlMs, first)
        return lease
      },
    }
    const first = testAgent({ replies, tools: [held.tool], store, clock, leaseMs })
    const driving = first.agent.start('Hi', { runId }).settled()
    await held.begins('1.c1')
    asked = ahead
    const second = testAgent({ replies, tools: [held.tool], store: inner, clock: ahead, leaseMs, process: 'p2' })
    const renew = async () => {
      asked = clock
      clock.advance(leaseMs / 3)
      await (lease && inner.renew(lease, leaseMs))
      asked = ahead
    }
    return { held, driving, ahead, second: second.agent, renew, store: inner }
  }

  test('CKP-05 does not take over from a driver that renews its lease', async () => {
    const { held, driving, ahead, second, renew } = await twoClocks()
    const refused = (await second.load(runId)).settled()
    refused.catch(() => undefined)
    await ahead.sleeping()
    await renew()
    ahead.advance(leaseMs)
    await expect(refused).rejects.toMatchObject({ code: 'run_is_driven' })
    held.finish('1.c1')
    expect(await driving).toMatchObject({ status: 'done', text: 'Done' })
    expect(held.begun).toEqual(['1.c1'])
  })

  test('CKP-05 takes over from a stuck driver after two looks', async () => {
    const { held, driving, ahead, second } = await twoClocks()
    const settled = (await second.load(runId)).settled()
    await ahead.sleeping()
    ahead.advance(leaseMs)
    expect(await settled).toMatchObject({ status: 'waiting', suspended: [{ suspension: { reason: 'interrupted' } }] })
    held.finish('1.c1')
    await expect(driving).rejects.toMatchObject({ code: 'fence_conflict' })
  })

  test('CKP-05 stops waiting once its agent is closed', async () => {
    const { held, driving, ahead, second } = await twoClocks()
    const refused = (await second.load(runId)).settled()
    refused.catch(() => undefined)
    await ahead.sleeping()
    await second.close()
    await expect(refused).rejects.toMatchObject({ code: 'run_is_driven' })
    held.finish('1.c1')
    expect(await driving).toMatchObject({ status: 'done' })
  })
})
