import { expect, test } from 'vitest'
import type { Json } from '../../src/core/domain/text/json.ts'
import type { Plugin, Tool } from '../../src/index.ts'
import { resultsOf, stateOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { heldTool, toolNamed } from '../../proof/support/tools.ts'
import { eventsOf, heldReply, runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'

const wish = 'Expected [{ path, value? }] with a list of keys as path and JSON as value.'
const notJson = 'is not JSON: it is a function.'

/** Sets `path` to `value`, and answers with the state it saw. */
function writing(extras: Partial<Tool> = {}): Tool {
  return toolNamed(
    'write',
    (input, { state, patch }) => {
      const { path, value } = input as { readonly path: readonly string[]; readonly value?: Json }
      patch([{ path, ...(value === undefined ? {} : { value }) }])
      return JSON.stringify(state)
    },
    extras,
  )
}

const set = (id: string, path: readonly string[], value?: Json) =>
  call(id, 'write', { path, ...(value === undefined ? {} : { value }) })

test.for([
  ['parallel', ['{}', '{}']],
  ['sequential', ['{}', '{"a":1}']],
  [{ batch: 2 }, ['{}', '{}']],
] satisfies [TestAgentOptions['executor'], string[]][])(
  'RUN-11 shows a later call what an earlier one wrote: %j (E1)',
  async ([executor, seen]) => {
    const { agent, store } = testAgent({
      ...(executor === undefined ? {} : { executor }),
      replies: [calls(set('c1', ['a'], 1), set('c2', ['b'], 2)), 'Bye'],
      tools: [writing()],
    })
    await agent.run('Hi', { runId })

    expect(Object.values(await resultsOf(store, runId))).toEqual(seen)
    expect(await stateOf(store, runId)).toEqual({ a: 1, b: 2 })
  },
)

test('RUN-11 EVT-01 emits the state as each commit leaves it', async () => {
  const { agent } = testAgent({
    executor: 'sequential',
    replies: [calls(set('c1', ['a'], 1), set('c2', ['b'], 2)), calls(set('c3', ['a'])), 'Bye'],
    tools: [writing()],
  })
  const events = await eventsOf(agent.start('Hi', { runId }))
  const told = events.flatMap((event) => (event.type === 'state.changed' ? [event.state] : []))
  expect(told).toEqual([{ a: 1 }, { a: 1, b: 2 }, { b: 2 }])
})

test.for([
  [['a'], ['a'], 'a'],
  [['a'], ['a', 'b'], 'a/b'],
  [['a', 'b'], ['a'], 'a'],
  [[], ['a'], 'a'],
] satisfies [string[], string[], string][])(
  'RUN-11 RUN-06 ends with an error naming both calls and the path if parallel writes overlap: %j and %j (E2)',
  async ([first, second, path]) => {
    const { agent, store } = testAgent({
      replies: [calls(set('c0', ['z'], 0)), calls(set('c1', first, {}), set('c2', second, 2)), 'Bye'],
      tools: [writing()],
    })
    const { outcome } = await agent.run('Hi', { runId })

    expect(outcome).toEqual({
      reason: 'error',
      error: {
        code: 'state_conflict',
        message: `Calls "2.c1" and "2.c2" both changed "${path}" of the state. Nothing was applied.`,
      },
    })
    expect(await stateOf(store, runId)).toEqual({ z: 0 })
    expect(Object.values(await resultsOf(store, runId))).not.toContain(undefined)
  },
)

test.for([
  ['siblings', ['a', 'b'], ['a', 'c']],
  ['names that begin alike', ['a'], ['ab']],
  ['a key that looks like a path', ['a', 'b'], ['a/b']],
] satisfies [string, string[], string[]][])(
  'RUN-11 keeps parallel writes to different paths: %s',
  async ([, first, second]) => {
    const { agent } = testAgent({
      replies: [calls(set('c1', first, 1), set('c2', second, 2)), 'Bye'],
      tools: [writing()],
    })

    expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'natural_end' })
  },
)

test('RUN-11 applies sequential writes to one path in order', async () => {
  const { agent, store } = testAgent({
    executor: 'sequential',
    replies: [calls(set('c1', ['a'], 1), set('c2', ['a'], 2), set('c3', ['b'], 3), set('c4', ['b'])), 'Bye'],
    tools: [writing()],
  })
  await agent.run('Hi', { runId })

  expect(await stateOf(store, runId)).toEqual({ a: 2 })
})

