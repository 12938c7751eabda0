import { expect, test } from 'vitest'
import { type Agent, checkRuns, createAgent, type Store, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { createWorker } from '../../../src/core/workers/worker.ts'
import { calling } from './background-desk.ts'

const pay = tool({ name: 'pay', description: 'Pays.', input: {}, needs: 'approval', execute: () => 'Paid.' })

/** Three levels, the lowest of which asks. Without a helper, as a later program has them. */
function team(store: Store, hasHelper = true): Agent {
  const helper = createAgent({ name: 'helper', model: scripted([calling('p', 'pay'), 'Paid.']), tools: [pay] })
  const clerk = createAgent({ name: 'clerk', model: scripted(['Filed.']) })
  const middle = createAgent({
    name: 'middle',
    model: scripted([calling('h', 'helper', { prompt: 'Pay.' }), 'It is paid.']),
    tools: [hasHelper ? helper.asTool({ description: 'Helps.' }) : clerk.asTool({ description: 'Files.' })],
  })
  const model = scripted([calling('m', 'middle', { prompt: 'Pay.' }), 'Done.'])
  return createAgent({ name: 'boss', store, model, tools: [middle.asTool({ description: 'Has it paid.' })] })
}

test('AGT-05 VER-01 checkRuns checks the members of a family, and names those whose agent is unknown here', async () => {
  const store = memoryStore()
  await team(store).run('Go.', { runId: 'r1' })
  expect(await checkRuns(store, team(store))).toEqual({ checked: 3, problems: [] })
  const { checked, problems } = await checkRuns(store, team(store, false))
  expect(checked).toBe(3)
  expect(problems.map(({ runId, status, code }) => [runId, status, code])).toEqual([
    ['r1.6.sub.1', 'waiting', 'tool_missing'],
    ['r1.6.sub.1.6.sub.1', 'waiting', 'agent_unknown'],
  ])
  expect(problems[1]?.message).toBe('The agent "boss/middle/helper" is unknown here.')
})

test('AGT-05 a worker leaves a member alone whose agent it does not know, and one that knows it drives the family', async () => {
  const store = memoryStore()
  await team(store).run('Go.', { runId: 'r1' })
  const whole = team(store)
  expect((await (await whole.load('r1')).approve()).answer).toBe('applied')
  const runs = async () => (await store.list({})).map((run) => ('status' in run ? [run.agent, run.status] : []))
  const waiting = ['boss/middle/helper', 'boss/middle', 'boss'].map((agent) => [agent, 'waiting'])
  const stranger = createWorker({ agents: [createAgent({ name: 'other', store, model: scripted(['No.']) })], store })
  await stranger.drain()
  expect(await runs()).toEqual(waiting)
  const worker = createWorker({ agents: [whole], store })
  expect(await (await whole.load('r1')).settled({ follow: true })).toMatchObject({ status: 'done', text: 'Done.' })
  await worker.drain()
  expect(await runs()).toEqual(waiting.map(([agent]) => [agent, 'done']))
})
