import { expect, test } from 'vitest'
import type { ResumeMode } from '../../src/core/domain/call.ts'
import type { Decision, Json, Plugin } from '../../src/index.ts'
import type { GateAnswer } from '../../src/core/ports/plugin.ts'
import { resultsOf, statusesOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { heldTool, toolbox } from '../../proof/support/tools.ts'
import { runId, stop, testAgent } from '../../proof/support/test-agent.ts'

interface Replay {
  readonly what: string
  readonly mode: ResumeMode
  readonly answer: Pick<Decision, 'input' | 'result'>
  readonly path: string
  readonly executed: readonly string[]
}

const safe = { path: '/safe' }
const etc = { path: '/etc' }
const home = { path: '/home' }

test.for<Replay>([
  { what: 'a plain replay', mode: 'replay', answer: {}, path: '/safe', executed: ['write {"path":"/safe"}'] },
  { what: 'an edit', mode: 'replay', answer: { input: home }, path: '/home', executed: ['write {"path":"/home"}'] },
  { what: 'an edit it blocks', mode: 'replay', answer: { input: etc }, path: '/etc', executed: [] },
  {
    what: 'a result passed to the tool',
    mode: 'pass-to-tool',
    answer: { result: home },
    path: '/home',
    executed: ['write {"path":"/home"}'],
  },
  {
    what: 'a result passed to the tool that it blocks',
    mode: 'pass-to-tool',
    answer: { result: etc },
    path: '/etc',
    executed: [],
  },
])('TC-02 DEC-03 shows the gate the arguments of $what', async ({ mode, answer, path, executed }) => {
  const { done, act } = toolbox()
  const seen: Json[] = []
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'write', safe)), 'Bye'],
    tools: [act('write', { needs: 'approval', resume: mode })],
    plugins: [
      {
        name: 'guard',
        gateCall: (context): GateAnswer => {
          seen.push(context.arguments)
          return JSON.stringify(context.arguments).includes('/etc') ? { block: 'Not there.' } : undefined
        },
      },
    ],
  })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  await run.decide([{ target: '1.c1', action: 'resume', ...answer }])

  expect((await run.settled()).text).toBe('Bye')
  expect(seen).toEqual([safe, { path }])
  expect(done).toEqual(executed)
  const isBlocked = executed.length === 0
  const isEdited = Object.keys(answer).length > 0
  const told = isEdited ? `[A person changed the arguments of this call to: ${JSON.stringify({ path })}] | ` : ''
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': isBlocked ? 'Not there.' : `${told}write done` })
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': isBlocked ? 'failed' : 'succeeded' })
})

/** A plugin that has asked nobody before the first suspension is answered, and asks from then on. */
function askingLater(): Plugin {
  return {
    name: 'permission',
    gateCall: ({ decision }) => (decision === undefined ? undefined : { suspend: { reason: 'permission' } }),
  }
}

test("TC-02 DEC-05 suspends a replay whose gate first asks after the tool's own question", async () => {
  const { done, ask } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'ask')), 'Bye'],
    tools: [ask()],
    plugins: [askingLater()],
  })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  await run.approve()
  const asked = await run.settled()

  expect(asked.suspended.map(({ suspension }) => suspension)).toEqual([
    { id: 'sus_p1_2', reason: 'permission', definition: expect.any(String) },
  ])
  expect(done).toEqual(['ask {}'])
  await run.approve()
  expect((await run.settled()).text).toBe('Bye')
  expect(done).toEqual(['ask {}', 'ask {}'])
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'succeeded' })
})

test('TC-02 DEC-05 TC-08 suspends the retry of an interrupted call if the gate asks for the first time', async () => {
  const held = heldTool('held')
  const replies = [calls(call('c1', 'held')), 'Bye']
  const { agent, store, clock } = testAgent({ replies, tools: [held.tool] })
  const first = agent.start('Hi', { runId })
  const driving = first.settled()
  await held.begins('1.c1')
  await stop(first, driving)
  const { done, act } = toolbox()
  const later = testAgent({ store, clock, replies, tools: [act('held')], plugins: [askingLater()], process: 'p2' })
  const run = await later.agent.load(runId)
  await run.settled()
  await run.approve()
  const asked = await run.settled()

  expect(asked.suspended.map(({ suspension }) => suspension)).toEqual([
    { id: 'sus_p2_2', reason: 'permission', definition: expect.any(String) },
  ])
  expect(done).toEqual([])
  await run.approve()
  expect((await run.settled()).text).toBe('Bye')
  expect(done).toEqual(['held {}'])
})

test.for(['approval', 'permission', 'plugin', 'service'] as const)(
  "TC-02 DEC-05 a call passes its gate once after the gate's question was approved (%s)",
  async (reason) => {
    const { done, act } = toolbox()
    const plugins: Plugin[] = [{ name: 'asking', gateCall: () => ({ suspend: { reason } }) }]
    const { agent } = testAgent({ replies: [calls(call('c1', 'act')), 'Bye'], tools: [act()], plugins })
    await agent.run('Hi', { runId })
    const run = await agent.load(runId)
    await run.approve()

    expect((await run.settled()).text).toBe('Bye')
    expect(done).toEqual(['act {}'])
  },
)
