import { expect, test } from 'vitest'

import { transcriptOf } from '../../proof/support/read-run.ts'
import { eventsOf, runId, testAgent } from '../../proof/support/test-agent.ts'
import type { Plugin } from '../../src/core/ports/plugin.ts'
import { textOf } from '../../src/core/domain/message.ts'

const asked: string[] = []
const saying = (name: string, word: string, answer: object): Plugin => ({
  name,
  filterInput: (messages) => {
    asked.push(name)
    return messages.some((message) => textOf(message).includes(word)) ? (answer as { warn: string }) : undefined
  },
})
const filters = [
  saying('polite', 'damn', { warn: 'Mind your words.' }),
  saying('secret', 'sk-', { reject: 'It holds a key.' }),
  saying('last', 'damn', { warn: 'Really.' }),
]

test('PH-03 appends warnings to the last user message, and calls every filter in order', async () => {
  asked.length = 0
  const { agent, prompts } = testAgent({ replies: ['Bye'], plugins: [...filters] })
  await agent.run('damn', { runId })
  expect(asked).toEqual(['polite', 'secret', 'last'])
  expect(prompts[0]).toEqual(['user: damn[Warning: Mind your words.][Warning: Really.]'])
})

test('PH-03 a rejected prompt is in no store, and the model is never asked', async () => {
  asked.length = 0
  const { agent, prompts, store } = testAgent({ replies: ['Bye'], plugins: [...filters] })
  const run = agent.start('damn sk-1234', { runId })
  const events = await eventsOf(run)
  expect(events.map(({ type }) => type)).toEqual(['run.started', 'input.rejected', 'run.ended'])
  expect(events[1]).toMatchObject({ kind: 'prompt', filter: 'secret', reason: 'It holds a key.' })
  const result = await run.settled()
  expect(result).toMatchObject({
    outcome: { reason: 'stopped', code: 'input_rejected' },
    rejection: { filter: 'secret', reason: 'It holds a key.' },
    messages: [],
  })
  expect(asked).toEqual(['polite', 'secret'])
  expect(prompts).toEqual([])
  expect(JSON.stringify(await store.read(runId))).not.toContain('sk-1234')
})

test('PH-03 filters steering and follow-ups too, and drops only the rejected ones', async () => {
  const { agent, store } = testAgent({ replies: ['1', '2', '3', '4'], plugins: [...filters] })
  const run = agent.start('Hi', { runId, drive: false })
  await run.followUp('a sk-1')
  await run.followUp('b damn')
  await run.steer('c sk-2')
  const events = await eventsOf(run)
  const rejected = events.flatMap((event) => (event.type === 'input.rejected' ? [event.kind] : []))
  expect(rejected).toEqual(['steer', 'followUp'])
  expect(await transcriptOf(store, runId)).toEqual([
    'user: Hi',
    'assistant: 1',
    'user: b damn[Warning: Mind your words.][Warning: Really.]',
    'assistant: 2',
  ])
})

test.each<[string, NonNullable<Plugin['filterInput']>, string]>([
  [
    'throws',
    () => {
      throw new Error('boom')
    },
    'Plugin "f" failed in filterInput: boom',
  ],
  ['answers something else', () => ({ warn: 1 }) as never, 'Plugin "f" failed in filterInput: its answer is invalid'],
  [
    'never ends',
    () => new Promise<never>(() => {}),
    'Plugin "f" failed in filterInput: it did not finish within 5 ms.',
  ],
])('PH-03 ends the run and names a filter that %s', async (name, check, message) => {
  const { agent, clock } = testAgent({
    replies: ['Bye'],
    plugins: [{ name: 'f', filterInput: check }],
    limits: { pluginTimeoutMs: 5 },
  })
  const settled = agent.run('Hi', { runId })
  if (name === 'never ends') {
    await clock.sleeping(clock.now() + 5)
    clock.advance(5)
  }
  const result = await settled
  expect(result.outcome.reason).toBe('error')
  expect(result.outcome.error?.message).toContain(message)
})

test('PH-03 RUN-07 a filter that never ends does not keep a cancel from ending the run', async () => {
  const { agent } = testAgent({ plugins: [{ name: 'f', filterInput: () => new Promise<never>(() => {}) }] })
  const run = agent.start('Hi', { runId })
  await run.cancel()
  expect((await run.settled()).outcome).toEqual({ reason: 'cancelled' })
})

test('PH-03 neither a filter nor a context builder can change the values that it receives', async () => {
  const tries = (messages: unknown) => {
    const [message] = messages as { content: { text: string }[] }[]
    const [block] = message?.content ?? []
    if (block !== undefined) block.text = 'Something else.'
  }
  const message = {
    role: 'user',
    content: ['Hi', 'you'].map((text) => ({ type: 'text', text }) as const),
    timestamp: 1,
  } as const
  const filter: Plugin = { name: 'sly', filterInput: tries }
  const filtered = testAgent({ replies: ['Bye'], plugins: [filter] })
  expect((await filtered.agent.run([message], { runId })).outcome).toMatchObject({
    reason: 'error',
    error: { message: expect.stringMatching(/Plugin "sly" failed in filterInput: .*read only/) },
  })
  const contextBuilder = ({ input }: { readonly input: unknown }) => {
    tries(input)
    return { system: '' }
  }
  const built = testAgent({ replies: ['Bye'], plugins: [{ name: 'builder', buildContext: contextBuilder }] })
  expect((await built.agent.run([message], { runId })).outcome).toMatchObject({
    reason: 'error',
    error: { message: expect.stringMatching(/read only/) },
  })
})
