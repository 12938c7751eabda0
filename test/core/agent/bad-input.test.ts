import { expect, test } from 'vitest'
import * as z from 'zod'
import type { Json } from '../../../src/core/domain/text/json.ts'
import { createAgent } from '../../../src/index.ts'
import type { Model } from '../../../src/core/ports/model.ts'
import type { ToolContext, ToolReturn } from '../../../src/core/ports/tool.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { resultsOf, transcriptOf } from '../../../proof/support/read-run.ts'
import { toolbox, toolNamed } from '../../../proof/support/tools.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'

const oneCall = [{ toolCalls: [{ id: 'c1', name: 'odd', arguments: {} }] }, 'Bye']

function cyclic(): ToolReturn {
  const value: { [key: string]: unknown } = {}
  value['self'] = value
  return value
}

const tooDeep = 'is nested more than 200 objects and lists deep, or contains itself'

test.each([
  ['a cycle', cyclic, tooDeep],
  ['a function', () => (() => 1) as unknown as ToolReturn, 'is not JSON: it is a function'],
  ['a big integer', () => 1n as unknown as ToolReturn, 'is not JSON: it contains a big integer'],
])('TC-03 RUN-06 returns an error result for a tool that returns %s, and the run goes on', async (_, odd, problem) => {
  const { agent, store } = testAgent({ replies: oneCall, tools: [toolNamed('odd', odd)] })
  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'natural_end' })
  const { '1.c1': text } = await resultsOf(store, runId)
  expect(text).toBe(`Tool "odd" returned a value that ${problem}. ${wish}`)
})

const wish = 'Expected text, JSON, or { content, status? }.'

test.each(['__proto__', 'constructor', 'prototype'])(
  'TC-07 CKP-09 answers a call whose arguments contain the key %s with an error that the model can correct',
  async (key) => {
    const { done, act } = toolbox()
    const odd: unknown = JSON.parse(`{"a":{"${key}":1}}`)
    const replies = [{ toolCalls: [{ id: 'c1', name: 'act', arguments: odd as Json }] }, 'Bye']
    const { agent, store } = testAgent({ replies, tools: [act()] })
    expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'natural_end' })
    expect((await resultsOf(store, runId))['1.c1']).toContain('could not be read')
    expect(done).toEqual([])
  },
)

test.each([
  [
    'a result with such a key',
    (): ToolReturn => JSON.parse('{"__proto__":1}') as ToolReturn,
    'has the key "__proto__", which is not allowed',
  ],
  [
    'a ticket with a cycle',
    (_: Json, context: ToolContext) => context.suspend({ parameters: cyclic() as Json }),
    tooDeep,
  ],
  [
    'a change of the state that is not JSON',
    (_: Json, context: ToolContext): ToolReturn => {
      context.patch([{ path: ['a'], value: cyclic() as Json }])
      return 'done'
    },
    tooDeep,
  ],
])('TC-03 CKP-09 returns an error result for %s', async (_, odd, problem) => {
  const { agent, store } = testAgent({ replies: oneCall, tools: [toolNamed('odd', odd)] })
  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'natural_end' })
  expect((await resultsOf(store, runId))['1.c1']).toContain(problem)
})

test('TC-07 refuses 10 MB of arguments with a result that states the limit, and stores none of them', async () => {
  const { done, act } = toolbox()
  const replies = [{ toolCalls: [{ id: 'c1', name: 'act', arguments: { text: 'x'.repeat(10_000_000) } }] }, 'Bye']
  const { agent, store } = testAgent({ replies, tools: [act()] })
  await agent.run('Hi', { runId })
  expect((await resultsOf(store, runId))['1.c1']).toContain('at most 1000000 bytes of JSON are accepted')
  expect(JSON.stringify(await store.read(runId)).length).toBeLessThan(10_000)
  expect(done).toEqual([])
})

/** Throws on what is no URL. */
const secure = z.object({ url: z.string().refine((url) => new URL(url).protocol === 'https:') })

test('TC-07 answers a call with an error result if the schema throws on its arguments', async () => {
  const { done, act } = toolbox()
  const replies = [{ toolCalls: [{ id: 'c1', name: 'act', arguments: { url: 'nowhere' } }] }, 'Bye']
  const { agent, store } = testAgent({ replies, tools: [act('act', { input: secure })] })

  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'natural_end' })
  expect(await resultsOf(store, runId)).toEqual({
    '1.c1': 'Invalid arguments for "act":\n- The check itself failed: Invalid URL',
  })
  expect(done).toEqual([])
})

test('DEC-06 refuses edited arguments on which the schema throws; the call stays suspended', async () => {
  const { act } = toolbox()
  const replies = [{ toolCalls: [{ id: 'c1', name: 'act', arguments: { url: 'https://a.test' } }] }, 'Bye']
  const { agent } = testAgent({ replies, tools: [act('act', { input: secure, needs: 'approval' })] })
  const run = agent.start('Hi', { runId })
  await run.settled()

  expect(await run.edit('1.c1', { url: 'nowhere' })).toEqual({
    target: '1.c1',
    answer: 'refused',
    message: 'The input does not fit:\n- The check itself failed: Invalid URL',
  })
  expect((await run.settled()).status).toBe('waiting')
})

