import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, type Store, tool } from '../../../src/index.ts'
import { deleteRun } from '../../../src/ports.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

const call = (id: string, name: string, given: object) => ({ toolCalls: [{ id, name, arguments: given as never }] })

/** Three levels. The lowest member asks; `paid` counts its payments. */
function team(store: Store, paid: string[] = []) {
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({}),
    needs: 'approval',
    execute: (_, { runId }) => `${paid.push(runId)}`,
  })
  const helper = createAgent({ name: 'helper', model: scripted([call('p', 'pay', {}), 'Paid.']), tools: [pay] })
  const middle = createAgent({
    name: 'middle',
    model: scripted([call('h', 'helper', { prompt: 'Pay.' }), 'Middle.']),
    tools: [helper.asTool({ description: 'Helps.' })],
  })
  const model = scripted([call('m', 'middle', { prompt: 'Pay.' }), 'Done.'])
  return createAgent({ name: 'boss', store, model, tools: [middle.asTool({ description: 'Helps.' })] })
}

const child = 'r1.6.sub.1'
const lowest = `${child}.6.sub.1`

describe('AGT-05 addresses of members', () => {
  test.each([
    ['a member of another family', 'r2.6.sub.1.6.sub.1/1.p', 'unknown', 'Run "r1" has no member "r2.6.sub.1.6.sub.1".'],
    ['a run that is no member', 'other/1.p', 'unknown', 'Run "r1" has no member "other".'],
    ['the run itself', 'r1/1.m', 'unknown', 'Run "r1" has no member "r1".'],
    ['a member that was deleted', 'r3.6.sub.1/1.h', 'unknown', 'Run "r1" has no member "r3.6.sub.1".'],
    ['a run that never was', 'gone/1.p', 'unknown', 'Run "r1" has no member "gone".'],
    ['a path out of the family', `${child}/r2.6.sub.1/1.h`, 'unknown', `Run "${child}" has no member "r2.6.sub.1".`],
    ['a path upwards', '../r2/1.p', 'unknown', 'Run "r1" has no member "..".'],
    ['a path without a run', '/1.p', 'unknown', 'Run "r1" has no member "".'],
    ['a path without a call', `${lowest}/`, 'unknown', 'Suspended calls: 1.p.'],
    ['a slash alone', '/', 'unknown', 'Run "r1" has no member "".'],
    [
      'a call that waits for a child',
      `${child}/1.h`,
      'refused',
      `Answer the calls of run "${lowest}": ${lowest}/<call>.`,
    ],
  ])('AGT-05 DEC-03 an answer for %s changes nothing, and says why', async (_, target, answer, why) => {
    const store = memoryStore()
    const paid: string[] = []
    const agent = team(store, paid)
    for (const runId of ['r1', 'r2', 'r3']) await agent.run('Go.', { runId })
    await createAgent({ name: 'other', model: scripted('Hi.'), store }).run('Go.', { runId: 'other' })
    await deleteRun(store, 'r3', { cancel: true })
    const run = await agent.load('r1')
    const [receipt] = await run.decide([{ target, action: 'resume' }])
    expect(receipt).toMatchObject({ answer, message: expect.stringContaining(why) })
    expect([paid, (await run.settled()).status, (await store.record('r2')).status]).toEqual([[], 'waiting', 'waiting'])
    // The address is split at its first slash, at each level again.
    expect((await run.approve(`${child}/${lowest}/1.p`)).answer).toBe('applied')
    expect([(await run.settled()).status, paid]).toEqual(['done', [lowest]])
  })

  test('AGT-05 DEC-06 an answer that is given at two levels counts once, and one for a member that has ended not at all', async () => {
    const store = memoryStore()
    const paid: string[] = []
    const agent = team(store, paid)
    await agent.run('Go.', { runId: 'r1' })
    const [root, middle] = [await agent.load('r1'), await agent.load(child)]
    const given = [await root.approve(`${lowest}/1.p`), await middle.approve(`${lowest}/1.p`)]
    expect(given.map(({ answer }) => answer)).toEqual(['applied', 'duplicate'])
    expect((await middle.deny(`${lowest}/1.p`)).answer).toBe('stale')
    expect((await root.settled()).status).toBe('done')
    expect((await root.deny(`${lowest}/1.p`)).answer).toBe('stale')
    expect(paid).toEqual([lowest])
  })

  test('AGT-05 a call whose child would get the id of another run fails, and that run is unchanged', async () => {
    const store = memoryStore()
    await createAgent({ name: 'other', model: scripted('Hi.'), store }).run('Pay.', { runId: child })
    const { status, messages } = await team(store).run('Go.', { runId: 'r1' })
    const result = messages.find(({ role }) => role === 'toolResult')
    expect([status, result]).toMatchObject(['done', { isError: true }])
    expect(await store.record(child)).toMatchObject({ agent: 'other', status: 'done' })
  })
})
