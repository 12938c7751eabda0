import { setImmediate as loopTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Agent, createAgent, type Store, textOf, tool } from '../../../src/index.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { createWorker } from '../../../src/core/workers/worker.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

const saying = (reply: ScriptedReply) => scripted(Array.from({ length: 9 }, () => reply))
const drafter = (name: string): Agent => createAgent({ name, configId: name, model: saying(`${name}.`) })
const echo: ScriptedReply = ({ messages }) => messages.map(textOf).join('|')
const writer = (store: Store) => createAgent({ name: 'writer', configId: 'w', store, model: saying(echo) })

const done: string[] = []
const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({}),
  needs: 'approval',
  execute: (_, { callId }) => {
    done.push(callId)
    return 'Paid.'
  },
})

/** An agent that asks before it answers. */
function asker(name: string): Agent {
  const call = { toolCalls: [{ id: 'p', name: 'pay', arguments: {} }] }
  return createAgent({ name, configId: name, model: scripted([call, `${name} paid.`, call, 'Again.']), tools: [pay] })
}

/** A group of one branch that ends and two that ask. */
async function waiting(store = memoryStore()) {
  done.length = 0
  const agents = [drafter('a'), asker('b'), asker('c')]
  const session = writer(store).session('s')
  const strategy = () => 3
  const group = await session.parallel(agents, { prompt: 'Draft.', strategy })
  expect(await group.settled()).toMatchObject({ status: 'waiting' })
  return { store, session, group, agents, strategy }
}

