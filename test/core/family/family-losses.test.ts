import { expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, type Store, tool } from '../../../src/index.ts'
import { StoreError } from '../../../src/core/domain/store-error.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

const pay = tool({ name: 'pay', description: 'Pays.', input: z.object({}), needs: 'approval', execute: () => 'Paid.' })
const call = (id: string, name: string, given: object) => ({ toolCalls: [{ id, name, arguments: given as never }] })

function team(store: Store) {
  const helper = createAgent({ name: 'helper', model: scripted([call('p', 'pay', {}), 'Paid.']), tools: [pay] })
  const middle = createAgent({
    name: 'middle',
    model: scripted([call('h', 'helper', { prompt: 'Pay.' }), 'Middle.']),
    tools: [helper.asTool({ description: 'Helps.' })],
  })
  return createAgent({
    name: 'boss',
    store,
    model: scripted([call('m', 'middle', { prompt: 'Pay.' }), 'Done.']),
    tools: [middle.asTool({ description: 'Helps.' })],
  })
}

test('AGT-05 a deleted child is a failed result, and its work does not start again', async () => {
  const store = memoryStore()
  await team(store).run('Go.', { runId: 'r1' })
  const members = (await store.list({})).flatMap((one) => ('status' in one && one.id !== 'r1' ? [one.id] : []))
  const agent = team(store)
  await (await agent.load(members[1] ?? '')).cancel()
  for (const id of members.toReversed()) {
    const member = await agent.load(id)
    await member.settled()
    await store.delete(id)
  }
  const run = await agent.load('r1')
  expect(await run.result()).toMatchObject({ status: 'waiting', suspended: [{ callId: '1.m' }] })
  const { status, messages } = await run.settled()
  expect(status).toBe('done')
  expect(messages.find(({ role }) => role === 'toolResult')).toMatchObject({
    isError: true,
    content: [{ text: "[The sub-agent 'middle' ended: its run is missing.]" }],
  })
  expect(await store.list({})).toHaveLength(1)
})

test('AGT-05 a child that is deleted before a crashed parent is resumed does not start again', async () => {
  const inner = memoryStore()
  let acted = 0
  const act = tool({ name: 'act', description: 'Acts.', input: z.object({}), execute: () => `${++acted}` })
  const boss = (store: Store) => {
    const helper = createAgent({ name: 'helper', model: scripted([call('a', 'act', {}), 'Acted.']), tools: [act] })
    const model = scripted([call('h', 'helper', { prompt: 'Act.' }), 'Done.'])
    return createAgent({ name: 'boss', store, model, tools: [helper.asTool({ description: 'Helps.' })] })
  }
  // The process of the parent dies before it stores the result of the child.
  const lost: Store = {
    ...inner,
    commit: (commit, ...rest) =>
      commit.runId === 'r1' && acted > 0
        ? Promise.reject(new StoreError('fence_conflict', 'The lease was lost.'))
        : inner.commit(commit, ...rest),
  }
  await expect(boss(lost).run('Go.', { runId: 'r1' })).rejects.toThrow('The lease was lost.')
  const [child] = (await inner.list({})).flatMap((one) => ('status' in one && one.id !== 'r1' ? [one] : []))
  expect(child?.status).toBe('done')
  await inner.delete(child?.id ?? '')
  const run = await boss(inner).load('r1')
  const { text, messages } = await run.settled({ follow: true })
  expect([text, acted]).toEqual(['Done.', 1])
  expect(messages.find(({ role }) => role === 'toolResult')).toMatchObject({
    isError: true,
    content: [{ text: "[The sub-agent 'helper' ended: its run is missing.]" }],
  })
})

test('AGT-05 a failed drive of a child makes its parent wait, and the next drive continues', async () => {
  const inner = memoryStore()
  let isLost = true
  const store = new Proxy(inner, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key)
      if (key !== 'commit' || typeof value !== 'function')
        return typeof value === 'function' ? value.bind(target) : value
      return (commit: { readonly runId: string }) =>
        isLost && commit.runId.includes('.sub.')
          ? Promise.reject(new StoreError('fence_conflict', 'The lease was lost.'))
          : Reflect.apply(value, target, [commit])
    },
  })
  expect(await team(store).run('Go.', { runId: 'r1' })).toMatchObject({ status: 'waiting' })
  isLost = false
  const run = await team(store).load('r1')
  expect((await run.settled()).suspended.map(({ toolName }) => toolName)).toEqual(['pay'])
})

test('AGT-05 an answer at the third level reaches the root although no process woke the levels between', async () => {
  const store = memoryStore()
  const { suspended } = await team(store).run('Go.', { runId: 'r1' })
  const [child = '', target = ''] = (suspended[0]?.callId ?? '').split('/')
  await store.decide(child, [{ target, action: 'resume' }], Date.now())
  const run = await team(store).load('r1')
  expect(await run.settled()).toMatchObject({ status: 'done', text: 'Done.' })
})

test('AGT-05 CKP-09 a detach stops a drive that still polls its children', async () => {
  const looks = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const inner = memoryStore()
  const calls: Store['calls'] = async (...asked) => {
    looks.resolve()
    await goOn.promise
    return inner.calls(...asked)
  }
  const agent = team({ ...inner, calls })
  const run = agent.start('Go.', { runId: 'r1', drive: false })
  const driving = run.settled()
  await looks.promise
  const detaching = run.detach()
  goOn.resolve()
  await detaching
  await expect(driving).rejects.toMatchObject({ code: 'run_detached' })
  expect(await inner.record('r1')).toMatchObject({ status: 'running', isDriven: false })
})
