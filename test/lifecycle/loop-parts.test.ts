import { expect, test } from 'vitest'
import { type Plugin, textOf, type Tracer } from '../../src/index.ts'
import type { AssistantMessage, TracedAnswer, TracedEnd, WorkTrace } from '../../src/ports.ts'
import { userMessage } from '../../src/core/domain/message.ts'
import { start } from '../../proof/support/fake-clock.ts'
import { resultsOf, transcriptOf } from '../../proof/support/read-run.ts'
import { recorded } from '../../proof/support/recorded-requests.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { eventsOf, runId, testAgent } from '../../proof/support/test-agent.ts'

test('AGT-07 a prompt builder makes the messages of each attempt, and none of them is stored', async () => {
  const about: unknown[] = []
  const asked: unknown[] = []
  const failing = { error: { kind: 'network' as const, message: 'Away.' } }
  const buildPrompt: NonNullable<Plugin['buildPrompt']> = (messages, { signal, ...context }) => {
    about.push({ ...context, aborted: signal.aborted, isFrozen: Object.isFrozen(messages) })
    return [...messages, userMessage(`for ${context.model}`, start)]
  }
  const { agent, store } = testAgent({
    model: recorded([failing], 'own', asked).model,
    fallbackModels: [recorded(['Bye'], 'second', asked).model],
    retry: { maxRetries: 0 },
    plugins: [{ name: 'prompts', buildPrompt }],
  })
  await agent.run('Hi', { runId })

  const context = { runId, turn: 1, state: {}, aborted: false, isFrozen: true }
  expect(about).toEqual([
    { ...context, model: 'scripted/own' },
    { ...context, model: 'scripted/second' },
  ])
  expect(asked).toMatchObject([
    { model: 'own', messages: ['user: Hi', 'user: for scripted/own'] },
    { model: 'second', messages: ['user: Hi', 'user: for scripted/second'] },
  ])
  expect(await transcriptOf(store, runId)).toEqual(['user: Hi', 'assistant: Bye'])
})

test('AGT-07 RUN-02 each call has one result, even if a prompt builder leaves results out', async () => {
  const { act } = toolbox()
  const { model, asked } = recorded([calls(call('c1', 'act')), 'Bye'])
  const buildPrompt: NonNullable<Plugin['buildPrompt']> = (messages) =>
    messages.filter(({ role }) => role !== 'toolResult')
  await testAgent({ model, tools: [act()], plugins: [{ name: 'prompts', buildPrompt }] }).agent.run('Hi', { runId })
  expect(asked[1]).toMatchObject({
    messages: [
      'user: Hi',
      'assistant: calls 1.c1 act',
      'result 1.c1 (error): [Tool execution was interrupted before producing a result.]',
    ],
  })
})

test('AGT-07 keeps the answer that the application returns, and the whole usage', async () => {
  const { act, done } = toolbox()
  const onAnswer: NonNullable<Plugin['onAnswer']> = ({ content }, { turn }) =>
    turn > 1 ? undefined : { content: [...content, { type: 'toolCall', id: 'c1', name: 'act', arguments: {} }] }
  const replies = [{ text: 'Act!', usage: { input: 7, output: 3 } }, 'Bye']
  const { agent, store } = testAgent({ replies, tools: [act()], plugins: [{ name: 'answers', onAnswer }] })
  const { usage } = await agent.run('Hi', { runId })
  expect(done).toEqual(['act {}'])
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'act done' })
  expect(await transcriptOf(store, runId)).toEqual([
    'user: Hi',
    'assistant: Act! calls 1.c1 act',
    '1.c1 succeeded, result 1.c1: act done',
    'assistant: Bye',
  ])
  expect(usage).toMatchObject({ input: 7, output: 3 })
})

const list = 'Expected a list of messages.'
const content = 'Expected { content: [text, thinking or toolCall blocks] }, { refuse: reason } or nothing.'

