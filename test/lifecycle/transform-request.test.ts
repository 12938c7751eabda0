import { expect, test } from 'vitest'
import type { Plugin } from '../../src/index.ts'
import { userMessage } from '../../src/core/domain/message.ts'
import { start } from '../../proof/support/fake-clock.ts'
import { resultsOf, transcriptOf } from '../../proof/support/read-run.ts'
import { recorded } from '../../proof/support/recorded-requests.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { runId, testAgent } from '../../proof/support/test-agent.ts'

type Transform = NonNullable<Plugin['transformRequest']>

const transforming = (name: string, transformRequest: Transform): Plugin => ({ name, transformRequest })
const adding =
  (text: string): Transform =>
  (request) => ({ ...request, messages: [...request.messages, userMessage(text, start)] })

test('PH-01 passes a request from plugin to plugin at each attempt, and does not store it', async () => {
  const about: unknown[] = []
  const failing = { error: { kind: 'network' as const, message: 'Away.' } }
  const asked: unknown[] = []
  const { agent, store } = testAgent({
    model: recorded([failing], 'own', asked).model,
    fallbackModels: [recorded(['Bye'], 'second', asked).model],
    retry: { maxRetries: 0 },
    plugins: [
      transforming('a', (request, { signal, ...context }) => {
        about.push({ ...context, aborted: signal.aborted, keys: Object.keys(request) })
        return adding(`a ${context.model}`)(request, { signal, ...context })
      }),
      transforming('b', async (request) => ({ ...request, system: 'Be brief.', temperature: 0.5, tools: [] })),
    ],
  })
  await agent.run('Hi', { runId })

  const keys = ['system', 'messages', 'seen', 'answers', 'tools', 'lifecycle']
  expect(about).toEqual([
    { runId, turn: 1, model: 'scripted/own', state: {}, aborted: false, keys },
    { runId, turn: 1, model: 'scripted/second', state: {}, aborted: false, keys },
  ])
  expect(asked).toMatchObject([
    { model: 'own', messages: ['user: Hi', 'user: a scripted/own'], temperature: 0.5 },
    { model: 'second', messages: ['user: Hi', 'user: a scripted/second'], temperature: 0.5 },
  ])
  expect(await transcriptOf(store, runId)).toEqual(['user: Hi', 'assistant: Bye'])
})

test('RUN-02 PH-01 sends exactly one result for every call, even if a transform removes results', async () => {
  const { act } = toolbox()
  const { model, asked } = recorded([calls(call('c1', 'act')), 'Bye'])
  const { agent } = testAgent({
    model,
    tools: [act()],
    plugins: [
      transforming('lossy', (request) => ({
        ...request,
        messages: request.messages.filter(({ role }) => role !== 'toolResult'),
      })),
    ],
  })
  await agent.run('Hi', { runId })
  expect(asked[1]).toMatchObject({
    messages: [
      'user: Hi',
      'assistant: calls 1.c1 act',
      'result 1.c1 (error): [Tool execution was interrupted before producing a result.]',
    ],
  })
})

test('TC-02 PH-01 fails a call of a tool that a transform removed from the request', async () => {
  const { act, done } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'erase')), 'Bye'],
    tools: [act(), act('erase')],
    plugins: [
      transforming('narrow', (request) => ({
        ...request,
        tools: request.tools.filter(({ name }) => name !== 'erase'),
      })),
    ],
  })
  await agent.run('Hi', { runId })
  expect(done).toEqual([])
  expect(await resultsOf(store, runId)).toEqual({
    '1.c1': 'Tool "erase" is not offered in this step. Available tools: act.',
  })
})

const like = 'Expected the given request or a changed copy of it: { system, messages, tools, … }.'

test.for<[string, (request: Parameters<Transform>[0]) => unknown, string]>([
  [
    'a throw',
    () => {
      throw new Error('boom')
    },
    'boom',
  ],
  ['nothing', () => undefined, `The request is not JSON: it is undefined. ${like}`],
  ['a text', () => 'Hi', `The request is not an object. ${like}`],
  [
    'a big integer',
    (request) => ({ ...request, n: 1n }),
    `The request is not JSON: it contains a big integer. ${like}`,
  ],
  ['no system', ({ system: _, ...request }) => request, `The request has no text as system. ${like}`],
  [
    'a message as messages',
    (request) => ({ ...request, messages: 'Hi' }),
    `The request has no list of messages. ${like}`,
  ],
  [
    'an unreadable message',
    (request) => ({ ...request, messages: [...request.messages, { role: 'user', content: 'Hi' }] }),
    `Message 1 of the request is not valid for a model. ${like}`,
  ],
  [
    'an extension message',
    (request) => ({ ...request, messages: [{ role: 'extension', kind: 'k', data: 1, timestamp: 0 }] }),
    `Message 0 of the request is not valid for a model. ${like}`,
  ],
  ['no tools', ({ tools: _, ...request }) => request, `The request has no list of tools. ${like}`],
  [
    'a tool without parameters',
    (request) => ({ ...request, tools: [{ name: 'act', description: '' }] }),
    'A tool of the request is invalid. Expected { name, description, parameters }.',
  ],
  [
    'a tool that was not offered',
    (request) => ({ ...request, tools: [{ name: 'erase', description: '', parameters: {} }] }),
    'Tool "erase" of the request was not offered. Offered: act.',
  ],
  [
    'a model',
    (request) => ({ ...request, model: 'x' }),
    'A request names no model. Use override({ model }) in beforeModel.',
  ],
  [
    'an unknown field',
    (request) => ({ ...request, maxToken: 5 }),
    'The setting "maxToken" is not known. Known: model, thinking, temperature, maxTokens, toolChoice, requiredCall.',
  ],
  [
    'a temperature below 0',
    (request) => ({ ...request, temperature: -1 }),
    'The setting temperature is -1. Expected a finite number of 0 or more.',
  ],
  [
    'a cache that is none',
    (request) => ({ ...request, cache: 5 }),
    'The request has no readable cache. Expected auto, disabled or { system?, tools?, messages? }.',
  ],
  [
    'an output that is none',
    (request) => ({ ...request, output: 'json' }),
    'The request has no readable output. Expected { name, schema }.',
  ],
  [
    'a write to what it was given',
    (request) => Object.assign(request, { system: 'x' }),
    "Cannot assign to read only property 'system' of object '#<Object>'",
  ],
  [
    'a write to the messages',
    (request) => (request.messages as unknown[]).pop(),
    "Cannot delete property '0' of [object Array]",
  ],
])('RUN-06 PH-01 ends the run and names the plugin whose transform returns %s', async ([, transform, why]) => {
  const { model, asked } = recorded(['Bye'])
  const { agent } = testAgent({
    model,
    tools: [toolbox().act()],
    plugins: [transforming('misusing', transform as Transform)],
  })
  const { outcome } = await agent.run('Hi', { runId })
  expect(outcome).toEqual({
    reason: 'error',
    error: { code: 'effect_failed', message: `Plugin "misusing" failed in transformRequest: ${why}` },
  })
  expect(asked).toEqual([])
})

test('PH-01 ends the run if a transform does not end in time', async () => {
  const { agent, clock } = testAgent({
    replies: ['Bye'],
    plugins: [
      transforming('slow', (_, { signal }) => {
        clock.advance(50)
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
      }),
    ],
    limits: { pluginTimeoutMs: 50 },
  })
  expect((await agent.run('Hi', { runId })).outcome.error?.message).toBe(
    'Plugin "slow" failed in transformRequest: it did not finish within 50 ms.',
  )
})
