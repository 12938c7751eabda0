import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, calls } from '../../proof/support/say.ts'
import { runId, testAgent } from '../../proof/support/test-agent.ts'
import { toolbox } from '../../proof/support/tools.ts'

test('RUN-07 reports the result of a cancel, and stores only one until it is processed', async () => {
  const { act } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'gated')), 'Bye'],
    tools: [act('gated', { needs: 'approval' })],
  })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  expect(await run.cancel('Enough')).toEqual({ target: runId, answer: 'applied' })
  expect(await run.cancel()).toEqual({
    target: runId,
    answer: 'duplicate',
    message: 'A cancel of run "run-1" is stored already and not carried out yet.',
  })
  expect((await store.inbox(runId, { isOpen: true })).map(({ item }) => item)).toEqual([
    { kind: 'cancel', reason: 'Enough' },
  ])
  await run.settled()

  const stale = { target: runId, answer: 'stale', message: 'Run "run-1" has ended.' }
  expect(await run.cancel()).toEqual(stale)
  expect(await (await agent.load(runId)).cancel('Again')).toEqual(stale)
  expect(await store.inbox(runId, { isOpen: true })).toEqual([])
  await store.delete(runId)
  await expect(run.cancel()).rejects.toMatchObject({ code: 'run_unknown' })
})

test.each([{}, { n: 'many' }])(
  'DEC-06 DEC-09 an answer %j to a call whose cancel is stored is stale, and the call stays cancelled',
  async (input) => {
    const { act, done } = toolbox()
    const { agent, store } = testAgent({
      replies: [calls(call('c1', 'gated', { n: 1 })), 'Bye'],
      tools: [act('gated', { needs: 'approval', input: z.object({ n: z.number().default(1) }) })],
    })
    await agent.run('Hi', { runId })
    const run = await agent.load(runId)
    expect(await run.cancelCall('1.c1')).toEqual({ target: '1.c1', answer: 'applied' })
    const stale = { target: '1.c1', answer: 'stale', message: 'A cancel of call "1.c1" is stored.' }
    expect(await run.edit('1.c1', input)).toEqual(stale)
    expect(await run.deny('1.c1')).toEqual(stale)
    expect(await store.inbox(runId, { kinds: ['decision'] })).toEqual([])
    await run.settled()
    expect(done).toEqual([])
  },
)
