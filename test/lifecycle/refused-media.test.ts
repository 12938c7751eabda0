import { expect, test } from 'vitest'
import { ModelError, type Model } from '../../src/index.ts'
import type { ModelMessage } from '../../src/core/domain/message.ts'
import type { ModelRequest } from '../../src/core/ports/model.ts'
import { openaiChat } from '../../src/adapters/providers/openai.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { start } from '../../proof/support/fake-clock.ts'
import { toolNamed } from '../../proof/support/tools.ts'
import { loopbackServer } from '../../proof/support/loopback-server.ts'
import { eventsOf, runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'

/** Base64 that begins as a PNG does. */
const picture = (name: string) =>
  Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.from(name)]).toString('base64')

/** The pictures of a request, and the texts that stand for those left out. */
const shownIn = ({ messages }: Pick<ModelRequest, 'messages'>) =>
  messages.flatMap(({ content }: ModelMessage) =>
    content.flatMap((block) => {
      if (block.type === 'image') return [block.data.slice(-6)]
      return block.type === 'text' && block.text.includes('was left out') ? [block.text] : []
    }),
  )

/** A model that refuses requests with one of some pictures, and keeps what it was shown. */
function refusing(replies: Parameters<typeof scripted>[0], ...refused: readonly string[]) {
  const shown: (readonly string[])[] = []
  const inner = scripted(replies, { now: () => start })
  const model: Model = {
    ...inner,
    async *stream(request) {
      shown.push(shownIn(request))
      if (shownIn(request).some((one) => refused.some((data) => data.endsWith(one))))
        throw new ModelError('api', 'vendor answered HTTP 400: Could not process image.', { status: 400 })
      yield* inner.stream(request)
    },
  }
  return { model, shown }
}

const [good, bad, worse] = [picture('good'), picture('bad.'), picture('worse')]
const asked = (...pictures: readonly string[]) => [
  {
    role: 'user' as const,
    content: [
      { type: 'text' as const, text: 'Look.' },
      ...pictures.map((data) => ({ type: 'image' as const, data, mimeType: 'image/png' })),
    ],
  },
]
const end = (data: string) => data.slice(-6)
const why = 'the model refused a request with it: vendor answered HTTP 400: Could not process image'
const gone = `[An image of type image/png was left out: ${why}.]`
const yes = () => 'Yes.'

test('PRV-11 retries a request that was refused with 400 once, without the new picture', async () => {
  const { model, shown } = refusing(yes, bad)
  const { agent } = testAgent({ model })
  const run = agent.start(asked(bad), { runId })
  const events = await eventsOf(run)
  expect(shown).toEqual([[end(bad)], [gone]])
  expect(events.filter(({ type }) => type === 'model.failed')).toMatchObject([{ error: { code: 'api_error' } }])
  expect(events.at(-1)).toMatchObject({ type: 'run.ended', outcome: { reason: 'natural_end' } })
  const messages = await run.messages()
  expect(messages.map(({ role }) => role)).toEqual(['user', 'extension', 'assistant'])
  expect(messages[1]).toMatchObject({
    kind: 'media.refused',
    data: { media: [{ title: 'An image of type image/png' }], reason: why },
  })
})

test('PRV-11 leaves a refused picture out of every later request, in another process too', async () => {
  const { model, shown } = refusing(yes, bad)
  const store = memoryStore()
  const { agent } = testAgent({ model, store })
  const run = agent.start(asked(bad), { runId })
  await run.settled()
  await (await run.prompt('And now?', { runId: 'run-2' })).settled()
  expect(shown).toEqual([[end(bad)], [gone], [gone]])

  const other = refusing(yes)
  const cold = testAgent({ model: other.model, store, process: 'p2' })
  const second = await cold.agent.load('run-2')
  await (await second.prompt('And then?', { runId: 'run-3' })).settled()
  expect(other.shown).toEqual([[gone]])
})

test('PRV-11 keeps the pictures that an answer has followed', async () => {
  const { model, shown } = refusing(yes, bad)
  const { agent } = testAgent({ model })
  const run = agent.start(asked(good), { runId })
  await run.settled()
  await (await run.prompt(asked(bad), { runId: 'run-2' })).settled()
  expect(shown).toEqual([[end(good)], [end(good), end(bad)], [end(good), gone]])
})

