import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Agent, type AgentOptions, createAgent, type Store, tool } from '../../../src/index.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { accountKind, chargeKind } from '../../../src/core/domain/account.ts'
import { drop, writing } from '../../../src/core/domain/records/record-change.ts'
import { rowOf, rowsOf } from '../../../src/core/domain/records/record-read.ts'
import { chargeRun } from '../../../src/core/family/charge-run.ts'

const used = (totalTokens: number) => ({ usage: { input: totalTokens, totalTokens } })
const help = { toolCalls: [{ id: 'h', name: 'help', arguments: { prompt: 'Help.' } }] }
const prices = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 }

interface TeamOptions extends Pick<AgentOptions, 'limits' | 'onLimit' | 'prices' | 'compaction' | 'plugins'> {
  readonly store: Store
  readonly boss?: readonly ScriptedReply[]
  readonly helper?: readonly ScriptedReply[]
  readonly helperPrices?: AgentOptions['prices']
}

/** A boss with a helper. An answer of each has at most 100 tokens. */
function team({ helper, boss, helperPrices, ...options }: TeamOptions): Agent {
  const helping = createAgent({
    name: 'helper',
    model: scripted(helper ?? [{ text: 'Helped.', ...used(10) }], { maxTokens: 100 }),
    ...(helperPrices === undefined ? {} : { prices: helperPrices }),
  })
  return createAgent({
    name: 'boss',
    model: scripted(
      boss ?? [
        { ...help, ...used(20) },
        { text: 'Done.', ...used(30) },
      ],
      { maxTokens: 100 },
    ),
    tools: [helping.asTool({ name: 'help', description: 'Helps.' })],
    ...options,
  })
}

async function accountOf(store: Store, root = 'r1') {
  const read = rowsOf(chargeKind, { index: 'run', values: [root], limit: 100 })
  const found = await store.records([rowOf(accountKind, root), read])
  return { ...found.row(accountKind, root)?.body, charges: found.rows(chargeKind, read).map(({ body }) => body) }
}

