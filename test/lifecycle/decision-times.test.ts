import { expect, test } from 'vitest'
import type { Run } from '../../src/index.ts'
import { statusesOf, transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { heldTool, toolbox } from '../../proof/support/tools.ts'
import { eventsOf, heldReply, quiet, runId, testAgent } from '../../proof/support/test-agent.ts'

const modes = ['immediate', 'gate'] as const

interface Told {
  readonly transcript: readonly string[]
  readonly prompts: readonly (readonly string[])[]
  /** The call's state while the model or the tool still was at it. */
  readonly during: string | undefined
}

/** A call suspends in turn 1; the decision comes while the model answers in turn 2. */
async function duringStream(decisions: (typeof modes)[number], decide: (run: Run) => Promise<unknown>): Promise<Told> {
  const { act } = toolbox()
  const second = heldReply()
  const built = testAgent({
    decisions,
    replies: [calls(call('c1', 'act'), call('c2', 'gated')), second.reply, 'Bye'],
    tools: [act(), act('gated', { needs: 'approval' })],
  })
  const run = built.agent.start('Hi', { runId })
  const end = run.settled()
  await second.asked
  await decide(run)
  await quiet()
  const during = (await statusesOf(built.store, runId))['1.c2']
  second.give('Still there')
  expect((await end).text).toBe('Bye')
  return { during, transcript: await transcriptOf(built.store, runId), prompts: built.prompts }
}

/** The decision comes while a tool of turn 2 runs. */
async function duringRound(decisions: (typeof modes)[number], decide: (run: Run) => Promise<unknown>): Promise<Told> {
  const { act } = toolbox()
  const held = heldTool()
  const built = testAgent({
    decisions,
    replies: [calls(call('c1', 'act'), call('c2', 'gated')), calls(call('c3', 'held')), 'Bye'],
    tools: [act(), act('gated', { needs: 'approval' }), held.tool],
  })
  const run = built.agent.start('Hi', { runId })
  const end = run.settled()
  await held.begins('2.c3')
  await decide(run)
  await quiet()
  const during = (await statusesOf(built.store, runId))['1.c2']
  held.finish('2.c3')
  expect((await end).text).toBe('Bye')
  return { during, transcript: await transcriptOf(built.store, runId), prompts: built.prompts }
}

const answers = [
  ['an approval', (run: Run) => run.approve('1.c2'), 'succeeded'],
  ['a denial', (run: Run) => run.deny('1.c2', { reason: 'No' }), 'cancelled'],
  ['a result', (run: Run) => run.respond('1.c2', 'given'), 'succeeded'],
] as const

test.for(answers)(
  'RUN-08 DEC-04 gives the same transcript in both modes: %s during the stream (S12)',
  async ([, decide, status]) => {
    const [atOnce, atGate] = await Promise.all(modes.map((mode) => duringStream(mode, decide)))
    expect(atOnce?.during).toBe(status)
    expect(atGate).toEqual({ ...atOnce, during: 'suspended' })
    expect(atOnce?.prompts.length).toBe(3)
  },
)

test.for(answers)(
  'RUN-08 DEC-04 gives the same transcript in both modes: %s during a round',
  async ([, decide, status]) => {
    const [atOnce, atGate] = await Promise.all(modes.map((mode) => duringRound(mode, decide)))
    expect(atOnce?.during).toBe(status)
    expect(atGate).toEqual({ ...atOnce, during: 'suspended' })
  },
)

test.for(modes)('RUN-08 runs the same, watched or awaited (%s)', async (decisions) => {
  const transcripts: (readonly string[])[] = []
  for (const how of ['settled', 'iterated']) {
    const { act, fail } = toolbox()
    const { agent, store } = testAgent({
      decisions,
      replies: [calls(call('c1', 'act'), call('c2', 'fail')), calls(call('c3', 'gated')), 'Bye'],
      tools: [act(), fail(), act('gated', { needs: 'approval' })],
    })
    const drive = (run: Run) => (how === 'settled' ? run.settled() : eventsOf(run))
    await drive(agent.start('Hi', { runId }))
    const run = await agent.load(runId)
    await run.approve()
    await drive(run)
    transcripts.push(await transcriptOf(store, runId))
  }
  expect(transcripts[0]).toEqual(transcripts[1])
})

test('DEC-04 applies a decision during another replay, and asks the model once after both', async () => {
  const held = heldTool('held', { needs: 'approval' })
  const { agent, prompts } = testAgent({
    replies: [calls(call('c1', 'held'), call('c2', 'held')), 'Bye'],
    tools: [held.tool],
  })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  await run.approve('1.c1')
  const end = run.settled()
  await held.begins('1.c1')
  await run.approve('1.c2')
  await held.begins('1.c2')
  held.finish('1.c2')
  await quiet()
  expect(prompts.length).toBe(1)
  held.finish('1.c1')

  expect((await end).text).toBe('Bye')
  expect(prompts[1]?.slice(2)).toEqual(['result 1.c1: held done', 'result 1.c2: held done'])
})

test('DEC-04 RUN-04 loses no decision that arrives just as the run begins to rest', async () => {
  const { act } = toolbox()
  const { agent, prompts } = testAgent({
    replies: [calls(call('c1', 'gated')), 'Bye'],
    tools: [act('gated', { needs: 'approval' })],
    plugins: [{ name: 'late', runEnd: async ({ turn }) => void (turn === 1 && (await run.approve('1.c1'))) }],
  })
  const run = agent.start('Hi', { runId })

  expect((await run.settled()).text).toBe('Bye')
  expect(prompts.length).toBe(2)
})

test('DEC-04 RUN-04 applies a decision sent days later while the waiting run has no driver', async () => {
  const { done, act } = toolbox()
  const { agent, clock } = testAgent({
    replies: [calls(call('c1', 'gated')), 'Bye'],
    tools: [act('gated', { needs: 'approval' })],
  })
  await agent.run('Hi', { runId })
  clock.advance(5 * 86_400_000)
  await (await agent.load(runId)).approve()
  clock.advance(86_400_000)
  const events = await eventsOf(await agent.load(runId))

  expect(done).toEqual(['gated {}'])
  const types = events.map(({ type }) => type)
  expect([...types.slice(0, 2), types.at(-1)]).toEqual(['call.decided', 'run.resumed', 'run.ended'])
  expect(types).not.toContain('run.started')
})

test('DEC-02 RUN-02 replays and commits before the model is asked, with the late result in its place', async () => {
  const held = heldTool('held', { needs: 'approval' })
  const { act } = toolbox()
  const { agent, prompts } = testAgent({
    decisions: 'gate',
    replies: [calls(call('c1', 'act'), call('c2', 'held')), calls(call('c3', 'deciding')), 'Bye'],
    tools: [act(), held.tool, act('deciding')],
    plugins: [
      {
        name: 'decider',
        reviewCall: async ({ call: { callId } }) => void (callId === '2.c3' && (await run.approve('1.c2'))),
      },
    ],
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await held.begins('1.c2')
  await quiet()
  expect(prompts.length).toBe(2)
  held.finish('1.c2', 'late')

  expect((await end).text).toBe('Bye')
  expect(prompts[2]).toEqual([
    'user: Hi',
    'assistant: calls 1.c1 act, 1.c2 held',
    'result 1.c1: act done',
    'result 1.c2: late',
    'assistant: calls 2.c3 deciding',
    'result 2.c3: deciding done',
    "user: [Tool 'held' finished: its result is now above.]",
  ])
})

test('DEC-05 RUN-08 keeps a placeholder while its call suspends again during the run', async () => {
  const { act, askAgain } = toolbox()
  const second = heldReply()
  const { agent, prompts } = testAgent({
    replies: [calls(call('c1', 'act'), call('c2', 'ask')), second.reply, 'Bye'],
    tools: [act(), askAgain('ask', 2)],
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await second.asked
  await run.approve('1.c2')
  await quiet()
  second.give('Still there')
  expect((await end).suspended.map(({ suspension }) => suspension?.message)).toEqual(['question 2'])
  await run.approve('1.c2')

  expect((await run.settled()).text).toBe('Bye')
  expect(prompts[2]?.slice(2)).toEqual([
    'result 1.c1: act done',
    'result 1.c2: ask heard enough',
    'assistant: Still there',
    "user: [Tool 'ask' finished: its result is now above.]",
  ])
})
