import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { eventsOf, runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { createAgent } from '../../src/index.ts'
import type { Model, ModelRequest } from '../../src/core/ports/model.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'

const city = z.object({ city: z.string(), people: z.number() })
const correction = (issues: string) => `user: [The answer does not fit the expected output: ${issues}. Answer again.]`

test('AGT-08 tells the model that its answer does not fit, and the model answers again', async () => {
  const asked: { lifecycle: unknown; output: unknown }[] = []
  const reply = (text: string) => (request: ModelRequest) => {
    asked.push({ lifecycle: request.lifecycle, output: request.output })
    return text
  }
  const { act } = toolbox()
  const { agent, store } = testAgent({
    output: city,
    tools: [act()],
    replies: [
      (request) => {
        reply('')(request)
        return calls(call('c1', 'act'))
      },
      reply('{"city":"Bern"}'),
      reply('```json\n{"city":"Bern","people":134591}\n```'),
    ],
  })
  const result = await agent.run('Which?', { runId })
  expect(result).toMatchObject({ outcome: { reason: 'natural_end' }, output: { city: 'Bern', people: 134_591 } })
  expect((await transcriptOf(store, runId)).slice(-3)).toEqual([
    'assistant: {"city":"Bern"}',
    correction('- people: Invalid input: expected number, received undefined'),
    'assistant: ```json\n{"city":"Bern","people":134591}\n```',
  ])
  expect(asked.map(({ lifecycle }) => lifecycle)).toEqual(['init', 'tool_result', 'output_error_feedback'])
  expect(asked[0]?.output).toMatchObject({ name: 'output', schema: { type: 'object', required: ['city', 'people'] } })
  expect(await (await agent.load(runId)).result()).toEqual({ ...result, decisions: [] })
})

test('AGT-08 AGT-12 corrections end at the limit, without an output', async () => {
  const { agent } = testAgent({ output: city, replies: ['no', 'no', 'no'], limits: { maxTurns: 2 } })
  const result = await agent.run('Which?', { runId })
  expect(result.outcome).toEqual({ reason: 'stopped', code: 'max_turns' })
  expect(result).not.toHaveProperty('output')
})

test('AGT-08 AGT-11 accepts a final answer unchanged, with its output if it fits', async () => {
  const { agent } = testAgent({
    replies: ['a', ' long enough '],
    limits: { maxTurns: 1 },
    onLimit: 'finish',
    output: { schema: z.string().min(3), build: ({ text }) => text.trim() },
  })
  const result = await agent.run('Which?', { runId })
  expect(result).toMatchObject({ outcome: { reason: 'stopped', code: 'max_turns' }, output: 'long enough' })
})

test.each<[string, Partial<TestAgentOptions>, string]>([
  [
    'builder',
    {
      output: {
        schema: city,
        build: () => {
          throw new Error('boom')
        },
      },
    },
    'The output builder failed: boom',
  ],
  [
    'schema',
    {
      output: z.string().transform(() => {
        throw new Error('boom')
      }),
    },
    'The output schema failed: - The check itself failed: boom',
  ],
])('AGT-08 a broken %s ends the run in error and keeps the answer', async (_, options, message) => {
  const { agent, store } = testAgent({ ...options, replies: ['Bern'] })
  const { outcome } = await agent.run('Which?', { runId })
  expect(outcome).toMatchObject({ reason: 'error', error: { code: 'output_failed' } })
  expect(outcome.error?.message).toContain(message)
  expect(await transcriptOf(store, runId)).toEqual(['user: Which?', 'assistant: Bern'])
})

test('AGT-08 AGT-03 checks the answer to a message sent at the end too, and only the last output counts', async () => {
  const { agent, store } = testAgent({ output: z.number(), replies: ['1', 'two', '2'] })
  const run = agent.start('Count', { runId, drive: false })
  await run.followUp('On.')
  expect((await run.settled()).output).toBe(2)
  expect(await transcriptOf(store, runId)).toEqual([
    'user: Count',
    'assistant: 1',
    'user: On.',
    'assistant: two',
    correction('- Invalid input: expected number, received string'),
    'assistant: 2',
  ])
})

test('AGT-08 EVT-02 emits the output of an answer while it streams, and nothing without a contract', async () => {
  const streaming = (text: string): Model => {
    const model = scripted([text])
    return {
      ...model,
      async *stream(request) {
        for (const delta of text.match(/.{1,16}/g) ?? []) yield { type: 'text', delta }
        for await (const event of model.stream(request)) if (event.type === 'finished') yield event
      },
    }
  }
  const text = '{"city":"Bern","people":134591}'
  const told = async (options: Partial<TestAgentOptions>) => {
    const events = await eventsOf(testAgent({ model: streaming(text), ...options }).agent.start('Which?', { runId }))
    return events.flatMap((event) => (event.type === 'output.updated' ? [event] : []))
  }
  const head = { type: 'output.updated', runId, subject: runId, at: expect.any(Number), turn: 1 }
  expect(await told({ output: city })).toEqual([
    { ...head, partial: { city: 'Bern' } },
    { ...head, partial: { city: 'Bern', people: 134_591 } },
  ])
  expect(await told({})).toEqual([])
  expect(await told({ output: { schema: city, build: () => ({ city: 'Bern', people: 1 }) } })).toEqual([])
})

test("AGT-08 types a result's output by the agent's schema", async () => {
  const model = scripted(['{"city":"Bern","people":134591}'])
  const { output } = await createAgent({ name: 'guide', model, output: city }).run('Which?')
  expectTypeOf(output).toEqualTypeOf<{ city: string; people: number } | undefined>()
  expect(output?.people).toBe(134_591)
})

test.each([
  [undefined, 4, '3 corrections'],
  [1, 2, 'one correction'],
  [0, 1, '0 corrections'],
])(
  'AGT-08 asks the model with outputRetries %j %i times before the run ends in error',
  async (outputRetries, asked, after) => {
    const options = outputRetries === undefined ? {} : { limits: { outputRetries } }
    const { agent, store } = testAgent({
      output: city,
      replies: Array.from({ length: 9 }, () => '{"city":"Bern"}'),
      ...options,
    })
    const result = await agent.run('Which?', { runId })
    const issues = '- people: Invalid input: expected number, received undefined'
    const message = `The answer does not fit the expected output after ${after}: ${issues}`
    expect(result.outcome).toEqual({ reason: 'error', error: { code: 'output_failed', message } })
    expect(result.turns).toBe(asked)
    const transcript = await transcriptOf(store, runId)
    expect(transcript.filter((line) => line === correction(issues))).toHaveLength(asked - 1)
    expect(transcript.at(-1)).toBe('assistant: {"city":"Bern"}')
  },
)

test('AGT-08 counts corrections from zero after an answer that fits, but not after one that calls tools', async () => {
  const { act } = toolbox()
  const replies = ['no', calls(call('c1', 'act')), 'no']
  const { agent } = testAgent({ output: city, tools: [act()], replies, limits: { outputRetries: 1 } })
  expect((await agent.run('Which?', { runId })).outcome).toMatchObject({ error: { code: 'output_failed' } })
  const fits = '{"city":"Bern","people":1}'
  const second = testAgent({ output: city, replies: ['no', fits, 'no', fits], limits: { outputRetries: 1 } })
  const run = second.agent.start('Which?', { runId })
  await run.followUp('And now?')
  const result = await run.settled()
  expect([result.outcome, result.turns]).toEqual([{ reason: 'natural_end' }, 4])
})
