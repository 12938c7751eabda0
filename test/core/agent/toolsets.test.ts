import { expect, test } from 'vitest'
import { createActor, toPromise } from 'xstate'
import { agentWith, echo } from '../../../proof/support/agent-with-toolsets.ts'
import { heldToolset } from '../../../proof/support/held-toolset.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { eventsOf, quiet, runId, stop } from '../../../proof/support/test-agent.ts'
import { heldTool, toolbox } from '../../../proof/support/tools.ts'
import { type Tool, type Toolset, UsageError } from '../../../src/index.ts'

test('TOOL-06 opens toolsets on first use, side by side with own tools, and closes them with the agent', async () => {
  const pets = heldToolset('pets', [echo('find_pet'), echo('buy_pet')])
  const { agent, seen } = agentWith([echo('own'), pets.toolset], {
    replies: [calls(call('c1', 'find_pet'), call('c2', 'own')), 'Bye'],
  })
  expect(pets.asked).toEqual([])
  const { outcome } = await agent.run('Hi', { runId })
  expect(outcome).toEqual({ reason: 'natural_end' })
  expect(seen).toEqual([
    ['own', 'find_pet', 'buy_pet'],
    ['own', 'find_pet', 'buy_pet'],
  ])
  await agent.run('Hi', { runId: 'run-2' })
  expect(pets.asked).toEqual(['tools'])
  await agent.close()
  expect(pets.asked).toEqual(['tools', 'close'])
})

test('TOOL-06 SVC-02 refuses colliding tool names when the agent is built', () => {
  const refused = (...tools: (Tool | Toolset)[]) => {
    try {
      agentWith(tools)
      return undefined
    } catch (error) {
      return error instanceof UsageError ? [error.code, error.message] : error
    }
  }
  expect(refused(echo('a'), echo('a'))).toEqual([
    'tool_name_taken',
    'Two tools are named "a". Give each tool a unique name.',
  ])
  expect(refused(echo('a.b'))).toEqual([
    'bad_tool_name',
    'Tool name "a.b" is refused. Expected 1 to 64 of the characters A-Z, a-z, 0-9, "_" and "-".',
  ])
  expect(refused(heldToolset('x', []).toolset, heldToolset('x', []).toolset)).toEqual([
    'bad_option',
    'Two toolsets are named "x". Give each a unique name.',
  ])
  expect(refused({ name: 'x', tools: async () => [] } as unknown as Toolset)).toEqual([
    'bad_option',
    'Option close of toolset "x" is missing. Expected a function.',
  ])
  expect(refused(null as unknown as Toolset)).toEqual([
    'bad_option',
    'The options of a tool are null. Expected an object.',
  ])
})

const collisions: readonly [string, readonly Tool[], readonly Tool[], string, string][] = [
  [
    'with a tool of the agent',
    [echo('own')],
    [],
    'tool_name_taken',
    'Two tools are named "own", one of the agent, one of toolset "first". Give the toolset a prefix, or leave one of them out.',
  ],
  [
    'with a tool of another set',
    [echo('a')],
    [echo('a')],
    'tool_name_taken',
    'Two tools are named "a", one of toolset "first", one of toolset "second". Give the toolset a prefix, or leave one of them out.',
  ],
  [
    'with a tool of the same set',
    [echo('a'), echo('a')],
    [],
    'tool_name_taken',
    'Two tools are named "a", both of toolset "first". Leave one of them out.',
  ],
  [
    'and is not legal',
    [echo('a b', { sourceName: 'a/b' })],
    [],
    'bad_tool_name',
    'Tool name "a b", made of "a/b", of toolset "first" is refused. Expected 1 to 64 of the characters A-Z, a-z, 0-9, "_" and "-".',
  ],
]

