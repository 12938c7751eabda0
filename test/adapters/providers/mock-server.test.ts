import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Model } from '../../../src/core/ports/model.ts'
import { google } from '../../../src/adapters/providers/google/google.ts'
import { wires } from '../../../proof/wires/wires.ts'
import { ask, requestOf } from './ask.ts'
import { clock, result, user, weather } from './history.ts'

/** A server that others wrote to stand for the providers, which refuses whatever it was not told to expect. */
const mock = new LLMock({ port: 0, host: '127.0.0.1', strict: true, logLevel: 'silent' })

beforeAll(async () => {
  const calls = ['Oslo', 'Rome'].map((city) => ({ name: 'weather', arguments: JSON.stringify({ city }) }))
  mock.on({ userMessage: 'Hello' }, { content: 'Hello from a mock.' })
  mock.on({ userMessage: 'Weather?', hasToolResult: false }, { toolCalls: calls })
  mock.on({ userMessage: 'Weather?', hasToolResult: true }, { content: 'It rains in both.' })
  await mock.start()
})

afterAll(async () => {
  await mock.stop()
})

const paths: Readonly<Record<string, string>> = {
  'openai-chat': '/v1',
  'openai-responses': '/v1',
  'ai-sdk': '/v1',
  'ai-sdk-v3': '/v1',
}

/** The mock knows Gemini by its older version alone. */
const models: readonly (readonly [name: string, make: () => Model])[] = wires.map(({ name, make }) =>
  name === 'google'
    ? [name, () => google('gemini-3.8-flash', { apiKey: 'key', baseURL: mock.url, apiVersion: 'v1beta' })]
    : [name, () => make(`${mock.url}${paths[name] ?? ''}`)],
)

test.each(models)('PRV-01 PRV-02 %s answers a text, and refuses unexpected requests', async (_name, make) => {
  const { message } = await ask(make(), requestOf({ messages: [user('Hello')] }))
  expect(message?.content.filter(({ type }) => type === 'text')).toMatchObject([{ text: 'Hello from a mock.' }])
  expect(message?.stopReason).toBe('stop')
  const { error } = await ask(make(), requestOf({ messages: [user('Surprise!')] }))
  expect(error).toMatchObject({ name: 'ModelError', kind: 'network', status: 503 })
})

test.each(models)('PRV-01 PRV-02 %s calls two tools at once and continues with their results', async (_name, make) => {
  const model = make()
  const request = requestOf({ messages: [user('Weather?')], tools: [clock, weather], cache: 'disabled' })
  const { message } = await ask(model, request)
  const calls = message?.content.filter((block) => block.type === 'toolCall') ?? []
  expect(message?.stopReason).toBe('toolUse')
  expect(calls).toMatchObject(['Oslo', 'Rome'].map((city) => ({ name: 'weather', arguments: { city } })))
  const answered = message === undefined ? [] : [message, ...calls.map(({ id }) => result(id))]
  const next = await ask(model, { ...request, messages: [user('Weather?'), ...answered] })
  expect(next.message?.content.filter(({ type }) => type === 'text')).toMatchObject([{ text: 'It rains in both.' }])
})
