import { expect, test } from 'vitest'
import { call, calls } from '../../proof/support/say.ts'
import { runId, testAgent } from '../../proof/support/test-agent.ts'
import { toolbox } from '../../proof/support/tools.ts'

test('RUN-06 does not drive a run of another agent, unless it is adopted', async () => {
  const { done, act } = toolbox()
  const replies = [calls(call('c1', 'act')), 'Bye']
  const { agent, store } = testAgent({ name: 'clerk', replies, tools: [act('act', { needs: 'approval' })] })
  await agent.run('Hi', { runId })
  const other = testAgent({ name: 'cleaner', replies, store, tools: [act('act')], process: 'p2' }).agent
  const run = await other.load(runId)
  expect(await run.approve('1.c1')).toMatchObject({ answer: 'applied' })
  const refused = {
    name: 'UsageError',
    code: 'other_agent',
    message:
      'Run "run-1" belongs to the agent "clerk"; this one is "cleaner". ' +
      'Drive it with the agent "clerk", or take it over: load("run-1", { adopt: true }).',
  }
  await expect(run.settled()).rejects.toMatchObject(refused)
  const told = (async () => {
    for await (const event of run) expect(event).toBeUndefined()
  })()
  await expect(told).rejects.toMatchObject(refused)
  expect(done).toEqual([])

  const adopted = await other.load(runId, { adopt: true })
  expect(await adopted.settled()).toMatchObject({ status: 'done', text: 'Bye' })
  expect(done).toEqual(['act {}'])
  expect(await (await other.load(runId)).settled()).toMatchObject({ status: 'done' })
})
