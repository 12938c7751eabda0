import { expect, test } from 'vitest'
import { readDurablePath } from '../../src/ports.ts'
import type { Run } from '../../src/index.ts'
import { checkpointsOf, resultsOf, statusesOf, transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox, toolNamed } from '../../proof/support/tools.ts'
import { runId, testAgent } from '../../proof/support/test-agent.ts'

test('RUN-03 CKP-01 RUN-05 waits when the only call is suspended at the gate (S1)', async () => {
  const { done, act } = toolbox()
  const { agent, store, prompts } = testAgent({
    replies: [calls(call('c1', 'act'))],
    tools: [act('act', { needs: 'approval' })],
  })

  const result = await agent.run('Hi', { runId })

  expect(result).toMatchObject({ runId, status: 'waiting', outcome: { reason: 'suspended' }, text: '' })
  expect(result.suspended.map(({ callId, suspension }) => [callId, suspension])).toEqual([
    ['1.c1', { id: 'sus_p1_1', reason: 'approval', definition: expect.any(String) }],
  ])
  expect(prompts).toEqual([['user: Hi']])
  expect(done).toEqual([])
  expect(await checkpointsOf(store, runId)).toEqual([
    'UserMessage',
    'AssistantTurnCommitted+ToolResultsCommitted+RunFinished',
  ])
  expect(await store.record(runId)).toMatchObject({ id: runId, status: 'waiting', doneReason: 'suspended' })
  expect(await transcriptOf(store, runId)).toEqual([
    'user: Hi',
    'assistant: calls 1.c1 act',
    '1.c1 suspended, no result',
  ])
})

test('DEC-03 a resumed tool gets the answered suspension, including its question', async () => {
  const ask = toolNamed('ask', (_, { suspend, suspension }) =>
    suspension === undefined ? suspend({ message: 'Sure?', parameters: { page: 7 } }) : JSON.stringify(suspension),
  )
  const { agent, store } = testAgent({ replies: [calls(call('c1', 'ask')), 'Bye'], tools: [ask] })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  await run.approve()
  await run.settled()
  const told = { reason: 'input', message: 'Sure?', parameters: { page: 7 }, id: 'sus_p1_1' }
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': JSON.stringify(told) })
})

test('CKP-02 DEC-05 returns the whole suspended call with its latest arguments, from a drive and from the store', async () => {
  const { askAgain } = toolbox()
  const replies = [calls(call('c1', 'ask', { n: 1 })), 'Bye']
  const { agent, store } = testAgent({ replies, tools: [askAgain('ask', 2)] })
  const record = {
    callId: '1.c1',
    toolCallId: 'c1',
    toolName: 'ask',
    resumeMode: 'replay',
    status: 'suspended',
    seq: 6,
    messageSeq: 5,
  }
  const asked = {
    ...record,
    revision: 0,
    arguments: { n: 1 },
    suspension: { id: 'sus_p1_1', reason: 'input', message: 'question 1' },
  }
  expect((await agent.run('Hi', { runId })).suspended).toEqual([asked])
  const run = await agent.load(runId)
  expect((await run.result()).suspended).toEqual([asked])
  await run.edit(undefined, { n: 2 })
  const edited = {
    ...record,
    revision: 1,
    arguments: { n: 2 },
    editedArguments: { n: 2 },
    suspension: { id: 'sus_p1_2', reason: 'input', message: 'question 2' },
  }

  expect((await run.settled()).suspended).toEqual([edited])
  expect((await run.result()).suspended).toEqual([edited])
  expect(await readDurablePath(store, runId, '__suspended_tool_calls')).toEqual({ '1.c1': edited })
})

test.for([
  ['approved', (run) => run.approve(), ['act {"n":1}'], 'act done', 'succeeded'],
  [
    'edited',
    (run) => run.edit(undefined, { n: 2 }),
    ['act {"n":2}'],
    '[A person changed the arguments of this call to: {"n":2}] | act done',
    'succeeded',
  ],
  ['answered', (run) => run.respond(undefined, 'taken'), [], 'taken', 'succeeded'],
  ['denied', (run) => run.deny(), [], 'User denied the action', 'cancelled'],
  ['denied for a reason', (run) => run.deny(undefined, { reason: 'Too dear' }), [], 'Too dear', 'cancelled'],
  ['cancelled as a call', (run) => run.cancelCall('1.c1'), [], 'User cancelled the action', 'cancelled'],
  ['cancelled as a call for a reason', (run) => run.cancelCall('1.c1', 'Stop'), [], 'Stop', 'cancelled'],
] satisfies readonly [string, (run: Run) => Promise<unknown>, string[], string, string][])(
  'DEC-01 DEC-03 RUN-04 finishes a suspended call that is %s, with one result (S5, S8)',
  async ([, answer, executed, result, status]) => {
    const { done, act } = toolbox()
    const replies = [calls(call('c1', 'act', { n: 1 })), 'Bye']
    const { agent, store, prompts } = testAgent({ replies, tools: [act('act', { needs: 'approval' })] })
    await agent.run('Hi', { runId })
    const run = await agent.load(runId)

    await answer(run)
    const end = await run.settled()

    expect(end).toMatchObject({ status: 'done', outcome: { reason: 'natural_end' }, text: 'Bye', suspended: [] })
    expect(done).toEqual(executed)
    expect(await statusesOf(store, runId)).toEqual({ '1.c1': status })
    expect(await resultsOf(store, runId)).toEqual({ '1.c1': result })
    const mark = status === 'succeeded' ? '' : ' (error)'
    expect(prompts[1]).toEqual(['user: Hi', 'assistant: calls 1.c1 act', `result 1.c1${mark}: ${result}`])
  },
)
