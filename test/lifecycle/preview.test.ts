import { expect, test } from 'vitest'
import { createAgent, type Json, type Plugin, type Tool } from '../../src/index.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { temporaryFolder } from '../../proof/support/temporary-folder.ts'
import { call, calls } from '../../proof/support/say.ts'
import { eventsOf, runId, testAgent } from '../../proof/support/test-agent.ts'
import { heldTool, toolbox, toolNamed } from '../../proof/support/tools.ts'

const pay = (preview: Tool['preview'], extras: Partial<Tool> = {}) =>
  toolNamed('pay', () => 'paid', { needs: 'approval', ...(preview === undefined ? {} : { preview }), ...extras })

const asks = [calls(call('c1', 'pay', { to: 'Ann' })), 'Bye']

/** The preview of the one call that is suspended. */
async function previewOf(tool: Tool): Promise<Json | undefined> {
  const { agent } = testAgent({ replies: asks, tools: [tool] })
  const { status, suspended } = await agent.run('Hi', { runId })
  expect([status, suspended.length]).toEqual(['waiting', 1])
  return suspended[0]?.suspension?.preview
}

test('DEC-01 stores a preview of a call in its suspension, made from its validated arguments', async () => {
  const seen: unknown[] = []
  const tool = pay((input, { signal: _, ...context }) => {
    seen.push(input, context)
    return { text: 'Pays Ann', list: [1, null] }
  })
  expect(await previewOf(tool)).toEqual({ text: 'Pays Ann', list: [1, null] })
  const run = { id: runId, subject: runId, labels: {} }
  expect(seen).toEqual([{ to: 'Ann' }, { runId, run, callId: '1.c1', toolName: 'pay', state: {} }])
})

test('DEC-07 shows a preview to another process, in the event, and to the resumed tool', async () => {
  const file = `${await temporaryFolder()}/runs.db`
  const heard: unknown[] = []
  const tool = toolNamed('pay', (_, { suspension }) => void heard.push(suspension?.preview), {
    needs: 'approval',
    preview: async () => 'Pays Ann',
  })
  const open = () => {
    const store = sqliteStore(file)
    return {
      store,
      agent: createAgent({ name: 'test', model: scripted(asks), instructions: '', tools: [tool], store }),
    }
  }
  const first = open()
  const events = await eventsOf(first.agent.start('Hi', { runId }))
  expect(events.find(({ type }) => type === 'call.suspended')).toMatchObject({
    call: { suspension: { reason: 'approval', preview: 'Pays Ann' } },
  })
  await first.store.close()
  const second = open()
  const run = await second.agent.load(runId)
  const { suspended } = await run.settled()
  expect(suspended.map(({ suspension }) => suspension?.preview)).toEqual(['Pays Ann'])
  await run.approve()
  expect((await run.settled()).status).toBe('done')
  expect(heard).toEqual(['Pays Ann'])
  await second.store.close()
})

test.for<[string, Tool['preview'], Json]>([
  [
    'throws',
    () => {
      throw new Error('boom')
    },
    '[No preview: it failed: boom]',
  ],
  ['rejects', () => Promise.reject(new Error('boom')), '[No preview: it failed: boom]'],
  [
    'is too large',
    () => 'x'.repeat(400_001),
    '[No preview: the one of this tool is too large: at most 400000 bytes of JSON are accepted.]',
  ],
  ['is not JSON', () => (() => 1) as never, '[No preview: the one of this tool is not JSON: it is a function.]'],
])("DEC-01 asks about a call whose preview %s, with a note in the preview's place", async ([, preview, shown]) => {
  expect(await previewOf(pay(preview))).toBe(shown)
})

test('DEC-01 asks about a call whose preview never ends, after the time limit of a hook', async () => {
  const aborted = Promise.withResolvers<void>()
  const tool = pay((_, { signal }) => {
    signal.addEventListener('abort', () => aborted.resolve())
    return new Promise<Json>(() => {})
  })
  const { agent, clock } = testAgent({ replies: asks, tools: [tool], limits: { pluginTimeoutMs: 1000 } })
  const end = agent.run('Hi', { runId })
  await clock.sleeping(clock.now() + 1000)
  clock.advance(1000)
  await aborted.promise
  expect((await end).suspended[0]?.suspension?.preview).toBe(
    '[No preview: it failed: it did not finish within 1000 ms.]',
  )
})

test('DEC-01 stores no preview if a tool has none, and makes none without a question', async () => {
  expect(await previewOf(pay(() => undefined))).toBeUndefined()
  let asked = 0
  const preview = () => ++asked
  const { agent } = testAgent({
    replies: [calls(call('c1', 'pay'), call('c2', 'pay', 'bad')), 'Bye'],
    tools: [pay(preview, { needs: () => false })],
  })
  expect((await agent.run('Hi', { runId })).status).toBe('done')
  expect(asked).toBe(0)
})

