import { expect, test } from 'vitest'
import { resultsOf, transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls, say } from '../../proof/support/say.ts'
import { toolbox, toolNamed } from '../../proof/support/tools.ts'
import { runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import type { Run } from '../../src/index.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import type { Store } from '../../src/core/ports/store.ts'

/** Runs an agent whose tool `say` says things to its own run; what is said is stored before the tool answers. */
function talking(options: TestAgentOptions) {
  let run: Run | undefined
  const says = toolNamed('says', async (input) => {
    const { steer = [], followUp = [] } = input as { readonly steer?: string[]; readonly followUp?: string[] }
    for (const text of steer) await run?.steer(text)
    for (const text of followUp) await run?.followUp(text)
    return 'said'
  })
  const made = testAgent({ ...options, tools: [says, ...(options.tools ?? [])] })
  const start = async () => {
    run = made.agent.start('Hi', { runId })
    return run.settled()
  }
  return { ...made, start }
}

test('AGT-03 a sequential round skips unstarted calls, and the next turn reads the message', async () => {
  const { done, act } = toolbox()
  const { start, prompts } = talking({
    executor: 'sequential',
    tools: [act()],
    replies: [calls(call('c1', 'says', { steer: ['Stop.'] }), call('c2', 'act'), call('c3', 'act')), 'Bye'],
  })
  expect((await start()).outcome).toEqual({ reason: 'natural_end' })
  expect(done).toEqual([])
  expect(prompts[1]).toEqual([
    'user: Hi',
    'assistant: calls 1.c1 says, 1.c2 act, 1.c3 act',
    'result 1.c1: said',
    'result 1.c2 (error): Skipped due to queued user message.',
    'result 1.c3 (error): Skipped due to queued user message.',
    'user: Stop.',
  ])
})

test('AGT-03 a parallel round ends before the model reads the message', async () => {
  const { done, act } = toolbox()
  const { start, prompts } = talking({
    tools: [act()],
    replies: [calls(call('c1', 'says', { steer: ['Stop.'] }), call('c2', 'act')), 'Bye'],
  })
  await start()
  expect(done).toEqual(['act {}'])
  expect(prompts[1]?.slice(2)).toEqual(['result 1.c1: said', 'result 1.c2: act done', 'user: Stop.'])
})

test('AGT-03 skips the batches after the running one', async () => {
  const { done, act } = toolbox()
  const { start } = talking({
    executor: { batch: 2 },
    tools: [act()],
    replies: [
      calls(call('c1', 'act', { n: 1 }), call('c2', 'says', { steer: ['Stop.'] }), call('c3', 'act', { n: 3 })),
      'Bye',
    ],
  })
  await start()
  expect(done).toEqual(['act {"n":1}'])
})

test.each<['one' | 'all', readonly (readonly string[])[]]>([
  ['one', [['user: a'], ['user: b'], ['user: c']]],
  ['all', [['user: a', 'user: b'], ['user: c']]],
])('AGT-03 reads %s at a time, and follow-ups once the run would end', async (mode, heard) => {
  const { start, prompts } = talking({
    queueModes: { steer: mode, followUp: mode },
    replies: [calls(call('c1', 'says', { followUp: ['c'], steer: ['a', 'b'] })), '1', '2', '3'],
  })
  await start()
  const added = prompts.slice(1).map((prompt) => {
    const behind = prompt.findLastIndex((line) => line.startsWith('assistant') || line.startsWith('result'))
    return prompt.slice(behind + 1)
  })
  expect(added).toEqual(heard)
})

test('AGT-03 a message for a waiting run is kept and delivered when none of its calls is suspended', async () => {
  const { ask } = toolbox()
  const { agent, store, prompts } = testAgent({ replies: [calls(call('c1', 'ask')), 'Bye'], tools: [ask()] })
  const run = agent.start('Hi', { runId })
  expect((await run.settled()).status).toBe('waiting')
  await run.steer('Be brief.')
  expect((await run.settled()).status).toBe('waiting')
  expect(prompts).toHaveLength(1)
  await run.approve()
  await run.settled()
  expect(prompts[1]?.slice(2)).toEqual(['result 1.c1: ask heard resume', 'user: Be brief.'])
  expect(await transcriptOf(store, runId)).toContain('user: Be brief.')
})

test.for(['stepStart', 'beforeModel', 'beforeTurn'] as const)(
  'AGT-03 the next turn reads a message sent while %s is running',
  async (place) => {
    let said = 0
    const sayOnce = async () => {
      if (said++ === 0) await run.steer('Wait.')
    }
    const { agent, prompts } = testAgent({
      replies: ['All done.', 'Bye'],
      ...(place === 'beforeTurn'
        ? { plugins: [{ name: 'hooks', beforeTurn: sayOnce }] }
        : { plugins: [{ name: 'talking', [place]: sayOnce }] }),
    })
    const run = agent.start('Hi', { runId })
    expect((await run.settled()).outcome).toEqual({ reason: 'natural_end' })
    expect(prompts).toEqual([['user: Hi'], ['user: Hi', 'assistant: All done.', 'user: Wait.']])
  },
)

test('AGT-03 the model reads steering before suspended calls keep a run from its natural end', async () => {
  const { done, act } = toolbox()
  const { start, prompts } = talking({
    tools: [act('gated', { needs: 'approval' })],
    replies: [calls(call('c1', 'gated'), call('c2', 'says', { followUp: ['And then?'] })), 'I wait.', 'Nothing more.'],
  })
  expect(await start()).toMatchObject({ status: 'waiting' })
  expect(prompts.at(-1)?.slice(-2)).toEqual(['assistant: I wait.', 'user: And then?'])
  expect(done).toEqual([])
})

test.each<[string, TestAgentOptions, object, boolean]>([
  ['a limit', { limits: { maxTurns: 1 } }, { reason: 'stopped', code: 'max_turns' }, true],
  [
    'a plugin that has had enough',
    { plugins: [{ name: 'p', afterModel: ({ turn, terminate }) => (turn === 2 ? terminate() : undefined) }] },
    { reason: 'natural_end' },
    false,
  ],
])('AGT-03 lists the unread messages of a run that ended: %s', async (_, options, outcome, isUndelivered) => {
  const { start } = talking({ ...options, replies: [calls(call('c1', 'says', { followUp: ['More.'] })), '2', '3'] })
  const result = await start()
  expect(result.outcome).toEqual(outcome)
  expect(result.undelivered?.map(say)).toEqual(isUndelivered ? ['user: More.'] : undefined)
})

/** A store in which somebody says something just before the end of the run is written. */
function intruded(interrupt: () => Promise<unknown>): Store {
  const inner = memoryStore()
  let isSaid = false
  return {
    ...inner,
    async commit(commit) {
      if (commit.status === 'done' && !isSaid) {
        isSaid = true
        await interrupt()
      }
      return inner.commit(commit)
    },
  }
}

test.each<[string, TestAgentOptions, number]>([
  ['an answer', { replies: ['1', '2'] }, 2],
  ['a plugin', { replies: ['1', '2'], plugins: [{ name: 'p', runEnd: () => undefined }] }, 2],
])(
  'AGT-03 reads a message sent while its end is written, and pays for no answer twice: %s',
  async (_, options, count) => {
    const store: Store = intruded(async () => (await agent.load(runId)).followUp('One more.'))
    const { agent, prompts } = testAgent({ ...options, store })
    const run = agent.start('Hi', { runId })
    expect((await run.settled()).outcome).toEqual({ reason: 'natural_end' })
    expect(prompts).toHaveLength(count)
    expect(await transcriptOf(store, runId)).toEqual(['user: Hi', 'assistant: 1', 'user: One more.', 'assistant: 2'])
  },
)

test.each(['steer', 'followUp', 'append'] as const)(
  'AGT-03 loses no message sent after the end is emitted and afterRun was called: %s',
  async (how) => {
    const store: Store = intruded(async () => {
      const run = await agent.load(runId)
      await (how === 'append' ? run.append('note', 'Seen.') : run[how]('Too late.'))
    })
    const { agent } = testAgent({ store, replies: ['1'], plugins: [{ name: 'hooks', afterRun: () => undefined }] })
    const result = await agent.start('Hi', { runId }).settled()
    expect(result.outcome).toEqual({ reason: 'natural_end' })
    expect(result.undelivered?.map(say)).toEqual(how === 'append' ? undefined : ['user: Too late.'])
    const roles = result.messages.map(({ role }) => role)
    expect(roles).toEqual(['user', 'assistant', ...(how === 'append' ? ['extension'] : [])])
    expect(await store.inbox(runId, { isOpen: true })).toEqual([])
  },
)

test('AGT-03 an end at a limit keeps the result of the paid tool, and lists messages sent meanwhile', async () => {
  const { done, act } = toolbox()
  const store: Store = intruded(async () => (await agent.load(runId)).steer('Too late.'))
  const { agent } = testAgent({ store, replies: [calls(call('c1', 'act'))], tools: [act()], limits: { maxTurns: 1 } })
  const run = agent.start('Hi', { runId })
  const result = await run.settled()
  expect(result.outcome).toEqual({ reason: 'stopped', code: 'max_turns' })
  expect(result.undelivered?.map(say)).toEqual(['user: Too late.'])
  expect(done).toEqual(['act {}'])
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'act done' })
})

