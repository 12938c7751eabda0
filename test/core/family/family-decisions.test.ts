import { expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, type Decision, type Store, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({}),
  needs: 'approval',
  execute: () => 'Paid.',
})
const call = (id: string, name: string, given: object) => ({ toolCalls: [{ id, name, arguments: given as never }] })

function team(store: Store, before: () => Promise<unknown> = () => Promise.resolve()) {
  const ask = async () => {
    await before()
    return call('p', 'pay', {})
  }
  const helper = createAgent({ name: 'helper', model: scripted([ask, 'Paid.']), tools: [pay] })
  return createAgent({
    name: 'boss',
    store,
    model: scripted([call('h', 'help', { prompt: 'Pay.' }), 'Done.']),
    tools: [helper.asTool({ name: 'help', description: 'Helps.' })],
  })
}

/** A family that waits for an answer, taken up by another process. */
async function waitingFamily() {
  const store = memoryStore()
  const { suspended } = await team(store).run('Go.', { runId: 'r1' })
  const suspension = (await store.calls('r1', []))[0]?.record.suspension?.id ?? ''
  const agent = team(store)
  const address = suspended[0]?.callId ?? ''
  return { store, agent, run: await agent.load('r1'), address, child: address.split('/')[0] ?? '', suspension }
}

test.each(['callId', 'suspension', 'provider'] as const)(
  'AGT-05 refuses to resume the call that waits for a child, named by %s, and a cancel of the call ends the child',
  async (by) => {
    const { store, agent, run, child, suspension } = await waitingFamily()
    const target = { callId: '1.h', suspension, provider: 'h' }[by]
    const [refused] = await run.decide([{ target, action: 'resume', mode: 'use-as-result', result: 'mine' }])
    expect(refused).toMatchObject({ target, answer: 'refused' })
    const [cancelled] = await run.decide([{ target, action: 'cancel' }])
    expect(cancelled).toMatchObject({ target, answer: 'applied' })
    expect((await run.settled()).status).toBe('done')
    await agent.close({ drainMs: 1000 })
    expect(await store.record(child)).toMatchObject({ status: 'done', doneReason: 'cancelled' })
  },
)

test("AGT-05 DEC-06 refuses contradicting items for one member's call together", async () => {
  const { run, address } = await waitingFamily()
  const receipts = await run.decide([
    { target: address, action: 'resume' },
    { target: address, action: 'cancel' },
  ])
  expect(receipts.map(({ answer, target }) => [answer, target])).toEqual([
    ['refused', address],
    ['refused', address],
  ])
  expect((await run.settled()).suspended.map(({ callId }) => callId)).toEqual([address])
})

test.each<[string, Partial<Decision>]>([
  ['a result', { mode: 'use-as-result', result: 'mine' }],
  ['other arguments', { input: { prompt: 'Do other work.' } }],
])(
  "AGT-05 applies a decision with %s that arrives while the child works, without waiting for the child's end",
  async (_, given) => {
    const asked = Promise.withResolvers<undefined>()
    const decided = Promise.withResolvers<undefined>()
    const store = memoryStore()
    const agent = team(store, () => {
      asked.resolve(undefined)
      return decided.promise
    })
    const run = agent.start('Go.', { runId: 'r1' })
    await asked.promise
    expect(await run.decide([{ target: '1.h', action: 'resume', ...given }])).toMatchObject([{ answer: 'kept' }])
    decided.resolve(undefined)
    const { status, suspended } = await run.settled()
    expect([status, suspended.map(({ toolName }) => toolName)]).toEqual(['waiting', ['pay']])
    expect((await store.list({ limit: 10 })).length).toBe(2)
    expect(await run.decide([{ target: suspended[0]?.callId ?? '', action: 'resume' }])).toMatchObject([
      { answer: 'applied' },
    ])
    expect(await run.settled()).toMatchObject({ status: 'done', text: 'Done.' })
    const [boss] = await store.calls('r1')
    expect(boss?.record).toMatchObject({ status: 'succeeded' })
  },
)

test('AGT-05 DEC-06 clients cannot use the decision ids by which a call polls its child', async () => {
  const { run, address, child } = await waitingFamily()
  const taken = { target: '1.h', action: 'cancel', decisionId: `family:${child}.end` } as const
  expect(await run.decide([taken])).toMatchObject([{ answer: 'refused' }])
  expect(await run.decide([{ ...taken, target: address }])).toMatchObject([{ answer: 'refused' }])
})

test('AGT-05 lists the questions of families in whole pages, newest first, each once', async () => {
  const store = memoryStore()
  const asked: string[] = []
  for (const id of ['a', 'b', 'c', 'd', 'e']) {
    const { suspended } = await team(store).run('Go.', { runId: id })
    asked.unshift(suspended[0]?.callId.split('/')[0] ?? '')
  }
  const agent = team(store)
  const pages: string[][] = []
  for (let before: string | undefined; pages.length < 4;) {
    const page = await agent.suspended({ limit: 2, ...(before === undefined ? {} : { before }) })
    pages.push(page.map((run) => ('damaged' in run ? '' : run.record.id)))
    const last = page.at(-1)
    before = last && 'record' in last ? last.record.cursor : before
  }
  expect(pages).toEqual([asked.slice(0, 2), asked.slice(2, 4), asked.slice(4), []])
})

test('AGT-05 a page of questions reads only a few pages of runs, however many runs wait for sub-agents', async () => {
  const store = memoryStore()
  for (let count = 0; count < 20; count++) await team(store).run('Go.')
  let reads = 0
  const counted: Store = { ...store, suspended: (filter) => (reads++, store.suspended(filter)) }
  expect(await team(counted).suspended({ limit: 2 })).toHaveLength(2)
  expect(reads).toBeLessThanOrEqual(4)
})
