import { expect, test } from 'vitest'
import { fakeClock } from '../../../../proof/support/fake-clock.ts'
import { countedIds } from '../../../../proof/support/test-agent.ts'
import type { StoredRun } from '../../../../src/core/ports/store.ts'
import { memoryStore } from '../../../../src/core/stores/memory/memory-store.ts'
import { policies } from '../../../../src/core/plugins/policies.ts'
import type { Plugin, Store } from '../../../../src/index.ts'
import { forecast } from '../../../../src/testing/index.ts'
import { agentOf, oldVersion, type Version } from '../../../../proof/forecast/old-version.ts'
import { storeWaits, waits } from '../../../../proof/forecast/waits.ts'

async function stored() {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  await storeWaits(store, clock, known)
  return { store, clock, ids: countedIds('f') }
}

/** The runs that go on with the old version as it is: it has no permission manager. */
const known = Object.keys(waits).filter((runId) => runId !== 'died-at-manager')
const all = known.length + 1

/** Code that fails the test. */
const never = (): never => expect.unreachable()

async function saidWith(version: Version, from?: Version, runId = 'needs-approval'): Promise<readonly string[]> {
  const outside = await stored()
  const before = from && { from: [agentOf(from, outside)] }
  const { groups } = await forecast(outside.store, [agentOf(version, outside)], before)
  const own = groups.filter(({ runIds }) => runIds.includes(runId))
  return own.map(({ outlook, reason }) => `${outlook}: ${reason}`)
}

test("VER-01 a forecast calls only reading methods of the store, and none of the application's code", async () => {
  const { store, clock, ids } = await stored()
  const called = new Set<string>()
  const watched = new Proxy(store, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name)
      if (typeof method === 'function') called.add(String(name))
      return method
    },
  })
  const plugin: Plugin = { name: 'guard', gateCall: never, beforeModel: never, onToolValue: never }
  const version = {
    ...oldVersion,
    plugins: [plugin],
    tools: oldVersion.tools.map((tool) => ({ ...tool, execute: never })),
  }
  const agent = agentOf(version, { store, clock, ids }, never)
  await forecast(watched, [agent], { from: [agent] })
  expect([...called].toSorted()).toEqual(['inbox', 'input', 'list', 'read'])
})

test('VER-01 does not count a run that ended after it was listed', async () => {
  const { store, clock, ids } = await stored()
  const agent = agentOf(oldVersion, { store, clock, ids })
  const read: Store['read'] = async (runId) => {
    if (runId === 'needs-approval') {
      const run = await agent.load(runId)
      await run.cancel()
      await run.settled()
    }
    return store.read(runId)
  }
  expect(await forecast({ ...store, read }, [agent])).toEqual({ checked: all - 1, alike: all - 1, groups: [] })
})

test('VER-01 reports a run whose state belongs to later charts as stuck, and driving it is then refused', async () => {
  const { store, clock, ids } = await stored()
  const later = (text: string) => JSON.stringify({ ...(JSON.parse(text) as object), schema: 999 })
  const aged = (run: StoredRun): StoredRun => {
    if (run.record.id !== 'needs-approval') return run
    const checkpoint = run.checkpoint && { ...run.checkpoint, document: later(run.checkpoint.document) }
    return { ...run, checkpoint, document: run.document && later(run.document) }
  }
  const changed: Store = {
    ...store,
    read: async (runId) => aged(await store.read(runId)),
    async claim(...given) {
      const { run, ...claimed } = await store.claim(...given)
      return { ...claimed, run: aged(run) }
    },
  }
  const agent = agentOf(oldVersion, { store: changed, clock, ids })
  const { groups } = await forecast(changed, [agent])
  const reason = expect.stringMatching(/^snapshot_unreadable: /)
  expect(groups).toEqual([{ outlook: 'stuck', reason, runIds: ['needs-approval'] }])
  await expect((await agent.load('needs-approval')).settled()).rejects.toMatchObject({ code: 'snapshot_unreadable' })
})

test('VER-01 names a plugin only if it is asked before the next model answer', async () => {
  const plugin: Plugin = {
    name: 'guard',
    beforeRun: never,
    runStart: never,
    reviewCall: never,
    onAnswer: never,
    afterModel: never,
  }
  expect(await saidWith({ ...oldVersion, plugins: [plugin] })).toEqual([
    'unknown: Code decides: plugin "guard" at runStart, reviewCall.',
  ])
})

test('VER-01 reports decisions of a removed plugin as unknown', async () => {
  const plugin: Plugin = { name: 'guard', gateCall: never }
  expect(await saidWith(oldVersion, { ...oldVersion, plugins: [plugin] })).toEqual([
    'unknown: Only with the code before: Code decides: plugin "guard" at gateCall.',
  ])
})

test('VER-01 finds a renamed tool by its definition, under any name in the call', async () => {
  const tools = oldVersion.tools.map((tool) => (tool.name === 'needing' ? { ...tool, name: 'authorised' } : tool))
  expect(await saidWith({ ...oldVersion, tools })).toEqual([
    'otherwise: An approved call of "needing" would fail, because the tool is gone. Keep the old name beside "authorised".',
  ])
})

test('VER-01 names an approval policy together with the values that it depends on', async () => {
  const policed = policies(['never(ran() and not approvedBy(anna))'])
  const version = { ...oldVersion, permissions: { ...oldVersion.permissions, policies: policed } }
  expect(await saidWith(version)).toEqual([
    'otherwise: A call of "needing" would be refused, because of the policy never(ran() and not approvedBy(anna)), unless the right person approves.',
  ])
})

test('VER-01 still reports the tools of other toolsets if one is closed', async () => {
  const outside = await stored()
  const far = { name: 'far', tools: never, close: async () => {} }
  const version = { ...oldVersion, tools: [...oldVersion.tools, far as never] }
  expect((await forecast(outside.store, [agentOf(version, outside)])).groups).toEqual([])
})

test('VER-01 predicts that a probe decides about an interrupted call', async () => {
  const tools = oldVersion.tools.map((tool) => (tool.name === 'once' ? { ...tool, probe: never } : tool))
  const version = { ...oldVersion, tools }
  expect(await saidWith(version, undefined, 'died-in-once')).toEqual([
    'unknown: Code decides: the probe of the tool "once".',
  ])
  expect(await saidWith(version, undefined, 'interrupted')).toEqual([])
})
