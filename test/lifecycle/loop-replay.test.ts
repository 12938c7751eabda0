import { expect, test } from 'vitest'
import { checkpointsOf, statusesOf, transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { heldReply, quiet, runId, testAgent } from '../../proof/support/test-agent.ts'

const mixed = calls(call('c1', 'gated'), call('c2', 'look'))

test.each(['immediate', 'gate'] as const)(
  'CKP-01 DEC-04 a replay inside the loop writes its own checkpoint, decided %s',
  async (decisions) => {
    const { done, act } = toolbox()
    const second = heldReply()
    const { agent, store, prompts } = testAgent({
      decisions,
      replies: [mixed, second.reply, 'Bye'],
      tools: [act('gated', { needs: 'approval' }), act('look')],
    })
    const run = agent.start('Hi', { runId })
    const end = run.settled()
    await second.asked
    await run.approve('1.c1')
    await quiet()
    second.give('Still busy.')

    expect(await end).toMatchObject({ status: 'done', text: 'Bye' })
    expect(done).toEqual(['look {}', 'gated {}'])
    expect(prompts).toHaveLength(3)
    expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'succeeded', '1.c2': 'succeeded' })
    const names = (await checkpointsOf(store, runId)).flatMap((joined) => joined.split('+'))
    expect(names).toEqual([
      'UserMessage',
      'AssistantTurnCommitted',
      'ToolResultsCommitted',
      'AssistantTurnCommitted',
      'ToolResultsCommitted',
      'AssistantTurnCommitted',
      'RunFinished',
    ])
    expect(prompts[1]).toContain("result 1.c1: Tool 'gated' is awaiting approval. Execution paused.")
    expect(prompts[2]).toEqual([
      'user: Hi',
      'assistant: calls 1.c1 gated, 1.c2 look',
      'result 1.c1: gated done',
      'result 1.c2: look done',
      'assistant: Still busy.',
      "user: [Tool 'gated' finished: its result is now above.]",
    ])
    expect((await transcriptOf(store, runId)).slice(4)).toEqual([
      'assistant: Still busy.',
      'late result 1.c1: gated done',
      "user: [Tool 'gated' finished: its result is now above.]",
      'assistant: Bye',
    ])
  },
)

test('CKP-01 a gate that replays nothing writes no results checkpoint', async () => {
  const { act } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'look')), 'Bye'],
    tools: [act('look')],
  })
  await agent.run('Hi', { runId })
  const names = (await checkpointsOf(store, runId)).flatMap((joined) => joined.split('+'))
  expect(names).toEqual([
    'UserMessage',
    'AssistantTurnCommitted',
    'ToolResultsCommitted',
    'AssistantTurnCommitted',
    'RunFinished',
  ])
})
