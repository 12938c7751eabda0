import { expect, test } from 'vitest'
import { toolbox } from '../../proof/support/tools.ts'
import { call, calls } from '../../proof/support/say.ts'
import { runId, stop, testAgent } from '../../proof/support/test-agent.ts'
import { userMessage } from '../../src/core/domain/message.ts'
import type { ContextBuilderInput } from '../../src/core/ports/run-instructions.ts'
import type { Plugin } from '../../src/core/ports/plugin.ts'
import type { ModelRequest } from '../../src/core/ports/model.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'

test('AGT-07 builds instructions and messages once, and stores the instructions with the run', async () => {
  const built: ContextBuilderInput[] = []
  const systems: string[] = []
  const store = memoryStore()
  const { ask } = toolbox()
  const replies = [
    ({ system }: ModelRequest) => {
      systems.push(system)
      return calls(call('c1', 'ask'))
    },
    ({ system }: ModelRequest) => {
      systems.push(system)
      return 'Bye'
    },
  ]
  const buildContext: NonNullable<Plugin['buildContext']> = (input) => {
    built.push(input)
    return { system: `For ${built.length}`, messages: [userMessage('Weigh it.', 1)] }
  }
  const options = {
    store,
    replies,
    tools: [ask()],
    plugins: [{ name: 'builder', buildContext }],
    instructions: 'Be kind.',
  }
  const { agent, prompts } = testAgent(options)
  await agent.run({ input: { apples: 3 } }, { runId })
  const later = testAgent({ ...options, process: 'p2', instructions: 'Be rude.' })
  const run = await later.agent.load(runId)
  await run.approve()
  await run.settled()
  expect(
    built.map(({ input, lifecycle, agent: of, tools }) => [input, lifecycle, of, tools.map(({ name }) => name)]),
  ).toEqual([[{ apples: 3 }, 'init', { name: 'test', instructions: 'Be kind.' }, ['ask']]])
  expect(systems).toEqual(['For 1', 'For 1'])
  expect(prompts[0]).toEqual(['user: Weigh it.'])
  expect((await store.read(runId)).input).toMatchObject({ messages: [] })
  expect(JSON.stringify((await store.read(runId)).input)).not.toContain('apples')
})

test("AGT-07 passes the builder the run's start details, also in the process that takes the run over", async () => {
  const given: unknown[] = []
  const begun = Promise.withResolvers<void>()
  const { agent, store, clock } = testAgent({
    plugins: [
      {
        name: 'builder',
        buildContext: ({ run }) => {
          given.push(run)
          begun.resolve()
          return new Promise(() => {})
        },
      },
    ],
  })
  const details = {
    subject: 'conversation-7',
    accessControl: { role: 'clerk' },
    delegatedBy: 'front-desk',
    quota: 5,
    labels: { room: '12' },
  }
  const first = agent.start('Book it.', { runId, ...details })
  const driving = first.settled()
  await begun.promise
  await stop(first, driving)
  const later = testAgent({
    store,
    clock,
    process: 'p2',
    replies: ['Booked.'],
    plugins: [
      {
        name: 'builder',
        buildContext: ({ run }) => {
          given.push(run)
          return { system: '' }
        },
      },
    ],
  })
  const { outcome } = await (await later.agent.load(runId)).settled()
  expect(outcome).toEqual({ reason: 'natural_end' })
  expect(given).toEqual([
    { id: runId, ...details },
    { id: runId, ...details },
  ])
  expect(given.every((run) => Object.isFrozen(run))).toBe(true)
})

