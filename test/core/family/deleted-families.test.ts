import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { type Agent, createAgent, pruneRuns, type Store, textOf, tool } from '../../../src/index.ts'
import { deleteRun, deleteSession, listOutgoing } from '../../../src/ports.ts'
import type { Lease } from '../../../src/core/ports/store.ts'
import { type CrashPoint, MortalProcess, pointsUpTo } from '../../../src/testing/crash/mortal-process.ts'
import { mortalStore } from '../../../src/testing/crash/mortal-store.ts'
import { memoryStorage, sqliteStorage } from '../../../proof/crash/storages.ts'
import { ManualClock } from '../../../src/testing/crash/crash-environment.ts'
import { coreOf } from '../../../src/core/driving/core-of.ts'
import { openDriving } from '../../../src/core/driving/run-driving.ts'
import { memberNamed } from '../../../src/core/family/lineage.ts'
import { desk, calling } from './handing-desk.ts'

const pay = tool({ name: 'pay', description: 'Pays.', input: z.object({}), needs: 'approval', execute: () => 'Paid.' })
const call = (id: string, name: string, given: object) => ({ toolCalls: [{ id, name, arguments: given as never }] })
const later = 2 ** 50

interface TeamOptions {
  readonly background?: boolean
  readonly by?: 'messages' | 'calls'
}

/** Three levels. The lowest member asks. */
function team(store: Store, { background = false, by = 'messages' }: TeamOptions = {}): Agent {
  const helper = createAgent({ name: 'helper', model: scripted([call('p', 'pay', {}), 'Paid.']), tools: [pay] })
  const middle = createAgent({
    name: 'middle',
    model: scripted([
      call('h', 'helper', { prompt: 'Pay.' }),
      ({ messages }) => messages.flatMap((one) => (one.role === 'toolResult' ? textOf(one) : [])).join(),
    ]),
    tools: [helper.asTool({ description: 'Helps.' })],
  })
  const tools = [middle.asTool({ description: 'Helps.', background })]
  return createAgent({
    name: 'boss',
    store,
    model: scripted([call('m', 'middle', { prompt: 'Pay.' }), 'Done.'], { by }),
    tools,
  })
}

const idsIn = async (store: Store) => (await store.list({})).map(({ id }) => id).toSorted()

describe.each([
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore(':memory:')],
] as const)('CKP-09 AGT-05 families on %s', (_, open) => {
  test('CKP-09 AGT-05 a child that has ended is not pruned before its parent has its answer', async () => {
    const inner = open()
    await team(inner).run('Go.', { runId: 'r1' })
    const helper = (await idsIn(inner)).at(-1) ?? ''
    // The process dies before the end of the child wakes its parents.
    const lost: Store = {
      ...inner,
      decide: (runId, ...rest) =>
        runId === helper ? inner.decide(runId, ...rest) : Promise.reject(new Error('Gone.')),
    }
    const agent = team(lost)
    await (await agent.load(helper)).approve()
    const member = memberNamed(coreOf(agent, 'test'), 'boss/middle/helper')
    if (member !== undefined) await openDriving(member, helper).rest.catch(() => undefined)
    expect((await inner.record(helper)).status).toBe('done')
    expect(await pruneRuns(inner, { before: later })).toEqual([])
    const { messages } = await (await team(inner).load('r1')).settled()
    expect(messages.find(({ role }) => role === 'toolResult')).toMatchObject({ content: [{ text: 'Paid.' }] })
  })

  test('CKP-09 AGT-05 a family is pruned as a whole, and not while background work is open', async () => {
    const store = open()
    expect((await team(store, { background: true }).run('Go.', { runId: 'r1' })).status).toBe('done')
    expect(await pruneRuns(store, { before: later })).toEqual([])
    await team(store).run('Go.', { runId: 'r2' })
    const run = await team(store).load('r2')
    await run.approve()
    expect((await run.settled()).status).toBe('done')
    expect(await pruneRuns(store, { before: later, limit: 1 })).toHaveLength(3)
    expect((await idsIn(store)).every((id) => id.startsWith('r1'))).toBe(true)
  })

  test('CKP-09 AGT-05 a family with an open member is deleted from its root only with cancel', async () => {
    const store = open()
    await team(store).run('Go.', { runId: 'r1' })
    const [root = '', child = ''] = await idsIn(store)
    await expect(deleteRun(store, child)).rejects.toMatchObject({ code: 'bad_run_id' })
    await expect(deleteRun(store, root)).rejects.toMatchObject({ code: 'run_waiting' })
    expect(await idsIn(store)).toHaveLength(3)
    const { runs, readers } = await deleteRun(store, root, { cancel: true })
    expect([runs.length, readers, await idsIn(store)]).toEqual([3, [], []])
    await expect(deleteRun(store, root)).rejects.toMatchObject({ code: 'run_unknown' })
  })

  test('CKP-09 AGT-05 AGT-06 a session is deleted with the families of its runs and groups', async () => {
    const store = open()
    const agent = team(store, { by: 'calls' })
    const chat = agent.session('talk')
    const helper = createAgent({ name: 'helper', model: scripted('Helped.') })
    await (await chat.parallel([helper], { prompt: 'Go.', strategy: 'transparent' })).settled()
    await (await chat.prompt('Go.')).settled()
    expect((await store.list({ status: 'waiting' })).length).toBe(3)
    await expect(chat.delete()).rejects.toMatchObject({ code: 'run_waiting' })
    expect((await idsIn(store)).length).toBe(5)
    expect((await chat.delete({ cancel: true })).runs).toHaveLength(5)
    expect(await idsIn(store)).toEqual([])
  })

  test('CKP-09 AGT-05 the runs of a conversation that was handed over go together', async () => {
    const store = open()
    const begin = () => desk(store, [calling('repairs'), 'Mended.']).run('My lamp is broken.', { runId: 'r1' })
    await begin()
    expect(await idsIn(store)).toEqual(['r1', 'r1.to.1'])
    await expect(deleteRun(store, 'r1.to.1')).rejects.toMatchObject({ code: 'bad_run_id' })
    expect(await deleteRun(store, 'r1')).toEqual({ runs: ['r1.to.1', 'r1'], readers: [] })
    await begin()
    expect(await pruneRuns(store, { before: later, limit: 1 })).toEqual(['r1.to.1', 'r1'])
    expect(await idsIn(store)).toEqual([])
  })
})