describe('AGT-18 accounts', () => {
  test('AGT-18 a family charges every request of its runs to one account', async () => {
    const store = memoryStore()
    const table = { 'scripted/scripted': prices }
    const agent = team({ store, limits: { maxTokens: 5_000, maxCost: 1 }, prices: table, helperPrices: table })
    expect(await agent.run('Go.', { runId: 'r1' })).toMatchObject({ status: 'done', text: 'Done.' })
    const { caps, charged, held, charges } = await accountOf(store)
    expect(caps).toEqual({ tokens: 5_000, nanos: 1_000_000_000 })
    expect({ charged, held }).toEqual({ charged: { tokens: 60, nanos: 60_000 }, held: { tokens: 0, nanos: 0 } })
    expect(charges.map(({ settled }) => settled.tokens)).toEqual([10, 50])
  })

  test.each([
    ['stop', { reason: 'stopped', code: 'max_tokens' }, ''],
    ['error', { reason: 'error', code: 'max_tokens' }, ''],
    ['finish', { reason: 'stopped', code: 'max_tokens' }, 'Done.'],
  ] as const)('AGT-18 a family with too little left for the next request: %s', async (onLimit, outcome, text) => {
    const store = memoryStore()
    const agent = team({
      store,
      limits: { maxTokens: 400 },
      onLimit,
      helper: [{ text: 'Much.', ...used(250) }],
    })
    const result = await agent.run('Go.', { runId: 'r1' })
    expect(result).toMatchObject({ outcome, turns: onLimit === 'finish' ? 2 : 1, text })
    expect(result.messages.some((message) => JSON.stringify(message).includes('Much.'))).toBe(true)
    expect((await accountOf(store)).held).toEqual({ tokens: 0, nanos: 0 })
  })

  test('AGT-18 a family starts no child that could not pay for one request', async () => {
    const store = memoryStore()
    const agent = team({ store, limits: { maxTokens: 200 }, boss: [{ ...help, ...used(150) }, 'Done.'] })
    const result = await agent.run('Go.', { runId: 'r1' })
    expect(result.outcome).toMatchObject({ reason: 'stopped', code: 'max_tokens' })
    const answer = result.messages.find(({ role }) => role === 'toolResult')
    expect(answer).toMatchObject({
      isError: true,
      content: [{ text: "[The sub-agent 'help' ended: max_tokens.]" }],
    })
    expect(answer).not.toHaveProperty('childRunId')
    expect(await store.list({})).toHaveLength(1)
  })

  test('AGT-18 a family stops a child at its limit, and tells the parent', async () => {
    const store = memoryStore()
    const look = tool({ name: 'look', description: 'Looks.', input: z.object({}), execute: () => 'Nothing.' })
    const helping = createAgent({
      name: 'helper',
      limits: false,
      model: scripted([{ toolCalls: [{ name: 'look', arguments: {} }], text: 'So far.', ...used(250) }, 'No.'], {
        maxTokens: 100,
      }),
      tools: [look],
    })
    const agent = createAgent({
      name: 'boss',
      store,
      limits: { maxTokens: 400 },
      onLimit: 'finish',
      model: scripted([help, 'As far as I know.'], { maxTokens: 100 }),
      tools: [helping.asTool({ name: 'help', description: 'Helps.' })],
    })
    const result = await agent.run('Go.', { runId: 'r1' })
    expect(result.messages.find(({ role }) => role === 'toolResult')).toMatchObject({
      isError: true,
      content: [{ text: "[The sub-agent 'help' ended: max_tokens.]\nSo far." }],
    })
    expect(result).toMatchObject({ text: 'As far as I know.', outcome: { code: 'max_tokens' } })
  })

  test('AGT-18 a family with a cost limit asks no model without a price', async () => {
    const store = memoryStore()
    const agent = team({ store, limits: { maxCost: 1 }, prices: { 'scripted/scripted': prices } })
    const result = await agent.run('Go.', { runId: 'r1' })
    expect(result).toMatchObject({ status: 'done', text: 'Done.' })
    const child = (await store.list({})).flatMap((run) => ('error' in run ? run : []))
    expect(child).toMatchObject([
      { doneReason: 'error', error: { code: 'api_error', message: expect.stringContaining('has no price') } },
    ])
    expect(await accountOf(store)).toMatchObject({ charged: { tokens: 50, nanos: 50_000 } })
  })

  test("AGT-18 a family pays an answer's actual cost, even if its price changed and the estimate was too low", async () => {
    const store = memoryStore()
    const table = { 'scripted/scripted': prices }
    const changing = new Map([['price', 1]])
    const model = {
      ...scripted(
        [
          () => {
            changing.set('price', 7)
            return { text: 'Dear.', ...used(1_000) }
          },
        ],
        { maxTokens: 1, id: 'changing' },
      ),
    }
    Object.defineProperty(model, 'prices', { get: () => ({ ...prices, input: changing.get('price') ?? 0 }) })
    const helping = createAgent({ name: 'helper', model })
    const agent = createAgent({
      name: 'boss',
      store,
      limits: { maxCost: 0.001 },
      prices: table,
      model: scripted([help, 'Done.'], { maxTokens: 100 }),
      tools: [helping.asTool({ name: 'help', description: 'Helps.' })],
    })
    const { outcome } = await agent.run('Go.', { runId: 'r1' })
    expect(outcome).toMatchObject({ code: 'max_cost' })
    expect(await accountOf(store)).toMatchObject({ charged: { tokens: 1_000, nanos: 7_000_000 }, held: { nanos: 0 } })
  })

  test('AGT-18 a family of one root never pays for another root, nor for a fork', async () => {
    const store = memoryStore()
    const agent = team({ store, limits: { maxTokens: 5_000 } })
    await Promise.all(['r1', 'r2'].map((runId) => agent.run('Go.', { runId })))
    const from = (await store.checkpoints('r1')).find(({ names }) => names.includes('UserMessage'))?.version ?? 0
    const fork = await agent.fork('r1', { from, runId: 'f1' })
    expect(await fork.settled()).toMatchObject({ status: 'done', text: 'Done.' })
    for (const root of ['r1', 'r2', 'f1'])
      expect(await accountOf(store, root)).toMatchObject({ charged: { tokens: 60 }, held: { tokens: 0 } })
  })

  test('AGT-18 a family charges an aborted request, and refunds a refused one', async () => {
    const store = memoryStore()
    const refused = { error: { kind: 'rate_limit' as const, message: 'Busy.' } }
    const broken = { text: 'Half', error: { kind: 'network' as const, message: 'Gone.' } }
    const make = (helper: readonly ScriptedReply[]) => {
      const helping = createAgent({
        name: 'helper',
        model: scripted(helper, { maxTokens: 100, by: 'calls' }),
        retry: { initialDelayMs: 0 },
      })
      const tools = [helping.asTool({ name: 'help', description: 'Helps.' })]
      return createAgent({ name: 'boss', store, model: scripted([help, 'Done.']), tools })
    }
    await make([refused, { text: 'Yes.', ...used(10) }]).run('Go.', { runId: 'r1' })
    await make([broken, { text: 'Yes.', ...used(10) }]).run('Go.', { runId: 'r2' })
    const [given, kept] = [await accountOf(store, 'r1'), await accountOf(store, 'r2')]
    expect(given.charged?.tokens).toBe(10)
    expect(kept.charges[0]?.unknown.tokens).toBeGreaterThan(100)
    expect(kept.charged?.tokens).toBe(10 + (kept.charges[0]?.unknown.tokens ?? 0))
  })

  test.each([
    [{ maxTokens: 0 }, 'max_tokens'],
    [{ maxCost: 0 }, 'max_cost'],
    [{ maxCost: 1e-12 }, 'max_cost'],
    [{ maxTokens: 5_000, maxCost: 0.1 + 0.2 }, undefined],
  ])('AGT-18 a family with the limits %j ends %s', async (limits, code) => {
    const table = { 'scripted/scripted': prices }
    const agent = team({ store: memoryStore(), limits, prices: table, helperPrices: table })
    expect((await agent.run('Go.', { runId: 'r1' })).outcome.code).toBe(code)
  })

  test.each([-1, Number.NaN, -0.5, '5' as never, 2 ** 53])('AGT-18 a family refuses %j as a limit', (limit) => {
    for (const limits of [{ maxTokens: limit }, { maxCost: limit }])
      expect(() => team({ store: memoryStore(), limits })).toThrow('which is refused. Expected')
  })

  test('AGT-18 a family keeps the estimate charged for a request whose process died, and pays for the next one', async () => {
    const store = memoryStore()
    const { promise: asked, resolve } = Promise.withResolvers<undefined>()
    const { promise: never } = Promise.withResolvers<string>()
    const hanging = () => {
      resolve(undefined)
      return never
    }
    const first = team({ store, boss: [{ ...help, ...used(20) }], helper: [hanging] })
    first.start('Go.', { runId: 'r1' })
    await asked
    const before = await accountOf(store)
    expect(before.held?.tokens).toBeGreaterThan(100)
    await first.close()
    const run = await team({ store }).load('r1')
    expect(await run.settled()).toMatchObject({ status: 'done', text: 'Done.' })
    const { charged, held, charges } = await accountOf(store)
    expect({ charged, held }).toEqual({
      charged: { tokens: 60 + (before.held?.tokens ?? 0), nanos: 0 },
      held: { tokens: 0, nanos: 0 },
    })
    expect(charges.map(({ unknown }) => unknown)).toContainEqual(before.held)
  })

  test('AGT-18 a family without a limit of tokens or cost has no account, nor has a run without sub-agents', async () => {
    const store = memoryStore()
    await team({ store, limits: false }).run('Go.', { runId: 'r1' })
    await createAgent({ name: 'single', store, model: scripted(['Hello.']) }).run('Go.', { runId: 'r2' })
    for (const root of ['r1', 'r2']) expect(await accountOf(store, root)).toEqual({ charges: [] })
  })

  test('AGT-18 deleting a family deletes its account', async () => {
    const store = memoryStore()
    await team({ store }).run('Go.', { runId: 'r1' })
    await store.delete('r1')
    expect(await accountOf(store)).toEqual({ charges: [] })
  })
})

test('AGT-18 a driver that goes on with a deleted root opens its account no second time', async () => {
  const store = memoryStore()
  const account = chargeRun(store, 'r1', { root: 'r1', caps: { tokens: 100 } })
  expect(await account.reserve({ attempt: 'a', tokens: 10 })).toBe('reserved')
  await store.change(writing(drop(accountKind, 'r1'), drop(chargeKind, JSON.stringify(['r1', 'r1']))))
  expect(await account.reserve({ attempt: 'b', tokens: 10 })).toBe('unknown')
  expect((await store.records([rowOf(accountKind, 'r1')])).row(accountKind, 'r1')).toBeUndefined()
})