test.each<[string, Parameters<ReturnType<typeof testAgent>['agent']['run']>[0], unknown, readonly string[]]>([
  ['a value', { input: [1, null] }, [1, null], ['user: [1,null]']],
  ['a text', 'Hi', 'Hi', ['user: Hi']],
])('AGT-07 sends the model %s if the builder returns no messages', async (_, prompt, input, messages) => {
  let given: unknown
  const { agent, prompts } = testAgent({
    replies: ['Bye'],
    plugins: [
      {
        name: 'builder',
        buildContext: (builder) => {
          given = builder.input
          return { system: '' }
        },
      },
    ],
  })
  await agent.run(prompt, { runId })
  expect(given).toEqual(input)
  expect(prompts[0]).toEqual(messages)
})

test("AGT-07 PH-03 adds a filter's warning to the builder's messages", async () => {
  const { agent, prompts } = testAgent({
    replies: ['Bye'],
    plugins: [
      { name: 'f', filterInput: () => ({ warn: 'Careful.' }) },
      { name: 'builder', buildContext: () => ({ system: '', messages: [userMessage('a', 1), userMessage('b', 1)] }) },
    ],
  })
  await agent.run('Hi', { runId })
  expect(prompts[0]).toEqual(['user: a', 'user: b[Warning: Careful.]'])
})

test.each<[string, () => unknown, string]>([
  [
    'no text',
    () => ({ system: 7 }),
    'Plugin "builder" failed in buildContext: it returned no text as "system". Expected { system: text, messages?: user messages }.',
  ],
  ['no messages', () => ({ system: '', messages: [] }), 'its "messages" are invalid.'],
  [
    'messages of others',
    () => ({ system: '', messages: [{ role: 'extension', kind: 'a', data: 1 }] }),
    'its "messages" hold one of role extension.',
  ],
  [
    'an error',
    () => {
      throw new Error('boom')
    },
    'Plugin "builder" failed in buildContext: boom',
  ],
])('AGT-07 ends the run and names the builder that returns %s', async (_, buildContext, message) => {
  const { agent, prompts } = testAgent({
    replies: ['Bye'],
    plugins: [{ name: 'builder', buildContext: buildContext as NonNullable<Plugin['buildContext']> }],
  })
  const { outcome } = await agent.run('Hi', { runId })
  expect(outcome.reason).toBe('error')
  expect(outcome.error?.message).toContain(message)
  expect(prompts).toEqual([])
})

test('AGT-07 calls an instructions function once, shows its text to plugins, and stores it with the run', async () => {
  const store = memoryStore()
  const { ask } = toolbox()
  const asked: unknown[] = []
  const shown: string[] = []
  const systems: string[] = []
  const options = {
    store,
    tools: [ask()],
    instructions: async ({ input, runId: of }: ContextBuilderInput) => {
      asked.push([of, input])
      return `Be kind to ${JSON.stringify(input)}.`
    },
    plugins: [
      {
        name: 'builder',
        buildContext: ({ agent }: ContextBuilderInput) => {
          shown.push(agent.instructions)
          return { system: `${agent.instructions} And short.` }
        },
      },
    ],
    replies: [
      ({ system }: ModelRequest) => {
        systems.push(system)
        return calls(call('c1', 'ask'))
      },
      ({ system }: ModelRequest) => {
        systems.push(system)
        return 'Bye'
      },
    ],
  }
  const { agent, prompts } = testAgent(options)
  await agent.run('Ann', { runId })
  const run = await testAgent({ ...options, process: 'p2' }).agent.load(runId)
  await run.approve()
  await run.settled()
  expect(asked).toEqual([[runId, 'Ann']])
  expect(shown).toEqual(['Be kind to "Ann".'])
  expect(systems).toEqual(['Be kind to "Ann". And short.', 'Be kind to "Ann". And short.'])
  expect(prompts[0]).toEqual(['user: Ann'])
})

test('AGT-07 ends the run with the expected shape if an instructions function returns no text', async () => {
  const { agent } = testAgent({ replies: ['Hi'], instructions: () => 7 as never })
  const { outcome } = await agent.run('Ann', { runId })
  expect(outcome).toMatchObject({ reason: 'error', error: { message: expect.stringContaining('system') } })
})
