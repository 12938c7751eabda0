import { expect, test } from 'vitest'
import { resultsOf } from '../../../proof/support/read-run.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'

const replies = [{ toolCalls: [{ id: 'c1', name: 'write', arguments: {} }] }, 'Bye']

test('TC-02 DEC-02 applies an approval gate that was added after the run began', async () => {
  const { done, act } = toolbox()
  const tools = [act('write', { needs: 'approval' })]
  const first = testAgent({ replies, tools })
  await first.agent.run('Hi', { runId })

  const guard = { name: 'guard', gateCall: () => ({ block: 'Not any more.' }) }
  const later = testAgent({ replies, tools, plugins: [guard], store: first.store, clock: first.clock, process: 'p2' })
  const run = await later.agent.load(runId)
  await run.approve()
  expect((await run.settled()).outcome).toEqual({ reason: 'natural_end' })
  expect(done).toEqual([])
  expect(await resultsOf(first.store, runId)).toEqual({ '1.c1': 'Not any more.' })
})

test('TC-02 RUN-06 answers a call whose tool no longer exists', async () => {
  const { act } = toolbox()
  const first = testAgent({ replies, tools: [act('write', { needs: 'approval' })] })
  await first.agent.run('Hi', { runId })
  const later = testAgent({ replies, store: first.store, clock: first.clock, process: 'p2' })
  const run = await later.agent.load(runId)
  await run.approve()
  expect((await run.settled()).outcome).toEqual({ reason: 'natural_end' })
  expect((await resultsOf(first.store, runId))['1.c1']).toContain('not registered any more')
})
