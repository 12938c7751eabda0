import { expect, test } from 'vitest'
import type { ModelRequest } from '../../../src/core/ports/model.ts'
import { google } from '../../../src/adapters/providers/google/google.ts'
import { vertex } from '../../../src/adapters/providers/google/vertex.ts'
import { faultServer, stream } from '../../../proof/wires/fault-server.ts'
import { googleChunk, googleWire } from '../../../proof/wires/google-wire.ts'
import { dataFrame } from '../../../proof/wires/wire.ts'
import { ask, requestOf } from './ask.ts'
import { assistant, call, picture, result, user } from './history.ts'

async function answerTo(...frames: readonly string[]) {
  await using server = await faultServer(stream(frames))
  return await ask(googleWire.make(server.url))
}

async function sent(model: string, parts: Partial<ModelRequest>) {
  await using server = await faultServer(stream([...googleWire.opening, ...googleWire.closing]))
  await ask(google(model, { apiKey: 'key', baseURL: server.url }), requestOf(parts))
  return Object(server.requests[0]?.body)
}

test('PRV-10 keeps signatures with their parts, and sends all of them back to the same model', async () => {
  const { message } = await answerTo(
    googleChunk([
      { text: 'Think', thought: true },
      { text: 'ing.', thought: true, thoughtSignature: 's1' },
    ]),
    googleChunk([{ text: 'First. ' }, { text: 'Still first.', thoughtSignature: 's2' }]),
    googleChunk([{ text: 'Second.' }]),
    googleChunk([
      { functionCall: { id: 'fc1', name: 'weather', args: { city: 'Oslo' } }, thoughtSignature: 's3' },
      { functionCall: { id: 'fc2', name: 'weather', args: { city: 'Rome' } } },
    ]),
    googleChunk([{ text: '', thoughtSignature: 's4' }], 'STOP'),
  )
  const origin = (data: object) => ({ provider: 'google', model: 'gemini-3.8-flash', data })
  expect(message?.content).toEqual([
    { type: 'thinking', thinking: 'Thinking.', providerData: origin({ thoughtSignature: 's1' }) },
    { type: 'text', text: 'First. Still first.', providerData: origin({ thoughtSignature: 's2' }) },
    { type: 'text', text: 'Second.' },
    {
      type: 'toolCall',
      id: 'fc1',
      name: 'weather',
      arguments: { city: 'Oslo' },
      providerData: origin({ id: 'fc1', thoughtSignature: 's3' }),
    },
    { type: 'toolCall', id: 'fc2', name: 'weather', arguments: { city: 'Rome' }, providerData: origin({ id: 'fc2' }) },
    { type: 'text', text: '', providerData: origin({ thoughtSignature: 's4' }) },
  ])
  const answered =
    message === undefined ? [] : [message, result('fc1', { callId: 'fc1' }), result('fc2', { callId: 'fc2' })]
  const { contents } = await sent('gemini-3.8-flash', { messages: [user('Go'), ...answered] })
  expect(contents.slice(1)).toEqual([
    {
      role: 'model',
      parts: [
        { text: 'Thinking.', thought: true, thoughtSignature: 's1' },
        { text: 'First. Still first.', thoughtSignature: 's2' },
        { text: 'Second.' },
        { functionCall: { id: 'fc1', name: 'weather', args: { city: 'Oslo' } }, thoughtSignature: 's3' },
        { functionCall: { id: 'fc2', name: 'weather', args: { city: 'Rome' } } },
        { text: '', thoughtSignature: 's4' },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { id: 'fc1', name: 'weather', response: { output: 'Rain for fc1.' } } },
        { functionResponse: { id: 'fc2', name: 'weather', response: { output: 'Rain for fc2.' } } },
      ],
    },
  ])
  const elsewhere = await sent('gemini-3.7-flash', { messages: [user('Go'), ...answered] })
  expect(JSON.stringify(elsewhere)).not.toMatch(/"s[1-4]"|Thinking|fc1"/)
})

test('PRV-01 numbers calls that arrive without an id', async () => {
  const part = { functionCall: { name: 'weather', args: {} } }
  const { message } = await answerTo(googleChunk([part, part]), googleChunk([part], 'STOP'))
  expect(message?.content).toMatchObject(['google-fc-0', 'google-fc-1', 'google-fc-2'].map((id) => ({ id })))
})

