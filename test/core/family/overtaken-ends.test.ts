import { expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, type Store, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { listOutgoing } from '../../../src/core/driving/list-outgoing.ts'
import { deliverEnds } from '../../../src/core/family/deliver-ends.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { systemClock } from '../../../src/core/ports/system-clock.ts'
import { call, calls } from '../../../proof/support/say.ts'

function helper(name: string, store: Store, pay: () => Promise<string>) {
  const asked = { name: 'pay', description: 'Pays.', input: z.object({}), needs: 'approval', execute: pay } as const
  return createAgent({ name, store, model: scripted([calls(call('p', 'pay')), 'Paid.']), tools: [tool(asked)] })
}

function boss(store: Store) {
  const help = helper('helper', store, async () => 'Paid.').asTool({ description: 'Helps.' })
  const model = scripted([calls(call('h', 'helper', { prompt: 'Pay.' })), 'Done.'])
  return createAgent({ name: 'boss', store, model, tools: [help] })
}

test("AGT-05 a call that polls its child just before the child's end learns of the end while it waits", async () => {
  const store = memoryStore()
  const { suspended } = await boss(store).run('Go.', { runId: 'r1' })
  const address = suspended[0]?.callId ?? ''
  const child = address.split('/')[0] ?? ''
  const [begun, paid] = [Promise.withResolvers<undefined>(), Promise.withResolvers<string>()]
  const pay = () => (begun.resolve(undefined), paid.promise)
  await (await boss(store).load('r1')).decide([{ target: address, action: 'resume' }])
  // Another process drives the child. Its end comes between the look of the call and the commit that the call waits.
  const ended = (await helper('helper', store, pay).load(child, { adopt: true })).settled()
  await begun.promise
  const late: Store = {
    ...store,
    commit: async (commit, ...rest) => {
      if (commit.runId === 'r1' && commit.calls.some(({ record }) => record.status === 'suspended')) {
        paid.resolve('Paid.')
        await ended
        await deliverEnds({ store, clock: systemClock })
      }
      return store.commit(commit, ...rest)
    },
  }
  expect(await (await boss(late).load('r1')).settled()).toMatchObject({ status: 'waiting' })
  expect((await store.record(child)).status).toBe('done')
  await deliverEnds({ store, clock: { ...systemClock, now: () => systemClock.now() + 1000 } })
  const open = await store.inbox('r1', { isOpen: true })
  expect(open.map(({ item }) => item)).toMatchObject([
    { decision: { callId: '1.h', decisionId: `family:${child}.end` } },
  ])
})

test("AGT-05 the commit that takes in a child's answer leaves nobody to be told of the child's end", async () => {
  const store = memoryStore()
  const pending: number[] = []
  const seen: Store = {
    ...store,
    commit: async (commit, ...rest) => {
      const receipt = await store.commit(commit, ...rest)
      pending.push((await listOutgoing(store, { state: 'pending' })).length)
      return receipt
    },
  }
  const help = createAgent({ name: 'helper', model: scripted(['Helped.']) }).asTool({ description: 'Helps.' })
  const model = scripted([calls(call('h', 'helper', { prompt: 'Help.' })), 'Done.'])
  await createAgent({ name: 'boss', store: seen, model, tools: [help] }).run('Go.', { runId: 'r1' })
  // The child's end is told by one message, until the next commit of its parent.
  expect(pending).toEqual([0, 0, 0, 0, 1, 0, 0])
})