describe('AGT-06 open groups', () => {
  test('AGT-06 an open group waits for each branch that asks, and lists their calls', async () => {
    const { group } = await waiting()
    const { suspended } = await group.result()
    expect(suspended.map(({ toolName }) => toolName)).toEqual(['pay', 'pay'])
    await expect(group.approve()).rejects.toMatchObject({ code: 'ambiguous_call' })
    await group.approve(suspended[0]?.callId)
    expect(await group.settled()).toMatchObject({ status: 'waiting', suspended: [{ toolName: 'pay' }] })
    await group.approve()
    expect(await group.settled()).toMatchObject({ status: 'done', text: 'c paid.' })
    expect(done).toHaveLength(2)
  })

  test('AGT-06 an open group refuses prompts to its session, and keeps messages to the session for the next run', async () => {
    const { session, group } = await waiting()
    await expect(session.prompt('Next.')).rejects.toMatchObject({ code: 'run_waiting' })
    await expect(session.parallel([drafter('a')], { prompt: 'Next.', strategy: 'pickFirst' })).rejects.toMatchObject({
      code: 'run_waiting',
    })
    expect(await session.followUp('And then?')).toMatchObject({ target: 's', answer: 'applied' })
    await group.deny((await group.result()).suspended[0]?.callId)
    await group.settled()
    await group.approve()
    await group.settled()
    const { messages } = await (await session.prompt('Next.')).settled()
    expect(messages.map(textOf)).toContain('And then?')
  })

  test('AGT-06 an open group returns the messages sent to it that no model read', async () => {
    const { group } = await waiting()
    expect(await group.steer('Faster.')).toMatchObject({ answer: 'applied' })
    await group.cancel()
    const { undelivered = [] } = await group.settled()
    expect(undelivered.map(textOf)).toEqual(['Faster.'])
  })

  test('AGT-06 an open group is cancelled with its branches, and the session continues from before', async () => {
    const { store, session, group } = await waiting()
    expect(await session.cancel('Enough.')).toMatchObject({ answer: 'applied' })
    expect(await group.settled()).toMatchObject({
      status: 'done',
      outcome: { reason: 'cancelled', error: { code: 'run_cancelled', message: 'Enough.' } },
    })
    await (await session.prompt('Next.')).settled()
    const ends = async (id: string) => (await store.record(id)).doneReason
    expect([await ends('s.a.1'), await ends('s.b.1'), await ends('s.c.1')]).toEqual([
      'natural_end',
      'cancelled',
      'cancelled',
    ])
    expect((await session.messages()).map(textOf)).toEqual(['Next.', 'Next.'])
    expect(done).toEqual([])
  })

  test('AGT-06 an open group ends only the branch whose call is cancelled; the other branches continue', async () => {
    const { group, store } = await waiting()
    await group.cancelCall('branch.3')
    await group.approve((await group.result()).suspended[0]?.callId)
    expect(await group.settled()).toMatchObject({ status: 'done', text: 'a.' })
    expect((await store.record('s.c.1')).doneReason).toBe('cancelled')
  })

  test('AGT-06 an open group accepts answers from a process without its agents, and continues in one that has them', async () => {
    const { store, group, agents, strategy } = await waiting()
    await group.detach()
    const stranger = await writer(store).load(group.id)
    const { suspended } = await stranger.result()
    expect(suspended.map(({ toolName }) => toolName)).toEqual(['pay', 'pay'])
    for (const { callId } of suspended) expect(await stranger.approve(callId)).toMatchObject({ answer: 'applied' })
    await expect(stranger.settled()).rejects.toMatchObject({ code: 'other_agent' })
    const session = writer(store).session('s')
    const again = await session.parallel(agents, { strategy, ifExists: 'attach' })
    expect(again.id).toBe(group.id)
    expect(await again.settled()).toMatchObject({ status: 'done', text: 'c paid.' })
    expect(done).toHaveLength(2)
  })

  test('AGT-06 an open group is not resumed with other agents or another kind of strategy', async () => {
    const { store, agents, group } = await waiting()
    await group.detach()
    const session = writer(store).session('s')
    for (const refused of [
      session.parallel(agents, { strategy: 'pickFirst', ifExists: 'attach' }),
      session.parallel(agents.slice(1), { strategy: () => 1, ifExists: 'attach' }),
    ])
      await expect(refused).rejects.toMatchObject({ code: 'bad_branches', message: expect.stringContaining(group.id) })
  })

  test('AGT-06 an open group can neither be forked nor adopted by an agent as an ordinary run', async () => {
    const { store, group } = await waiting()
    await group.detach()
    const host = writer(store)
    const from = (await group.history())[0]?.version ?? 0
    await expect(host.fork(group.id, { from })).rejects.toMatchObject({ code: 'snapshot_unreadable' })
    const adopted = await host.load(group.id, { adopt: true })
    await expect(adopted.settled()).rejects.toThrow('group of branches')
    expect(await adopted.result()).toMatchObject({ status: 'waiting' })
  })

  test('AGT-06 attach begins a group if none is open', async () => {
    const session = writer(memoryStore()).session('s')
    const group = await session.parallel([drafter('a')], { prompt: 'Go.', strategy: 'transparent', ifExists: 'attach' })
    expect(await group.settled()).toMatchObject({ runId: 's.parallel.1', text: 'a.' })
  })

  test('AGT-06 an open group with drive: false is only stored, and driven by the process that loads it', async () => {
    const host = writer(memoryStore())
    const session = host.session('s')
    const group = await session.parallel([drafter('a'), drafter('b')], {
      prompt: 'Go.',
      strategy: 'pickFirst',
      drive: false,
    })
    expect(await group.result()).toMatchObject({ status: 'running' })
    await expect(session.prompt('Next.')).rejects.toMatchObject({ code: 'run_busy' })
    expect((await (await host.load(group.id)).settled()).text).toBe('a.')
  })

  test('AGT-06 an open group is driven only by a worker that has its agents', async () => {
    const store = memoryStore()
    const host = writer(store)
    const options = { prompt: 'Go.', strategy: 'pickFirst', drive: false } as const
    const group = await host.session('s').parallel([drafter('a'), drafter('b')], options)
    const stranger = createWorker({ agents: [writer(store)] })
    const { promise: left, resolve } = Promise.withResolvers<string>()
    stranger.on((event) => event.type === 'left' && resolve(event.problem))
    expect(await left).toContain('writer/a+b pickFirst')
    await stranger.drain()
    expect((await store.record(group.id)).status).toBe('running')
    await using worker = createWorker({ agents: [host] })
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    worker.on((event) => event.type === 'released' && event.runId === group.id && end())
    await ended
    expect(await group.result()).toMatchObject({ status: 'done', text: 'a.' })
  })

  test('AGT-06 an open group stops when its agent closes, and continues in the next one', async () => {
    const store = memoryStore()
    const first = writer(store)
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    const slow = (answer: ScriptedReply) => createAgent({ name: 'slow', configId: 'slow', model: saying(answer) })
    const hanging: ScriptedReply = ({ signal }) => {
      resolve()
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
    }
    const group = await first.session('s').parallel([slow(hanging)], { prompt: 'Go.', strategy: 'transparent' })
    await asked
    await first.close()
    await expect(group.settled()).rejects.toMatchObject({ code: 'agent_closed' })
    const options = { strategy: 'transparent', ifExists: 'attach' } as const
    const again = await writer(store)
      .session('s')
      .parallel([slow('Done.')], options)
    expect((await again.settled()).text).toBe('Done.')
  })

  test('AGT-06 a group with its own agents is forgotten after it has ended', async () => {
    setFlagsFromString('--expose-gc')
    const gc: unknown = runInNewContext('gc')
    if (typeof gc !== 'function') throw new Error('This Node has no garbage collector to call.')
    const host = writer(memoryStore())
    const play = async (id: string) => {
      const agent = drafter('a')
      await (await host.session(id).parallel([agent], { prompt: 'Go.', strategy: 'transparent' })).settled()
      return new WeakRef(agent)
    }
    const first = await play('s1')
    await play('s2')
    for (let turn = 0; turn < 50 && first.deref() !== undefined; turn++) {
      await loopTurn()
      gc()
    }
    expect(first.deref() === undefined).toBe(true)
    await host.close()
  })
})