test('PRV-01 sends older models the images of results after the results', async () => {
  const messages = [
    user('Go'),
    assistant([call('a')], { provider: 'google', model: 'gemini-2.5-flash' }),
    result('a', { content: [picture] }),
  ]
  const { contents } = await sent('gemini-2.5-flash', { messages })
  expect(contents.slice(1)).toEqual([
    { role: 'model', parts: [{ functionCall: { name: 'weather', args: { city: 'Oslo' } } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { output: '(see the image below)' } } }] },
    {
      role: 'user',
      parts: [
        { text: 'Images from the tool weather:' },
        { inlineData: { data: 'iVBORw0KGgo=', mimeType: 'image/png' } },
      ],
    },
  ])
})

test.each([
  ['gemini-2.5-flash', 'off', { thinkingBudget: 0 }],
  ['gemini-2.5-pro', 'off', { thinkingBudget: 128 }],
  ['gemini-2.5-pro', 'minimal', { includeThoughts: true, thinkingBudget: 1024 }],
  ['gemini-2.5-pro', 'high', { includeThoughts: true, thinkingBudget: 16_384 }],
  ['gemini-2.0-flash', 'high', undefined],
  ['gemini-4-neon', 'minimal', { includeThoughts: true, thinkingLevel: 'LOW' }],
  ['gemini-flash-latest', 'high', { includeThoughts: true, thinkingLevel: 'HIGH' }],
] as const)('PRV-03 lets %s think %s as %o', async (model, thinking, config) => {
  expect((await sent(model, { thinking })).generationConfig?.thinkingConfig).toEqual(config)
})

test.each([
  ['SAFETY', 'error', 'The model refused to answer: the answer was stopped (SAFETY).'],
  ['MALFORMED_FUNCTION_CALL', 'error', 'The model gave an answer that cannot be read (MALFORMED_FUNCTION_CALL).'],
  ['SOMETHING_NEW', 'stop', 'google stopped for an unknown reason: "SOMETHING_NEW".'],
])('PRV-01 reports an answer that stopped for %s', async (reason, stopReason, errorMessage) => {
  const { message } = await answerTo(googleChunk([{ text: 'No' }], reason))
  expect(message).toMatchObject({ stopReason, errorMessage })
})

test('PRV-01 treats a blocked prompt as a refusal, not as a broken connection', async () => {
  const { message } = await answerTo(dataFrame({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }))
  expect(message).toMatchObject({
    content: [],
    stopReason: 'error',
    errorMessage: 'The model refused to answer: the prompt was blocked (PROHIBITED_CONTENT).',
  })
})

test('PRV-02 sends Vertex a bearer token, in the given project and location', async () => {
  await using server = await faultServer(stream([...googleWire.opening, ...googleWire.closing]))
  const options = { baseURL: server.url, project: 'my-project', location: 'europe-west4', credentials: () => 'token' }
  await ask(vertex('gemini-3.8-flash', { ...options, headers: { 'x-team': 'north' } }))
  const [received] = server.requests
  expect(received?.path).toBe(
    '/v1/projects/my-project/locations/europe-west4/publishers/google/models/gemini-3.8-flash:streamGenerateContent?alt=sse',
  )
  expect(received?.headers).toMatchObject({ authorization: 'Bearer token', 'x-team': 'north' })
  expect(received?.headers).not.toHaveProperty('x-goog-api-key')
})

test.each([
  ['global', 'https://aiplatform.googleapis.com/v1/projects/p/locations/global/'],
  ['eu', 'https://aiplatform.eu.rep.googleapis.com/v1/projects/p/locations/eu/'],
  ['us-east5', 'https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/'],
])('PRV-02 finds the server of Vertex for %s', async (location, start) => {
  const asked: string[] = []
  const fetch = async (input: string | URL | Request) => {
    asked.push(input instanceof Request ? input.url : String(input))
    return new Response('{}', { status: 500 })
  }
  await ask(vertex('gemini-3.8-flash', { apiKey: 'token', project: 'p', location, fetch }))
  expect(asked.map((url) => url.slice(0, start.length))).toEqual([start])
})
