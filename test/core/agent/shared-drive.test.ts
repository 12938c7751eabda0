import { expect, test } from 'vitest'
import { call, calls } from '../../../proof/support/say.ts'
import { agentCore } from '../../../src/core/driving/agent-core.ts'
import { partsOf } from '../../../src/core/agent/options.ts'
import { runOptionsOf } from '../../../src/core/driving/run-options.ts'
import { openDriving } from '../../../src/core/driving/run-driving.ts'
import { userMessage } from '../../../src/core/domain/message.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { momentOf } from '../../../src/core/runtime/held-lease.ts'
import { countedIds, eventsOf, quiet, runId, testAgent } from '../../../proof/support/test-agent.ts'
import { heldTool, toolbox } from '../../../proof/support/tools.ts'
import type { Agent } from '../../../src/index.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

const replies = [calls(call('c1', 'held')), 'Done']

test('CKP-05 all Run objects of a run share one drive and its events', async () => {
  const held = heldTool()
  const { agent, prompts } = testAgent({ replies, tools: [held.tool] })
  const first = agent.start('Hi', { runId })
  await held.begins('1.c1')
  const second = await agent.load(runId)
  const third = await agent.load(runId)
  const watched = third.events()
  const told = eventsOf(second)
  const ends = [first.settled(), second.settled(), third.settled()]
  await quiet()
  held.finish('1.c1')
  const [end, ...others] = await Promise.all(ends)
  expect(end).toMatchObject({ status: 'done', text: 'Done' })
  expect(others).toEqual([end, end])
  expect(held.begun).toEqual(['1.c1'])
  expect(prompts.length).toBe(2)
  const types = (await told).map(({ type }) => type)
  expect(types.at(-1)).toBe('run.ended')
  expect(types).toContain('call.settled')
  const heard: string[] = []
  for await (const { type } of watched) heard.push(type)
  expect(heard.slice(-types.length)).toEqual(types)
})

test('CKP-05 stops the shared drive for all its Run objects, and releases its lease', async () => {
  const held = heldTool('held', { effects: 'none' })
  const { agent, store, clock } = testAgent({ replies, tools: [held.tool] })
  const first = agent.start('Hi', { runId })
  await held.begins('1.c1')
  const second = await agent.load(runId)
  const ends = [first.settled(), second.settled()]
  await quiet()
  await second.detach()
  for (const end of ends) await expect(end).rejects.toMatchObject({ code: 'run_detached' })
  const other = testAgent({ replies, tools: [held.tool], store, clock, process: 'p2' })
  expect((await other.agent.resume(runId)).drive).toBe('begun')
  await other.agent.close()
})

test("DEC-07 resume drives an idle run, shares this process's drive, and leaves another process's drive alone", async () => {
  const held = heldTool('held', { needs: 'approval' })
  const first = testAgent({ replies, tools: [held.tool] })
  await first.agent.run('Hi', { runId })
  expect(await (await first.agent.load(runId)).approve()).toMatchObject({ answer: 'applied' })
  const begun = await first.agent.resume(runId)
  expect(begun.drive).toBe('begun')
  await held.begins('1.c1')
  const shared = await first.agent.resume(runId)
  expect(shared.drive).toBe('shared')
  const options = { replies, tools: [held.tool], store: first.store, clock: first.clock, process: 'p2' }
  expect((await testAgent(options).agent.resume(runId)).drive).toBe('elsewhere')
  held.finish('1.c1')
  expect(await shared.run.settled()).toMatchObject({ status: 'done', text: 'Done' })
  const over = await first.agent.resume(runId)
  expect(over.drive).toBe('none')
  expect(await over.run.settled()).toMatchObject({ status: 'done', text: 'Done' })

  const types: string[] = []
  for await (const { type } of begun.run) types.push(type)
  expect([...types.slice(0, 2), types.at(-1)]).toEqual(['call.decided', 'run.resumed', 'run.ended'])
})

test("DEC-07 resume explains why it does not drive: the run is unknown or another agent's, or the agent is closed", async () => {
  const { act } = toolbox()
  const options = { replies: [calls(call('c1', 'act')), 'Done'], tools: [act('act', { needs: 'approval' })] }
  const { agent, store, clock } = testAgent(options)
  await agent.run('Hi', { runId })
  const named = testAgent({ ...options, store, clock, process: 'p2', name: 'other' }).agent
  await expect(agent.resume('no-such-run')).rejects.toMatchObject({ name: 'StoreError', code: 'run_unknown' })
  await expect(named.resume(runId)).rejects.toMatchObject({ name: 'UsageError', code: 'other_agent' })
  await expect(named.resume(runId, { adopts: true } as never)).rejects.toMatchObject({ code: 'bad_option' })
  expect((await named.resume(runId, { adopt: true })).drive).toBe('begun')
  await agent.close()
  await expect(agent.resume(runId)).rejects.toMatchObject({ name: 'UsageError', code: 'agent_closed' })
})