test('AGT-03 refuses messages to an ended or unknown run', async () => {
  const { agent } = testAgent({ replies: ['Bye'] })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  for (const said of [() => run.steer('More'), () => run.followUp('More')]) {
    expect(await said()).toEqual({
      target: runId,
      answer: 'stale',
      message: expect.stringMatching(/prompt\(\).*start\(\)/),
    })
  }
  await expect(run.steer(' ')).rejects.toMatchObject({ code: 'bad_prompt' })
  await expect(agent.load('nobody')).rejects.toMatchObject({ code: 'run_unknown' })
})

test('AGT-03 RUN-07 a round is over once every skipped call has settled, even if the last was cancelled before', async () => {
  const { done, act } = toolbox()
  const says = toolNamed('says', async () => {
    const own: Run = await agent.load(runId)
    await own.cancelCall('1.c3')
    await own.steer('Stop.')
    return 'said'
  })
  const { agent, prompts } = testAgent({
    executor: 'sequential',
    tools: [act(), says],
    replies: [calls(call('c1', 'says'), call('c2', 'act'), call('c3', 'act')), 'Bye', 'Once too often'],
  })
  expect((await agent.start('Hi', { runId }).settled()).text).toBe('Bye')
  expect(done).toEqual([])
  expect(prompts).toHaveLength(2)
})

test.each<[string, TestAgentOptions, (run: Run) => Promise<unknown>, object]>([
  ['a cancel', { replies: [calls(call('c1', 'ask'))] }, (run) => run.cancel(), { reason: 'cancelled' }],
  [
    'an answer that ends the run',
    {
      replies: [{ error: { kind: 'network', message: 'No route to host' } }],
      onModelFailure: 'wait',
      retry: { maxRetries: 0 },
    },
    (run) => run.deny(),
    { reason: 'stopped', code: 'model_unavailable' },
  ],
])('AGT-03 lists the messages sent to a waiting run after %s', async (_, options, end, outcome) => {
  const { agent } = testAgent({ tools: [toolbox().ask()], ...options })
  const run = agent.start('Hi', { runId })
  expect((await run.settled()).status).toBe('waiting')
  await end(run)
  await run.steer('Unheard.')
  await run.followUp('Unheard too.')
  const result = await run.settled()
  expect(result.outcome).toEqual(outcome)
  expect(result.undelivered?.map(say)).toEqual(['user: Unheard.', 'user: Unheard too.'])
})