test('PRV-11 does not retry again if the request without the picture is refused too, until the next prompt', async () => {
  const { model, shown } = refusing(yes, bad)
  let refusals = 2
  const stubborn: Model = {
    ...model,
    async *stream(request) {
      shown.push(shownIn(request))
      if (refusals-- > 0) throw new ModelError('api', 'No.', { status: 400 })
      yield* model.stream(request)
    },
  }
  const { agent } = testAgent({ model: stubborn })
  const run = agent.start(asked(bad), { runId })
  expect((await run.settled()).outcome).toMatchObject({ reason: 'error', error: { code: 'api_error' } })
  expect(shown).toHaveLength(2)
  expect((await run.messages()).map(({ role }) => role)).toEqual(['user', 'assistant'])
  const next = await run.prompt('And now?', { runId: 'run-2' })
  expect((await next.settled()).outcome).toEqual({ reason: 'natural_end' })
  expect(shown.at(-1)).toEqual([gone])
})

test.for<[string, ConstructorParameters<typeof ModelError>, readonly string[]]>([
  ['an outage', ['network', 'Gone.', { status: 503 }], [bad]],
  ['refused credentials', ['auth', 'No key.', { status: 401 }], [bad]],
  ['an unknown model', ['api', 'invalid model', { status: 400 }], [bad]],
  ['a failure without a status', ['api', 'Odd.'], [bad]],
  ['a prompt without pictures', ['api', 'Odd.', { status: 400 }], []],
])('PRV-11 leaves no picture out after %s', async ([, failure, pictures]) => {
  const inner = scripted(yes, { now: () => start })
  let count = 0
  const model: Model = {
    ...inner,
    stream() {
      count++
      throw new ModelError(...failure)
    },
  }
  const { agent } = testAgent({ model, retry: { maxRetries: 0 } })
  const { outcome } = await agent.start(asked(...pictures), { runId }).settled()
  expect(outcome.reason).toBe('error')
  expect(count).toBe(1)
})

const show = (data: string, more: Parameters<typeof toolNamed>[2] = {}) =>
  toolNamed('show', () => ({ content: [{ type: 'image' as const, data, mimeType: 'image/png' }] }), more)

const toShow = { toolCalls: [{ id: 'a', name: 'show', arguments: {} }] }

test("PRV-11 leaves a result's picture out, and its call keeps its result", async () => {
  const { model, shown } = refusing([toShow, 'Done.'], bad)
  const { agent } = testAgent({ model, tools: [show(bad)] })
  const run = agent.start('Go.', { runId })
  expect((await run.settled()).outcome).toEqual({ reason: 'natural_end' })
  expect(shown).toEqual([[], [end(bad)], [gone]])
})

test("PRV-11 leaves a late result's picture out, even if an answer follows its place", async () => {
  const other = toolNamed('other', () => 'ok')
  const both = { toolCalls: [...toShow.toolCalls, { id: 'b', name: 'other', arguments: {} }] }
  const { model, shown } = refusing([both, 'Meanwhile.', 'Done.', 'More.'], bad)
  const options: TestAgentOptions = { model, tools: [show(bad, { needs: 'approval' }), other] }
  const { agent } = testAgent(options)
  const run = agent.start('Go.', { runId })
  await run.settled()
  await run.approve()
  expect((await run.settled()).outcome).toEqual({ reason: 'natural_end' })
  expect(shown).toEqual([[], [], [end(bad)], [gone]])
  await (await run.prompt('And now?', { runId: 'run-2' })).settled()
  expect(shown.at(-1)).toEqual([gone])
})

test('PRV-11 lists all pictures that are left out together', async () => {
  const { model, shown } = refusing(yes, worse)
  const { agent } = testAgent({ model })
  await agent.start(asked(good, worse), { runId }).settled()
  expect(shown).toEqual([
    [end(good), end(worse)],
    [gone, gone],
  ])
})

test('PRV-11 leaves a picture out that a server refuses in its stream', async () => {
  const told = { type: 'error', code: 'invalid_base64_image', message: 'Invalid image.' }
  await using server = await loopbackServer((response, { body }) => {
    const lines = body.includes('data:image') ? [JSON.stringify({ error: told })] : [answered, '[DONE]']
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(lines.map((line) => `data: ${line}\n\n`).join(''))
  })
  const model = openaiChat('m', { baseURL: server.origin, apiKey: 'k' })
  const run = testAgent({ model }).agent.start(asked(bad), { runId })
  expect((await run.settled()).outcome).toEqual({ reason: 'natural_end' })
  expect((await run.messages()).map(({ role }) => role)).toEqual(['user', 'extension', 'assistant'])
})

const answered = '{"choices":[{"index":0,"delta":{"content":"Yes."},"finish_reason":"stop"}]}'
