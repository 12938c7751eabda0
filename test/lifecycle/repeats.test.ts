import { expect, test } from 'vitest'
import type { ScriptedAnswer } from '../../src/adapters/providers/scripted.ts'
import { resultsOf, transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox, toolNamed } from '../../proof/support/tools.ts'
import { runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'

const note = ' | [This call has been repeated 3 times with the same result.]'
const a = (id = 'c', name = 'act', args = { x: 1, y: 2 }) => call(id, name, args)

interface Case {
  readonly what: string
  readonly turns: readonly ScriptedAnswer[]
  readonly options?: TestAgentOptions
  /** Which of the results, in order, end with the note. */
  readonly noted: readonly number[]
}

test.for<Case>([
  { what: 'three equal calls in a row', turns: [calls(a()), calls(a()), calls(a())], noted: [2] },
  { what: 'three in one round', turns: [calls(a('1'), a('2'), a('3'))], noted: [2] },
  {
    what: 'keys in another order',
    turns: [calls(a()), calls(call('c', 'act', { y: 2, x: 1 })), calls(a())],
    noted: [2],
  },
  { what: 'a fourth gets no second note', turns: [calls(a()), calls(a()), calls(a()), calls(a())], noted: [2] },
  { what: 'two are not three', turns: [calls(a()), calls(a())], noted: [] },
  { what: 'other arguments', turns: [calls(a()), calls(a('c', 'act', { x: 9, y: 2 })), calls(a())], noted: [] },
  {
    what: 'interleaved with another tool',
    turns: [calls(a()), calls(a()), calls(call('c', 'other')), calls(a())],
    noted: [],
  },
  {
    what: 'interleaved with a refused call',
    turns: [calls(a()), calls(a()), calls(call('c', 'nope')), calls(a())],
    noted: [],
  },
  { what: 'another result each time', turns: [1, 2, 3].map(() => calls(call('c', 'count'))), noted: [] },
  { what: 'three equal refusals', turns: [1, 2, 3].map(() => calls(call('c', 'nope'))), noted: [2] },
  { what: 'three equal failures', turns: [1, 2, 3].map(() => calls(call('c', 'fail'))), noted: [2] },
  { what: 'turned off', turns: [calls(a()), calls(a()), calls(a())], options: { limits: { repeat: 0 } }, noted: [] },
])('TC-03 AGT-17 adds a note to the third equal call: $what', async ({ turns, options = {}, noted }) => {
  const { act, fail } = toolbox()
  let counted = 0
  const { agent, store } = testAgent({
    ...options,
    replies: [...turns, 'Bye'],
    tools: [act(), act('other'), fail(), toolNamed('count', () => `${++counted}`)],
  })

  expect((await agent.run('Hi', { runId })).text).toBe('Bye')
  const results = Object.values(await resultsOf(store, runId))
  expect(results.flatMap((text, index) => (text?.endsWith(note) === true ? index : []))).toEqual(noted)
})

test('TC-03 does not count repeats across a call that is suspended in between, and counts that call once', async () => {
  const { act } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(a('1'), a('2'), call('g', 'gated'), a('3')), calls(a()), calls(a()), 'Bye'],
    tools: [act(), act('gated', { needs: 'approval' })],
  })

  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'suspended' })
  expect(await resultsOf(store, runId)).toEqual({
    '1.1': 'act done',
    '1.2': 'act done',
    '1.g': undefined,
    '1.3': 'act done',
    '2.c': 'act done',
    '3.c': `act done${note}`,
  })
})

test('TC-03 AGT-17 RUN-05 stops a run at its fourth equal call, with a result for every call', async () => {
  const { done, act } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(a()), calls(a()), calls(a()), calls(a('c'), call('d', 'other')), 'Bye'],
    tools: [act(), act('other')],
    limits: { onRepeat: 'stop' },
  })

  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'stopped', code: 'loop_detected' })
  expect(done.length).toBe(4)
  expect((await transcriptOf(store, runId)).slice(-4)).toEqual([
    'assistant: calls 4.c act, 4.d other',
    '4.c failed, result 4.c (error): [Not executed: repeated call.]',
    '4.d succeeded, result 4.d: other done',
    'user: [Agent stopped: repeated call]',
  ])
})

test.for(['parallel', 'sequential', { batch: 2 }] as const)(
  'TC-03 RUN-05 stops at a fourth equal call of one answer, whatever the first three return, executor %j',
  async (executor) => {
    const { done, act } = toolbox()
    const { agent, store } = testAgent({
      executor,
      replies: [calls(a('1'), a('2'), a('3'), a('4'), call('d', 'other'), a('5')), 'Bye'],
      tools: [act(), act('other')],
      limits: { onRepeat: 'stop' },
    })

    expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'stopped', code: 'loop_detected' })
    expect(done.length).toBe(5)
    expect((await resultsOf(store, runId))['1.4']).toBe('[Not executed: repeated call.]')
  },
)

test('TC-03 RUN-05 counts equal calls of an answer together with earlier ones', async () => {
  const { done, act } = toolbox()
  const { agent } = testAgent({
    replies: [calls(a()), calls(a('1'), a('2'), a('3')), 'Bye'],
    tools: [act()],
    limits: { onRepeat: 'stop' },
  })
  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'stopped', code: 'loop_detected' })
  expect(done.length).toBe(3)
})

test("TC-03 RUN-05 keeps a plugin's ending if a fourth equal call arrives", async () => {
  const { done, act } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(a()), calls(a()), calls(a()), calls(a()), 'Bye'],
    tools: [act()],
    plugins: [
      {
        name: 'ending',
        afterModel: ({ turn, terminate }) => {
          if (turn === 4) terminate()
        },
      },
    ],
    limits: { onRepeat: 'stop' },
  })

  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'plugin_requested' })
  expect(done.length).toBe(3)
  expect((await transcriptOf(store, runId)).slice(-2)).toEqual([
    'assistant: calls 4.c act',
    '4.c cancelled, result 4.c (error): [Tool execution was interrupted before producing a result.]',
  ])
})

test('TC-03 does not stop if another call comes before the equal one', async () => {
  const { act } = toolbox()
  const { agent } = testAgent({
    replies: [calls(a()), calls(a()), calls(a()), calls(call('d', 'other'), a('c')), 'Bye'],
    tools: [act(), act('other')],
    limits: { onRepeat: 'stop' },
  })

  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'natural_end' })
})