for (const [what, first, second, code, message] of collisions) {
  test(`TOOL-06 SVC-02 stops before the first model call if the name of a set collides ${what}`, async () => {
    const sets = [heldToolset('first', first), heldToolset('second', second)]
    const { agent, seen, store } = agentWith([echo('own'), ...sets.map(({ toolset }) => toolset)])
    const run = agent.start('Hi', { runId })
    for (const _attempt of [1, 2]) await expect(run.settled()).rejects.toMatchObject({ code, message })
    expect(seen).toEqual([])
    expect((await store.record(runId)).status).toBe('running')
    await agent.close()
    expect(sets.map(({ asked }) => asked.at(-1))).toEqual(['close', 'close'])
  })
}

test('TOOL-06 names the unreachable toolset, leaves the run unchanged, and continues it when the toolset is back', async () => {
  const pets = heldToolset('pets', [echo('find_pet')])
  pets.fail('connect ECONNREFUSED 127.0.0.1:1')
  const { agent, seen } = agentWith([pets.toolset])
  const run = agent.start('Hi', { runId })
  await expect(run.settled()).rejects.toMatchObject({
    name: 'ToolsetError',
    code: 'toolset_unavailable',
    toolset: 'pets',
    message:
      'Toolset "pets" cannot be used: connect ECONNREFUSED 127.0.0.1:1. Fix that, or mark the toolset as optional.',
  })
  const told = run[Symbol.asyncIterator]()
  await expect(told.next()).rejects.toMatchObject({ code: 'toolset_unavailable' })
  expect((await run.result()).status).toBe('running')
  pets.fail(undefined)
  expect((await run.settled()).outcome).toEqual({ reason: 'natural_end' })
  expect(seen).toEqual([['find_pet']])
})

test('TOOL-06 refuses a toolset that does not return a list of tools', async () => {
  const given: readonly [unknown, string][] = [
    [undefined, 'it returned no list of tools.'],
    [{}, 'it returned no list of tools.'],
    [[null], 'The options of a tool are null. Expected an object.'],
    [[{ ...echo('x'), description: 7 }], 'Option description of tool "x" is 7, which is refused. Expected a text.'],
    [
      [{ ...echo('x'), input: null }],
      'Option input of tool "x" is null, which is refused. Expected a Standard Schema, such as of zod 4, or a JSON Schema.',
    ],
  ]
  for (const [tools, message] of given) {
    const broken = { ...heldToolset('broken', []).toolset, tools: async () => tools as never }
    await expect(agentWith([broken]).agent.run('Hi')).rejects.toMatchObject({
      code: 'toolset_unavailable',
      message: `Toolset "broken" cannot be used: ${message} Fix that, or mark the toolset as optional.`,
    })
  }
  const bare = { '~standard': { version: 1, vendor: 'bare', validate: (value: unknown) => ({ value }) } } as never
  const unseen = heldToolset('unseen', [echo('x', { input: bare })]).toolset
  await expect(agentWith([unseen]).agent.run('Hi')).rejects.toMatchObject({
    code: 'bad_option',
    message: expect.stringMatching(/^The input of tool "x" cannot be shown to a model: /),
  })
})

test("TOOL-06 DEC-07 another process decides on a toolset's call, and opens the toolset only to check the payload", async () => {
  const input = { type: 'object', properties: { n: { type: 'number' } } }
  const set = () => heldToolset('pets', [echo('buy', { input, needs: 'approval' })])
  const first = agentWith([set().toolset], { replies: [calls(call('c1', 'buy')), 'Bye'] })
  await first.agent.run('Hi', { runId })
  await first.agent.close()

  const deciding = set()
  const { agent } = agentWith([deciding.toolset], { store: first.store, process: 'p2' })
  const run = await agent.load(runId)
  expect(await run.edit('1.c1', { n: 'many' })).toMatchObject({ answer: 'refused' })
  expect(deciding.asked).toEqual(['tools'])

  const approving = set()
  const other = agentWith([approving.toolset], { store: first.store, process: 'p3', replies: ['', 'Bye'] })
  const approved = await other.agent.load(runId)
  expect(await approved.approve()).toMatchObject({ answer: 'applied' })
  expect(approving.asked).toEqual([])
  expect((await approved.settled()).outcome).toEqual({ reason: 'natural_end' })
  expect(approving.asked).toEqual(['tools'])
  expect(other.prompts.at(-1)?.join('\n')).toContain('buy done')
})