const most = 'is too large: at most 50000000 bytes of JSON are accepted'
const tooLarge = `Tool "odd" returned a value that ${most}. ${wish}`
/** Six times as long in JSON. */
const control = '\u0001'.repeat(9_000_000)

test.each<[string, (input: Json, context: ToolContext) => ToolReturn, string]>([
  ['a text of 54 MB in JSON', () => control, tooLarge],
  ['an object of 54 MB', () => ({ control }), tooLarge],
  ['details of 54 MB', () => ({ content: [], details: control }), tooLarge],
  [
    'a change of the state of 54 MB',
    (_, { patch }) => {
      patch([{ path: ['a'], value: control }])
      return 'done'
    },
    `Tool "odd" failed: The value for ["a"] ${most}. Nothing was changed.`,
  ],
  ['a ticket of 54 MB', (_, { suspend }) => suspend({ message: control }), `Tool "odd" failed: The ticket ${most}.`],
  [
    'a getter that throws',
    () => ({
      get late(): string {
        throw new Error('boom')
      },
    }),
    `Tool "odd" returned a value that could not be read: boom. ${wish}`,
  ],
  [
    'a status that throws',
    () => ({
      get status(): string {
        throw new Error('boom')
      },
    }),
    'Tool "odd" failed: boom',
  ],
  [
    'a throw of what has no text',
    () => {
      throw Object.create(null)
    },
    'Tool "odd" failed: It threw a value that cannot be turned into text.',
  ],
])('TC-03 RUN-06 returns an error result for %s, and the run goes on', async (_, odd, text) => {
  const { agent, store } = testAgent({ replies: oneCall, tools: [toolNamed('odd', odd)] })

  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'natural_end' })
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': text })
})

test('DEC-06 refuses 10 MB of edited arguments; the call stays suspended', async () => {
  const { done, act } = toolbox()
  const replies = [{ toolCalls: [{ id: 'c1', name: 'act', arguments: {} }] }, 'Bye']
  const { agent } = testAgent({ replies, tools: [act('act', { needs: 'approval' })] })
  const run = agent.start('Hi', { runId })
  await run.settled()
  const receipt = await run.edit('1.c1', { text: 'x'.repeat(10_000_000) })
  expect(receipt).toMatchObject({
    answer: 'refused',
    message: expect.stringContaining('at most 1000000 bytes of JSON are accepted'),
  })
  expect((await run.settled()).status).toBe('waiting')
  expect(done).toEqual([])
})

test.each(['', ' ', '../up', 'a/b', 'a\\b', 'x'.repeat(129), 'ü', '__proto__\n'])(
  'CKP-09 refuses the run id %j',
  (badId) => {
    const { agent } = testAgent({ replies: ['Bye'] })
    expect(() => agent.start('Hi', { runId: badId })).toThrow(/Run id .* is refused/)
  },
)

test.each([
  ['an empty text', ''],
  ['blanks', ' \n'],
  ['no messages', []],
  ['a message of another role', [{ role: 'assistant', content: [] }]],
  ['a number', 7],
])('RUN-06 refuses a prompt that is %s', (_, prompt) => {
  const { agent } = testAgent({ replies: ['Bye'] })
  expect(() => agent.start(prompt as string)).toThrow(expect.objectContaining({ code: 'bad_prompt' }))
})

test.each([
  ['no content', { role: 'assistant' }],
  ['content of an unknown kind', { role: 'assistant', content: [{ type: 'poem' }] }],
  ['a cycle', cyclic()],
  ['nothing', null],
])('RUN-06 ends in a descriptive error when a model answers with %s', async (_, message) => {
  const model = {
    provider: 'odd',
    id: 'odd',
    async *stream() {
      yield { type: 'finished', message }
    },
  } as unknown as Model
  const { agent, store } = testAgent({ model })
  const { outcome } = await agent.run('Hi', { runId })
  expect(outcome).toMatchObject({
    reason: 'error',
    error: { code: 'api_error', message: expect.stringContaining('gave an invalid answer') },
  })
  expect(await transcriptOf(store, runId)).toHaveLength(2)
})

test('RUN-06 refuses to build an agent with two tools of one name, or with names that a wire cannot carry', () => {
  const model = scripted([])
  const named = (name: string) => toolNamed(name, () => null as Json)
  expect(() => createAgent({ name: 'a', model, tools: [named('x'), named('x')] })).toThrow(/Two tools are named "x"/)
  expect(() => createAgent({ name: 'a', model, tools: [named('a.b')] })).toThrow(/Tool name "a.b" is refused/)
})

test.for([['text'], [{ target: '1.c1', action: 'resume' }], [null], [undefined]])(
  'DEC-06 refuses decisions that are not a list: %j',
  async ([decisions]) => {
    const { agent } = testAgent({ replies: ['Bye'] })
    const run = agent.start('Hi', { runId })
    await expect(run.decide(decisions as never)).rejects.toMatchObject({ name: 'UsageError', code: 'bad_decision' })
    await run.settled()
  },
)