test('DEC-06 keeps a decision for a call that is not asked about yet, even while its preview is made', async () => {
  const held = heldTool()
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'held'), call('c2', 'pay')), 'Bye'],
    tools: [held.tool, pay(() => 'Pays Ann')],
    executor: 'sequential',
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await held.begins('1.c1')
  expect(await run.approve('1.c2')).toMatchObject({ answer: 'kept' })
  held.finish('1.c1')
  expect((await end).status).toBe('done')
  const rows = await store.calls(runId)
  expect(rows.map(({ record }) => record.status)).toEqual(['succeeded', 'succeeded'])
})

test('DEC-06 does not suspend a blocked call, even if it has a preview', async () => {
  const { act } = toolbox()
  const blocking: Plugin = {
    name: 'blocking',
    gateCall: ({ call: { toolName } }) => (toolName === 'pay' ? { block: 'No.' } : undefined),
  }
  const { agent } = testAgent({
    replies: [calls(call('c1', 'pay'), call('c2', 'act')), 'Bye'],
    tools: [pay(() => 'Pays Ann'), act()],
    plugins: [blocking],
    store: memoryStore(),
  })
  const run = agent.start('Hi', { runId })
  expect(await run.settled()).toMatchObject({ status: 'done', suspended: [] })
  expect(await run.approve('1.c1')).toMatchObject({ answer: 'stale' })
})

test('PH-01 shows the preview of a call that a plugin asks about instead of its tool', async () => {
  const asking: Plugin = {
    name: 'asking',
    gateCall: ({ arguments: given }) => ({
      suspend: { message: JSON.stringify(given) },
      evenIfApproved: JSON.stringify(given).includes('Bob'),
    }),
  }
  const { agent } = testAgent({ replies: asks, tools: [pay(() => 'Pays Ann')], plugins: [asking] })
  const run = agent.start('Hi', { runId })
  const shown = async () => (await run.settled()).suspended.map(({ suspension }) => suspension)
  expect(await shown()).toMatchObject([{ reason: 'plugin', message: '{"to":"Ann"}', preview: 'Pays Ann' }])
  await run.edit(undefined, { to: 'Bob' })
  const [again] = await shown()
  expect(again).toMatchObject({ message: '{"to":"Bob"}' })
  expect(again).not.toHaveProperty('preview')
})

test('CKP-08 DEC-01 a fork asks about a queued call with its preview, while the original runs and after it', async () => {
  const held = heldTool('held', { effects: 'idempotent' })
  const store = sqliteStore(`${await temporaryFolder()}/runs.db`)
  const { agent } = testAgent({
    replies: [calls(call('c1', 'held'), call('c2', 'pay')), 'Bye', 'Bye'],
    tools: [held.tool, pay(() => 'Pays Ann')],
    executor: 'sequential',
    store,
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await held.begins('1.c1')
  const from = (await run.history()).at(-1)?.version ?? 0
  const early = await agent.fork(runId, { from, runId: 'early' })
  held.finish('1.c1')
  await end
  await run.approve()
  expect((await run.settled()).status).toBe('done')
  const late = await agent.fork(runId, { from, runId: 'late' })
  const seen = new Set<string | undefined>()
  for (const fork of [early, late]) {
    expect((await run.at(from)).calls[1]).toMatchObject({ status: 'new', suspension: { preview: 'Pays Ann' } })
    const forked = fork.settled()
    await held.begins('1.c1')
    held.finish('1.c1')
    const [asked] = (await forked).suspended
    expect(asked).toMatchObject({ callId: '1.c2', suspension: { reason: 'approval', preview: 'Pays Ann' } })
    seen.add(asked?.suspension?.id)
  }
  expect(seen.size).toBe(2)
  await store.close()
})

test('DEC-01 makes the previews of one answer one after another, with a turn of the event loop between them', async () => {
  const told: string[] = []
  const tool = pay((input) => {
    const { to } = input as { readonly to: string }
    told.push(to)
    if (to === 'a') setImmediate(() => told.push('turn'))
    return to
  })
  const each = ['a', 'b', 'c', 'd'].map((to) => call(`c-${to}`, 'pay', { to }))
  const { agent } = testAgent({ replies: [calls(...each), 'Bye'], tools: [tool] })
  const { suspended } = await agent.run('Hi', { runId })
  expect(suspended.map(({ suspension }) => suspension?.preview)).toEqual(['a', 'b', 'c', 'd'])
  expect(told.slice(0, told.indexOf('c'))).toContain('turn')
})