const stranger = { id: 'stranger', host: 'elsewhere', pid: 1, pidStart: '' }

/** Each leaves a family in a store and says how it is deleted. */
const deletions: readonly (readonly [string, (store: Store) => Promise<(store: Store) => Promise<unknown>>])[] = [
  [
    'that waits for its lowest member',
    async (store) => {
      await team(store).run('Go.', { runId: 'r1' })
      return (mortal) => deleteRun(mortal, 'r1', { cancel: true })
    },
  ],
  [
    'that is done',
    async (store) => {
      await team(store).run('Go.', { runId: 'r1' })
      const run = await team(store).load('r1')
      await run.approve()
      expect((await run.settled()).status).toBe('done')
      return (mortal) => deleteRun(mortal, 'r1')
    },
  ],
  [
    'of a session',
    async (store) => {
      const chat = team(store, { by: 'calls' }).session('talk')
      await (await chat.prompt('Go.')).settled()
      return (mortal) => deleteSession(mortal, 'talk', { cancel: true })
    },
  ],
]

test.each(
  deletions.flatMap(([what, leave]) =>
    (
      [
        ['memory', memoryStorage],
        ['SQLite', sqliteStorage],
      ] as const
    ).map(([on, open]) => [what, on, open, leave] as const),
  ),
)(
  'CKP-09 AGT-05 TST-03 a family %s is there whole or is gone, whichever write of its deletion its process dies at, on %s',
  async (_, __, open, leave) => {
    const played = async (point?: CrashPoint) => {
      const storage = open(new ManualClock())
      const store = await storage.reopen()
      const remove = await leave(store)
      const whole = await idsIn(store)
      expect(whole).toHaveLength(3)
      const mortal = new MortalProcess(point)
      await remove(mortalStore(store, mortal)).catch(() => undefined)
      const left = await idsIn(store)
      expect([whole, []]).toContainEqual(left)
      if (left.length > 0) await remove(store)
      expect([await idsIn(store), (await listOutgoing(store)).length]).toEqual([[], 0])
      await storage.dispose()
      return mortal.writes
    }
    for (const point of pointsUpTo(await played())) await played(point)
  },
)

test.each([
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore(':memory:')],
] as const)(
  'CKP-09 AGT-05 a member that a process begins to drive meanwhile keeps its family whole, on %s',
  async (_, open) => {
    for (const [, leave] of deletions) {
      const store = open()
      const remove = await leave(store)
      const whole = await idsIn(store)
      const isDone = (await store.list({ status: 'done' })).length === 3
      // Only a member that is open can be driven.
      if (isDone) continue
      const taken = Promise.withResolvers<Lease | undefined>()
      const overtaken: Store = {
        ...store,
        delete: async (...given) => {
          taken.resolve((await store.claim(whole[1] ?? '', stranger, 30_000)).lease)
          return store.delete(...given)
        },
      }
      await expect(remove(overtaken)).rejects.toMatchObject({ code: 'run_is_driven' })
      expect(await idsIn(store)).toEqual(whole)
      const lease = await taken.promise
      if (lease !== undefined) await store.release(lease)
      await remove(store)
      expect(await idsIn(store)).toEqual([])
    }
  },
)
