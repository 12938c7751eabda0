import { expect, test } from 'vitest'
import type { Model, ModelRequest, Plugin } from '../../src/index.ts'
import { userMessage } from '../../src/core/domain/message.ts'
import { scripted, type ScriptedReply } from '../../src/adapters/providers/scripted.ts'
import { start } from '../../proof/support/fake-clock.ts'
import { call, calls, say } from '../../proof/support/say.ts'
import { runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { toolbox } from '../../proof/support/tools.ts'

/** Each request of a run as its messages with their counts. */
async function seenBy(
  replies: readonly ScriptedReply[],
  options: TestAgentOptions = {},
  by: 'calls' | 'messages' = 'messages',
) {
  const asked: string[][] = []
  const inner = scripted(replies, { now: () => start, by })
  const model: Model = {
    ...inner,
    stream(request: ModelRequest) {
      asked.push(request.messages.map((message, place) => `${request.seen?.[place]} ${say(message)}`))
      return inner.stream(request)
    },
  }
  const { act } = toolbox()
  const picture = { type: 'image' as const, data: 'iVBORw0KGgo=', mimeType: 'image/png' }
  const prompt = { role: 'user' as const, content: [{ type: 'text' as const, text: 'See.' }, picture] }
  const { agent } = testAgent({ model, tools: [act()], retry: { maxRetries: 1, initialDelayMs: 0 }, ...options })
  const run = agent.start([prompt], { runId })
  await run.settled()
  await (await run.prompt('And now?', { runId: 'run-2' })).settled()
  return asked
}

test("AGT-14 counts for each message the answers since it was added: a model's messages from 1, others from 0", async () => {
  expect(await seenBy([calls(call('c1', 'act')), 'Yes.', 'No.'])).toEqual([
    ['0 user: See.'],
    ['1 user: See.', '1 assistant: calls 1.c1 act', '0 result 1.c1: act done'],
    [
      ...['2 user: See.', '2 assistant: calls 1.c1 act', '1 result 1.c1: act done'],
      ...['1 assistant: Yes.', '0 user: And now?'],
    ],
  ])
})

test('AGT-14 does not count an attempt that failed', async () => {
  const failing = { error: { kind: 'network' as const, message: 'Away.' } }
  expect(await seenBy([failing, 'Yes.', 'No.'], {}, 'calls')).toEqual([
    ['0 user: See.'],
    ['0 user: See.'],
    ['1 user: See.', '1 assistant: Yes.', '0 user: And now?'],
  ])
})

test('AGT-14 keeps the counts of a prompt to which the request to finish is added', async () => {
  const replies = [calls(call('c1', 'act')), 'The best I have.', 'No.']
  const [, finishing] = await seenBy(replies, { limits: { maxTurns: 1 }, onLimit: 'finish' })
  expect(finishing).toEqual([
    '1 user: See.',
    '1 assistant: calls 1.c1 act',
    '0 result 1.c1: act done',
    '0 user: You have reached your limit. Give your best final answer now, without calling tools.',
  ])
})

test('AGT-14 keeps the counts if a plugin adds messages and leaves others out', async () => {
  const plugin: Plugin = {
    name: 'adds',
    transformRequest: (request) => ({
      ...request,
      seen: [9],
      messages: [userMessage('First.', 0), ...request.messages.slice(1)],
    }),
  }
  expect((await seenBy(['Yes.', 'No.'], { plugins: [plugin] }))[1]).toEqual([
    '0 user: First.',
    '1 assistant: Yes.',
    '0 user: And now?',
  ])
})

test('A6 AGT-14 masks a picture that a model has answered', async () => {
  const sent: string[] = []
  const plugin: Plugin = {
    name: 'reads',
    transformRequest: (request) => {
      sent.push(JSON.stringify(request.messages[0]?.content.at(-1)))
      return request
    },
  }
  const picture = JSON.stringify({ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' })
  await seenBy(['Yes.', 'No.'], { plugins: [plugin] })
  expect(sent).toEqual([picture, picture])
  sent.length = 0
  await seenBy(['Yes.', 'No.'], { plugins: [plugin], request: { maskSeenMedia: true } })
  expect(sent).toEqual([picture, JSON.stringify({ type: 'text', text: 'Media already seen: image/png.' })])
})
