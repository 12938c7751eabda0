import { expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, type Store, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

const pay = tool({ name: 'pay', description: 'Pays.', input: z.object({}), needs: 'approval', execute: () => 'Paid.' })
const call = (id: string, name: string, given: object) => ({ toolCalls: [{ id, name, arguments: given as never }] })

function team(store: Store) {
  const helper = createAgent({ name: 'helper', model: scripted([call('p', 'pay', {}), 'Paid.']), tools: [pay] })
  return createAgent({
    name: 'boss',
    store,
    model: scripted([call('h', 'help', { prompt: 'Pay.' }), 'Done.']),
    tools: [helper.asTool({ name: 'help', description: 'Helps.' })],
  })
}

async function forked() {
  const store = memoryStore()
  const { suspended } = await team(store).run('Go.', { runId: 'r1' })
  const agent = team(store)
  const last = (await (await agent.load('r1')).history()).at(-1)
  const fork = await agent.fork('r1', { from: last?.version ?? 0, runId: 'f1' })
  return { store, agent, fork, child: (suspended[0]?.callId ?? '').split('/')[0] ?? '' }
}

test('AGT-05 CKP-08 a fork marks an open child call as interrupted, and runs it with a new child once it is approved', async () => {
  const { store, fork, child } = await forked()
  const { suspended } = await fork.result()
  expect(suspended).toMatchObject([{ callId: '1.h', suspension: { reason: 'interrupted' } }])
  expect((await fork.approve()).answer).toBe('applied')
  const asked = await fork.settled()
  expect(asked.suspended).toMatchObject([{ toolName: 'pay', callId: expect.stringMatching(/^f1\.\d+\.sub\.1\/1\.p$/) }])
  await fork.approve()
  expect(await fork.settled()).toMatchObject({ status: 'done', text: 'Done.' })
  expect((await store.record(child)).status).toBe('waiting')
})

test("AGT-05 CKP-08 an answer or a cancel in a fork does not reach the original's child", async () => {
  for (const how of ['respond', 'cancel'] as const) {
    const { store, agent, fork, child } = await forked()
    const receipt = await (how === 'cancel' ? fork.cancel() : fork.respond(undefined, 'It was paid.'))
    expect(receipt.answer).toBe('applied')
    expect((await fork.settled()).status).toBe('done')
    await agent.close({ drainMs: 1000 })
    expect((await store.record(child)).status).toBe('waiting')
  }
})
