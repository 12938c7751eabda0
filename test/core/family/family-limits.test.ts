import { expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

const pay = tool({ name: 'pay', description: 'Pays.', input: z.object({}), needs: 'approval', execute: () => 'Paid.' })
const call = (id: string, name: string, given: object) => ({ id, name, arguments: given as never })

test('AGT-05 the child of a run with the longest id has its own short id, which stays the same', async () => {
  const store = memoryStore()
  const make = () => {
    const low = createAgent({
      name: 'low',
      model: scripted([{ toolCalls: [call('p', 'pay', {})] }, 'Low.']),
      tools: [pay],
    })
    const middle = createAgent({
      name: 'middle',
      model: scripted([{ toolCalls: [call('l', 'low', { prompt: 'Pay.' })] }, 'Middle.']),
      tools: [low.asTool({ description: 'Pays.' })],
    })
    return createAgent({
      name: 'top',
      store,
      model: scripted([{ toolCalls: [call('m', 'middle', { prompt: 'Pay.' })] }, 'Top.']),
      tools: [middle.asTool({ description: 'Pays.' })],
    })
  }
  for (const end of ['a', 'b']) {
    const runId = `${'r'.repeat(127)}${end}`
    expect(await make().run('Go.', { runId })).toMatchObject({ status: 'waiting', suspended: [{ toolName: 'pay' }] })
    const run = await make().load(runId)
    await run.approve()
    expect(await run.settled()).toMatchObject({ status: 'done', text: 'Top.' })
  }
  const ids = (await store.list({})).flatMap((one) => ('status' in one ? [one.id] : []))
  expect(new Set(ids).size).toBe(6)
  expect(Math.max(...ids.map(({ length }) => length))).toBe(128)
})

test('AGT-05 a run has at most 64 open children, of all its tools together', async () => {
  const store = memoryStore()
  const asking = (name: string) =>
    createAgent({
      name,
      model: scripted(Array.from({ length: 40 }, () => ({ toolCalls: [call('p', 'pay', {})] }))),
      tools: [pay],
    }).asTool({ description: 'Asks.' })
  const toolCalls = ['a', 'b'].flatMap((name) =>
    Array.from({ length: 33 }, (_, index) => call(`${name}${index}`, name, { prompt: 'Pay.' })),
  )
  const agent = createAgent({
    name: 'boss',
    store,
    model: scripted([{ toolCalls }, 'Done.']),
    tools: [asking('a'), asking('b')],
  })
  const { suspended } = await agent.run('Go.', { runId: 'r1' })
  expect(suspended).toHaveLength(64)
  const failed = (await store.calls('r1')).flatMap(({ record }) => (record.status === 'failed' ? [record.result] : []))
  expect(failed).toHaveLength(2)
  expect(failed[0]).toMatchObject({ content: [{ text: expect.stringContaining('at most 64 open sub-agents') }] })
})