test('TOOL-06 DEC-07 accepts an answer unchecked if the toolset is unreachable, and checks it when it is used', async () => {
  const input = { type: 'object', properties: { n: { type: 'number' } } }
  const pets = heldToolset('pets', [echo('buy', { input, needs: 'approval' })])
  const first = agentWith([pets.toolset], { replies: [calls(call('c1', 'buy')), 'Bye'] })
  await first.agent.run('Hi', { runId })
  const down = heldToolset('pets', [echo('buy', { input, needs: 'approval' })])
  down.fail('down')
  const { agent } = agentWith([down.toolset], { store: first.store, process: 'p2' })
  const run = await agent.load(runId)
  expect(await run.edit('1.c1', { n: 'many' })).toMatchObject({ answer: 'applied' })
  down.fail(undefined)
  const events = await eventsOf(run)
  expect(events.map(({ type }) => type)).toContain('decision.dropped')
  expect((await run.result()).suspended).toHaveLength(1)
})

test('TOOL-06 a call whose tool is gone when its run resumes answers that it is no longer registered', async () => {
  const first = agentWith([heldToolset('pets', [echo('buy', { needs: 'approval' })]).toolset], {
    replies: [calls(call('c1', 'buy')), 'Bye'],
  })
  await first.agent.run('Hi', { runId })
  const next = agentWith([heldToolset('pets', [echo('other')]).toolset], {
    store: first.store,
    process: 'p2',
    replies: ['', 'Bye'],
  })
  const run = await next.agent.load(runId)
  await run.approve()
  expect((await run.settled()).outcome).toEqual({ reason: 'natural_end' })
  expect(next.prompts.at(-1)?.join('\n')).toContain('Tool "buy" is not registered any more.')
})

test('TOOL-06 a run killed inside a round reopens its toolsets before it continues', async () => {
  const slow = heldTool('slow', { effects: 'idempotent' })
  const first = agentWith([heldToolset('pets', [slow.tool]).toolset], { replies: [calls(call('c1', 'slow')), 'Bye'] })
  const run = first.agent.start('Hi', { runId })
  const driving = run.settled()
  await slow.begins('1.c1')
  await stop(run, driving)
  const { done, act } = toolbox()
  const next = agentWith([heldToolset('pets', [act('slow', { effects: 'idempotent' })]).toolset], {
    store: first.store,
    process: 'p2',
    replies: ['', 'Bye'],
  })
  expect((await (await next.agent.load(runId)).settled()).outcome).toEqual({ reason: 'natural_end' })
  expect(done).toEqual(['slow {}'])
})

test('TOOL-06 RUN-09 a plain XState run opens toolsets too, and ends with the error if one fails', async () => {
  const pets = heldToolset('pets', [echo('a')])
  const { agent } = agentWith([pets.toolset], { replies: [calls(call('c1', 'a')), 'Bye'] })
  const end = async () => toPromise(createActor(agent.machine, { input: agent.machineInput('Hi') }).start())
  expect(await end()).toMatchObject({ outcome: { reason: 'natural_end' } })
  pets.fail('down')
  pets.give(echo('b'))
  expect(await end()).toMatchObject({ outcome: { reason: 'natural_end' } })

  const lost = heldToolset('lost', [])
  lost.fail('down')
  const other = agentWith([lost.toolset]).agent
  const output = await toPromise(createActor(other.machine, { input: other.machineInput('Hi') }).start())
  expect(output).toMatchObject({
    outcome: { reason: 'error', error: { message: expect.stringContaining('Toolset "lost" cannot be used: down.') } },
  })
  await quiet()
})
