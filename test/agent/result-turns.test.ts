import { expect, test } from 'vitest'
import { call, calls } from '../../proof/support/say.ts'
import { runId, testAgent } from '../../proof/support/test-agent.ts'
import { toolbox } from '../../proof/support/tools.ts'

const replies = [calls(call('a', 'act')), calls(call('b', 'act')), 'Done.', 'Again.']

test('AGT-09 a result tells the turns of its run, and how many of the model calls it was granted are used', async () => {
  const { act } = toolbox()
  const { agent } = testAgent({ replies, tools: [act()], limits: { maxToolInteractions: 7 } })
  const run = agent.start('Go', { runId })
  expect(await run.settled()).toMatchObject({ turns: 3, toolInteractions: { current: 3, max: 7 } })
  expect(await (await agent.load(runId)).result()).toMatchObject({ turns: 3, toolInteractions: { current: 3, max: 7 } })
  const next = await run.prompt('And now?', { quota: 2 })
  expect(await next.settled()).toMatchObject({ turns: 1, toolInteractions: { current: 1, max: 2 } })
})

test.each([{ limits: false }, {}] as const)('AGT-09 with %j nobody has limited the model calls', async (options) => {
  const { agent } = testAgent({ replies: ['Done.'], ...options })
  expect((await agent.run('Go')).toolInteractions).toEqual({ current: 1 })
})