test('RUN-11 applies no change of a call that fails or suspends', async () => {
  const failing = toolNamed('failing', (_, { patch }) => {
    patch([{ path: ['a'], value: 1 }])
    throw new Error('boom')
  })
  const asking = toolNamed('asking', (_, { patch, decision, suspend }) => {
    patch([{ path: ['b'], value: decision === undefined ? 'early' : 'late' }])
    return decision === undefined ? suspend() : 'done'
  })
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'failing'), call('c2', 'asking')), 'So far', 'Bye'],
    tools: [failing, asking],
  })
  await agent.run('Hi', { runId })
  expect(await stateOf(store, runId)).toEqual({})
  const run = await agent.load(runId)
  await run.approve()
  await run.settled()

  expect(await stateOf(store, runId)).toEqual({ b: 'late' })
})

test('RUN-11 applies a replay after the round that ran at the same time, without a conflict', async () => {
  const held = heldTool('other')
  const second = heldReply()
  const { agent, store } = testAgent({
    replies: [calls(call('c0', 'other'), set('c1', ['a'], 'replay')), second.reply, 'Bye'],
    tools: [
      held.tool,
      writing({ needs: 'approval' }),
      toolNamed('plain', (_, { patch }) => patch([{ path: ['a'], value: 'round' }]) as undefined),
    ],
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await held.begins('1.c0')
  held.finish('1.c0')
  await second.asked
  second.give(calls(call('c2', 'plain'), call('c3', 'other')))
  await held.begins('2.c3')
  await run.approve('1.c1')
  held.finish('2.c3')

  expect((await end).outcome).toEqual({ reason: 'natural_end' })
  expect(await stateOf(store, runId)).toEqual({ a: 'replay' })
})

test('RUN-11 plugins can read and patch in every phase', async () => {
  const seen: Json[] = []
  const count: Plugin = {
    name: 'count',
    runStart: ({ patch }) => patch([{ path: ['n'], value: 1 }]),
    beforeModel: ({ state, patch }) => {
      seen.push(state)
      patch([{ path: ['n'], value: (state as { n: number }).n + 1 }])
    },
    reviewCall: ({ state, patch }) => {
      seen.push(state)
      patch([{ path: ['reviewed'], value: true }])
    },
    runEnd: ({ state }) => void seen.push(state),
  }
  const { agent, store } = testAgent({
    replies: [calls(set('c1', ['tool'], true)), 'Bye'],
    tools: [writing()],
    plugins: [count],
  })
  await agent.run('Hi', { runId })

  expect(seen).toEqual([{ n: 1 }, { n: 2 }, { n: 2, reviewed: true, tool: true }, { n: 3, reviewed: true, tool: true }])
  expect(await stateOf(store, runId)).toEqual({ n: 3, reviewed: true, tool: true })
})

test.for<[string, unknown, string]>([
  [
    'a path that reaches a prototype',
    [{ path: ['__proto__', 'polluted'], value: true }],
    'State path holds "__proto__", which is refused. Use another key.',
  ],
  ['a text as path', [{ path: 'a', value: 1 }], `The path "a" is not a list of keys. ${wish}`],
  ['no path', [{ value: 1 }], `The path undefined is not a list of keys. ${wish}`],
  ['no list', { path: ['a'], value: 1 }, `The changes are not a list. ${wish}`],
  ['nothing in the list', [null], `A change is not an object. ${wish}`],
  ['a function as value', [{ path: ['a'], value: () => 1 }], `The value for ["a"] ${notJson}`],
])('RUN-11 fails a tool whose change has %s, and applies none of its changes', async ([, changes, why]) => {
  const patching = toolNamed('patching', (_, { patch }) => {
    patch([{ path: ['good'], value: 1 }])
    patch(changes as never)
    return 'done'
  })
  const { agent, store } = testAgent({ replies: [calls(call('c1', 'patching')), 'Bye'], tools: [patching] })

  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'natural_end' })
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': `Tool "patching" failed: ${why} Nothing was changed.` })
  expect(await stateOf(store, runId)).toEqual({})
})