test.for<[string, object, string]>([
  [
    'a prompt builder that throws',
    {
      plugins: [
        {
          name: 'prompts',
          buildPrompt: () => {
            throw new Error('boom')
          },
        },
      ],
    },
    'Plugin "prompts" failed in buildPrompt: boom',
  ],
  [
    'nothing as prompt',
    { plugins: [{ name: 'prompts', buildPrompt: () => undefined }] },
    `Plugin "prompts" failed in buildPrompt: its result is not JSON: it is undefined. ${list}`,
  ],
  [
    'a text as prompt',
    { plugins: [{ name: 'prompts', buildPrompt: () => 'Hi' }] },
    `Plugin "prompts" failed in buildPrompt: its result is not a list. ${list}`,
  ],
  [
    'an unreadable message',
    { plugins: [{ name: 'prompts', buildPrompt: () => [{ role: 'user', content: 'Hi' }] }] },
    'Plugin "prompts" failed in buildPrompt: message 0 of its result is not valid for a model.',
  ],
  [
    'a text as answer',
    { plugins: [{ name: 'answers', onAnswer: () => 'Hi' }] },
    `Plugin "answers" failed in onAnswer: it returned neither content nor a reason to refuse. ${content}`,
  ],
  [
    'an unreadable block',
    { plugins: [{ name: 'answers', onAnswer: () => ({ content: [{ type: 'text' }] }) }] },
    'Plugin "answers" failed in onAnswer: The model scripted/scripted gave an invalid answer. Expected { role: "assistant", content: [text, thinking or toolCall blocks] }.',
  ],
])('AGT-07 ends the run with a reason if a part of the loop returns %s', async ([, part, message]) => {
  const { agent } = testAgent({ replies: ['Bye'], ...part })
  const { outcome } = await agent.run('Hi', { runId })
  expect(outcome).toMatchObject({ reason: 'error', error: { message: expect.stringContaining(message) } })
})

test.for([false, true])(
  'AGT-07 emits and stores an answer only as plugins returned it, continued: %s',
  async (isContinued) => {
    const seen: string[] = []
    const onAnswer: NonNullable<Plugin['onAnswer']> = (answer) => {
      seen.push(textOf(answer))
      return { content: [{ type: 'text', text: textOf(answer).replaceAll('hunter2', '[hidden]') }] }
    }
    const polite: Plugin = {
      name: 'polite',
      onAnswer: (answer) => ({ content: [{ type: 'text', text: `${textOf(answer)}!` }] }),
    }
    const parts = [{ text: 'It is hunt', stopReason: 'length' as const }, 'er2']
    const traced: unknown[] = []
    const { agent, store } = testAgent({
      replies: isContinued ? parts : ['It is hunter2'],
      plugins: [{ name: 'hiding', onAnswer }, polite],
      tracer: tracing(traced),
    })
    const run = agent.start('Hi', { runId })
    const events = await eventsOf(run)
    const deltas = events.flatMap((event) => (event.type === 'message.updated' ? [event.delta] : []))
    expect(seen).toEqual(['It is hunter2'])
    expect(deltas).toEqual([{ type: 'text', delta: 'It is [hidden]!' }])
    expect((await run.result()).text).toBe('It is [hidden]!')
    const everything = JSON.stringify([events, await store.read(runId), traced])
    expect(['hunt', 'er2'].filter((part) => everything.includes(part))).toEqual([])
    expect(traced).toHaveLength(isContinued ? 2 : 1)
  },
)

test('AGT-07 ends the run if a plugin throws on an answer, and stores neither', async () => {
  const onAnswer = (answer: AssistantMessage) => {
    throw new Error(textOf(answer))
  }
  const { agent, store } = testAgent({ replies: ['hunter2'], plugins: [{ name: 'hiding', onAnswer }] })
  const run = agent.start('Hi', { runId })
  const events = await eventsOf(run)
  const { outcome } = await run.settled()
  const why = 'it threw. The exception is not stored, because it may contain the hidden text.'
  expect(outcome.error?.message).toBe(`Plugin "hiding" failed in onAnswer: ${why}`)
  expect(JSON.stringify([events, await store.read(runId)])).not.toContain('hunter2')
})

/** A tracer that keeps the answers it is shown. */
function tracing(traced: unknown[]): Tracer {
  const open = <End>(): WorkTrace<End> => ({ within: (perform) => perform(), end: () => {} })
  const asking = (): WorkTrace<TracedAnswer> => ({ ...open<TracedAnswer>(), end: (end) => void traced.push(end) })
  return { open: () => ({ performing: () => ({ ...open<TracedEnd>(), asking }), end: () => {} }) }
}