test('CKP-05 drives under the lease that the run was stored with, even if another drive was requested meanwhile', async () => {
  const { store, clock } = testAgent({ replies: ['Done'] })
  const options = { name: 'test', model: scripted(['Done']) }
  const parts = partsOf(options)
  const core = agentCore({ name: 'test', parts, store, clock, ids: countedIds('p1'), leaseMs: 30_000 })
  const input = JSON.parse(JSON.stringify({ options: runOptionsOf({}), messages: [userMessage('Hi', 0)] }))
  const since = momentOf(clock)
  const lease = await store.create({ id: runId, agent: 'test', input, at: since.wall }, core.newOwner(), 30_000)
  const early = openDriving(core, runId)
  const driving = openDriving(core, runId, { taken: { lease, since } })
  await expect(early.rest).rejects.toMatchObject({ code: 'run_is_driven' })
  expect(await driving.rest).toMatchObject({ status: 'done' })
  expect(core.openRuns.get(runId)).toBeUndefined()
})

test("DEC-07 processes without a notification a decision that was stored after the shared drive's last look", async () => {
  const inner = memoryStore()
  const { act, done } = toolbox()
  const lateAnswer: { give?: () => Promise<void> } = {}
  const store: Store = {
    ...inner,
    watch: () => () => {},
    async commit(commit) {
      const receipt = await inner.commit(commit)
      if (commit.status !== 'waiting') return receipt
      const { give } = lateAnswer
      delete lateAnswer.give
      await give?.()
      return receipt
    },
  }
  const { agent }: { agent: Agent } = testAgent({
    replies: [calls(call('c1', 'act')), 'Done'],
    tools: [act('act', { needs: 'approval' })],
    store,
  })
  lateAnswer.give = async () => {
    const run = await agent.load(runId)
    await run.approve('1.c1')
    expect((await agent.resume(runId)).drive).toBe('shared')
  }
  expect(await agent.run('Hi', { runId })).toMatchObject({ status: 'done', text: 'Done' })
  expect(done).toEqual(['act {}'])
})

test('RUN-08 EVT-01 a started run is driven without watchers, and its first watcher receives all its events', async () => {
  const options = { replies: ['Done'] }
  const { agent, store } = testAgent(options)
  const run = agent.start('Hi', { runId })
  await expect.poll(async () => (await store.record(runId)).status).toBe('done')
  const expected = await eventsOf(testAgent(options).agent.start('Hi', { runId }))
  expect(await eventsOf(run)).toEqual(expected)
  expect(expected[0]).toMatchObject({ type: 'run.started' })
  expect(await eventsOf(run)).toEqual([])
})

test('RUN-08 EVT-01 the first watcher sees no end of a drive that still continues', async () => {
  const { act } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'act')), 'Done'],
    tools: [act('act', { needs: 'approval' })],
  })
  const run = agent.start('Hi', { runId })
  await expect.poll(async () => (await store.record(runId)).status).toBe('waiting')
  await quiet()
  await run.approve()
  const types = (await eventsOf(run)).map(({ type }) => type)
  const lifecycle = types.filter((type) => type.startsWith('run.'))
  expect(lifecycle).toEqual(['run.started', 'run.waiting', 'run.resumed', 'run.ended'])
})

test('RUN-08 EVT-01 a caller that settled a run receives none of its earlier events', async () => {
  const { agent } = testAgent({ replies: ['Done'] })
  const run = agent.start('Hi', { runId })
  expect((await run.settled()).text).toBe('Done')
  expect(await eventsOf(run)).toEqual([])
})

test('CKP-05 refuses a run whose agent turns out to be another after the claim, and releases its lease', async () => {
  const { store, clock } = testAgent({ replies: ['Done'] })
  const options = { name: 'test', model: scripted(['Done']) }
  const parts = partsOf(options)
  const core = agentCore({ name: 'test', parts, store, clock, ids: countedIds('p1'), leaseMs: 30_000 })
  const input = JSON.parse(JSON.stringify({ options: runOptionsOf({}), messages: [userMessage('Hi', 0)] }))
  const lease = await store.create({ id: runId, agent: 'other', input, at: clock.now() }, core.newOwner(), 30_000)
  await store.release(lease)
  await expect(openDriving(core, runId).rest).rejects.toMatchObject({ code: 'other_agent' })
  expect((await store.claim(runId, core.newOwner(), 30_000)).lease?.fence).toBe(3)
})
