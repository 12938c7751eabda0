import { expect, test } from 'vitest'
import { call, calls } from '../../../proof/support/say.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import { readDurablePath } from '../../../src/ports.ts'

function gated() {
  const { act, done } = toolbox()
  const tools = [act('act', { needs: 'approval' })]
  return { ...testAgent({ replies: [calls(call('c1', 'act')), 'Done'], tools }), done }
}

test('DEC-06 RUN-04 refuses an answer to a call that does not wait, and the run continues', async () => {
  const { agent, store, clock, done } = gated()
  const run = agent.start('Hi', { runId })
  expect(await run.settled()).toMatchObject({ status: 'waiting' })
  const item = { kind: 'serviceAnswer' as const, body: { answer: 1 } }
  expect(await store.post(runId, item, clock.now())).toMatchObject({ answer: 'refused' })
  expect(await run.settled()).toMatchObject({ status: 'waiting' })
  await run.approve()
  expect(await run.settled()).toMatchObject({ status: 'done', text: 'Done' })
  expect(done).toEqual(['act {}'])
  expect(await store.inbox(runId, { isOpen: true })).toEqual([])
})

test('RUN-05 CKP-02 __run returns the code of a run that was stopped', async () => {
  const { act } = toolbox()
  const { agent, store, clock } = testAgent({
    replies: () => calls(call('c1', 'act')),
    tools: [act()],
    limits: { maxTurns: 1 },
  })
  await agent.run('Hi', { runId })
  expect(await readDurablePath(store, runId, '__run')).toEqual({
    id: runId,
    status: 'done',
    done_reason: 'stopped',
    code: 'max_turns',
    updated_at: clock.now(),
  })
})
