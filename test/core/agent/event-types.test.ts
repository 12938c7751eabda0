import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { call, calls } from '../../../proof/support/say.ts'
import { fakeClock } from '../../../proof/support/fake-clock.ts'
import { toolNamed } from '../../../proof/support/tools.ts'
import {
  type Agent,
  type AgentEvent,
  createAgent,
  type Run,
  type RunResult,
  tool,
  type Toolset,
} from '../../../src/index.ts'
import type { FollowedEvents, PromptOptions, StoredEvent, ToolTypeOf } from '../../../src/ports.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'

const weather = tool({
  name: 'weather',
  description: 'Weather of a city',
  input: z.object({ city: z.string(), days: z.number().default(1) }),
  output: z.object({ degrees: z.number() }),
  execute: ({ city }) => ({ degrees: city.length }),
})
const send = tool({
  name: 'send',
  description: 'Sends a text',
  input: z.object({ text: z.string() }),
  execute: () => 'sent',
})
const replies = [calls(call('a', 'weather', { city: 'Oslo' }), call('b', 'send', { text: 'Hi' })), 'Done.']
const model = () => scripted(replies, { now: fakeClock().now })

type Started<E> = Extract<E, { type: 'toolExecution.started' }>
type Ended<E> = Extract<E, { type: 'toolExecution.ended' }>
type EventOf<A> = A extends Agent<infer Tools> ? AgentEvent<Tools> : never

test('AGT-02 types a continued run like the first run of its agent', () => {
  const agent = createAgent({ name: 'guide', model: model(), tools: [weather], output: z.object({ n: z.number() }) })
  type Begun = ReturnType<typeof agent.start>
  expectTypeOf<Awaited<ReturnType<Begun['prompt']>>>().toEqualTypeOf<Begun>()
  expectTypeOf<PromptOptions>().not.toHaveProperty('ifExists')
})

test('EVT-01 types the arguments and results of tools by their names and schemas', async () => {
  const agent = createAgent({ name: 'guide', model: model(), tools: [weather, send] })
  const told: string[] = []
  for await (const event of agent.start('Hi')) {
    expectTypeOf(event).toEqualTypeOf<EventOf<typeof agent>>()
    if (event.type === 'toolExecution.started') {
      expectTypeOf(event.toolName).toEqualTypeOf<'weather' | 'send'>()
      // @ts-expect-error No tool has this name.
      if (event.toolName === 'read_file') told.push('never')
      if (event.toolName === 'weather') {
        expectTypeOf(event.arguments).toEqualTypeOf<{ city: string; days?: number | undefined }>()
        told.push(event.arguments.city)
      } else {
        expectTypeOf(event.arguments).toEqualTypeOf<{ text: string }>()
        told.push(event.arguments.text)
      }
    }
    if (event.type === 'toolExecution.ended') {
      if (event.toolName === 'weather') {
        expectTypeOf(event.output).toEqualTypeOf<{ degrees: number } | undefined>()
        told.push(`${event.output?.degrees}`)
      } else expectTypeOf(event.output).toEqualTypeOf<unknown>()
    }
  }
  expect(told.toSorted()).toEqual(['4', 'Hi', 'Oslo'])
})

test('EVT-01 types the events of listeners, iterators and stored runs like those of a run', async () => {
  const agent = createAgent({ name: 'guide', model: model(), tools: [weather] })
  const names = new Set<'weather'>()
  agent.on((event) => {
    if (event.type === 'toolExecution.started') names.add(event.toolName)
  })
  const run = agent.start('Hi')
  run.on((event) => {
    if (event.type === 'progress.reported') expectTypeOf(event.toolName).toEqualTypeOf<'weather'>()
  })
  type Tools = ToolTypeOf<typeof weather>
  expectTypeOf(run.events()).toEqualTypeOf<FollowedEvents<AgentEvent<Tools>>>()
  expectTypeOf(run.events({ deltas: false })).toEqualTypeOf<FollowedEvents<StoredEvent<Tools>>>()
  await run.settled()
  expectTypeOf(await agent.load(run.id)).toEqualTypeOf(run)
  expectTypeOf((await agent.resume(run.id)).run).toEqualTypeOf(run)
  expect(names).toEqual(new Set(['weather']))
})

test('EVT-01 leaves names and arguments untyped if they are known only at run time', () => {
  const toolset: Toolset = { name: 'far', tools: async () => [], close: async () => {} }
  const far = createAgent({ name: 'guide', model: model(), tools: [weather, toolset] })
  const plain = createAgent({ name: 'guide', model: model(), tools: [toolNamed('act', () => 'done')] })
  const none = createAgent({ name: 'guide', model: model() })
  const empty = createAgent({ name: 'guide', model: model(), tools: [] })
  expectTypeOf<Started<EventOf<typeof far>>['toolName']>().toEqualTypeOf<string>()
  expectTypeOf<Started<EventOf<typeof far>>['arguments']>().toEqualTypeOf<unknown>()
  expectTypeOf<EventOf<typeof plain>>().toEqualTypeOf<AgentEvent>()
  expectTypeOf<EventOf<typeof none>>().toEqualTypeOf<AgentEvent>()
  expectTypeOf<EventOf<typeof empty>>().toEqualTypeOf<AgentEvent>()
  expectTypeOf<Ended<AgentEvent>['output']>().toEqualTypeOf<unknown>()
  expect([far, plain, none, empty].map(({ name }) => name)).toEqual(['guide', 'guide', 'guide', 'guide'])
})

test('EVT-01 accepts an agent with typed tools where any agent is expected', () => {
  const agent = createAgent({ name: 'guide', model: model(), tools: [weather, send] })
  const any: Agent = agent
  const run: (prompt: string) => Run = agent.start
  const listen: (event: AgentEvent) => void = () => {}
  agent.on(listen)()
  expectTypeOf<RunResult<{ answer: string }>['output']>().toEqualTypeOf<{ answer: string } | undefined>()
  expect([any.name, typeof run]).toEqual(['guide', 'function'])
})
