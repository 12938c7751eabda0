import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, calls } from '../../../proof/support/say.ts'
import { resultsOf } from '../../../proof/support/read-run.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'
import { tool, type ToolResult } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'

interface Place {
  readonly city: string
  readonly zip?: string
}

interface Weather {
  place: Place
  degrees: number
  wind?: { speed: number; from?: string | undefined }
}

const head = { description: 'Weather of a city', input: z.object({ city: z.string() }), effects: 'none' } as const
const oslo: Weather = { place: { city: 'Oslo' }, degrees: 7, wind: { speed: 3, from: undefined } }

const one = tool({ ...head, name: 'one', execute: ({ city }): Weather => ({ ...oslo, place: { city } }) })
const later = tool({ ...head, name: 'later', execute: async (): Promise<Weather> => oslo })
const list = tool({ ...head, name: 'list', execute: async (): Promise<readonly Weather[]> => [oslo] })
const maybe = tool({
  ...head,
  name: 'maybe',
  execute: ({ city }): Weather | undefined => (city === '' ? oslo : undefined),
})
const result = tool({
  ...head,
  name: 'result',
  execute: (): ToolResult => ({ content: [{ type: 'text', text: 'No such city.' }], status: 'warning' }),
})

// @ts-expect-error What JSON makes nothing of is no result.
tool({ ...head, name: 'map', execute: () => new Map([['a', 1]]) })
// @ts-expect-error A function is no result.
tool({ ...head, name: 'function', execute: () => () => 1 })
// @ts-expect-error Nor is a symbol.
tool({ ...head, name: 'symbol', execute: () => Symbol('a') })

test('TOOL-01 a tool may return an object of any interface type, optional fields included', async () => {
  const tools = [one, later, list, maybe, result]
  const all = calls(...tools.map(({ name }, index) => call(`c${index}`, name, { city: 'Bergen' })))
  const { agent, store } = testAgent({ replies: [all, 'Done'], tools })
  await agent.run('Hi', { runId })
  const text = '{"place":{"city":"Oslo"},"degrees":7,"wind":{"speed":3}}'
  expect(await resultsOf(store, runId)).toEqual({
    '1.c0': text.replace('Oslo', 'Bergen'),
    '1.c1': text,
    '1.c2': `[${text}]`,
    '1.c3': '',
    '1.c4': 'No such city.',
  })
})

test('PRV-02 a scripted model with one reply returns it for every request', async () => {
  const { agent } = testAgent({ model: scripted('hello') })
  expect((await agent.run('Hi')).text).toBe('hello')
  expect((await agent.run('Hi again')).text).toBe('hello')
  expect((await testAgent({ model: scripted({ text: 'hello' }) }).agent.run('Hi')).text).toBe('hello')
})

test.each([[undefined], [5], [null], [[['hello']]], [['hello', 7]]])(
  'PRV-02 a scripted model refuses %j as its replies',
  (replies) => {
    const refusal = {
      name: 'UsageError',
      code: 'bad_option',
      message: expect.stringContaining('Expected texts, answers'),
    }
    expect(() => scripted(replies as never)).toThrow(expect.objectContaining(refusal))
  },
)
