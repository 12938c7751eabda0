import { expect, test } from 'vitest'
import type { ExtensionMessage, Plugin } from '../../../src/index.ts'
import type { Prompt, UserMessage } from '../../../src/ports.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { heldReply, runId, testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'

const user = (text: string): UserMessage => ({ role: 'user', content: [{ type: 'text', text }], timestamp: 1 })
const extension = (kind: string, data: ExtensionMessage['data'] = null): ExtensionMessage => ({
  role: 'extension',
  kind,
  data,
  timestamp: 2,
})

/** A transcript without places, and with the text of user messages. */
const heldBy = (messages: readonly { readonly role: string }[]) =>
  messages.map((message) => (message.role === 'extension' ? (message as ExtensionMessage).kind : message.role))

test("AGT-13 keeps a prompt's extension messages in order, and sends them to no model", async () => {
  const { agent, prompts } = testAgent({ replies: ['Hi.'] })
  const prompt = [extension('first', { page: 3 }), user('Hello'), extension('second'), user('there')]
  const { messages } = await agent.run(prompt, { runId })
  expect(messages.slice(0, 4).map(({ place: _, turn: __, ...message }) => message)).toEqual(prompt)
  expect(prompts).toEqual([['user: Hello', 'user: there']])
  expect(heldBy(await (await agent.load(runId)).messages())).toEqual(['first', 'user', 'second', 'user', 'assistant'])
})

test("AGT-13 keeps a plugin's extension messages next to those of the prompt, and sends neither", async () => {
  const plugin: Plugin = { name: 'marker', stepStart: ({ append }) => append(extension('of-plugin')) }
  const { agent, prompts } = testAgent({ replies: ['Hi.'], plugins: [plugin] })
  const { messages } = await agent.run([extension('of-prompt'), user('Hello')])
  expect(heldBy(messages)).toEqual(['of-prompt', 'user', 'of-plugin', 'assistant'])
  expect(prompts).toEqual([['user: Hello']])
})

test('AGT-13 attaches only to a run that was started with the same extension messages', async () => {
  const { agent } = testAgent({ replies: ['Hi.'] })
  const prompt = [extension('mark', 1), user('Hello')]
  await agent.run(prompt, { runId })
  const options = { runId, ifExists: 'attach' } as const
  expect((await agent.run(prompt, options)).status).toBe('done')
  const other = agent.run([extension('mark', 2), user('Hello')], options)
  await expect(other).rejects.toMatchObject({ name: 'UsageError', code: 'other_prompt' })
})

test('AGT-13 stores appended messages in order, from any process, until somebody drives the run', async () => {
  const store = memoryStore()
  const { agent, clock } = testAgent({ replies: ['Hi.'], store })
  const run = agent.start('Hi', { runId, drive: false })
  await run.result()
  const elsewhere = await testAgent({ store, clock, process: 'p2' }).agent.load(runId)
  const receipts = [await run.append('a', 1), await elsewhere.append('b', { two: [2] }), await run.append('a', 1)]
  expect(receipts).toEqual(Array.from({ length: 3 }, () => ({ target: runId, answer: 'applied' })))
  const at = clock.now()
  const posted = [extension('a', 1), extension('b', { two: [2] }), extension('a', 1)]
  expect((await store.inbox(runId, { isOpen: true })).map(({ id: _, ...row }) => row)).toEqual(
    posted.map((message) => ({ at, item: { kind: 'extension', message: { ...message, timestamp: at } } })),
  )
})

test('AGT-13 a waiting run still waits after a message is appended', async () => {
  const tools = [toolbox().act('pay', { needs: 'approval' })]
  const { agent } = testAgent({ replies: [calls(call('c1', 'pay'))], tools })
  const run = agent.start('Hi', { runId })
  await run.settled()
  expect(await run.append('late', null)).toEqual({ target: runId, answer: 'applied' })
  expect((await run.settled()).status).toBe('waiting')
})

test('AGT-13 refuses to append to a finished run', async () => {
  const { agent, store } = testAgent({ replies: ['Hi.'] })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  expect(await run.append('late', 1)).toEqual({ target: runId, answer: 'stale', message: 'Run "run-1" has ended.' })
  expect(await store.inbox(runId, { isOpen: true })).toEqual([])
})

test.each<[string, unknown]>([
  ['no user message', [extension('alone')]],
  ['no kind', [user('Hi'), extension('')]],
  ['half a character pair as kind', [user('Hi'), extension('\ud800')]],
  ['a kind that is not a text', [user('Hi'), { ...extension('a'), kind: 3 }]],
  ['no data', [user('Hi'), { role: 'extension', kind: 'a', timestamp: 1 }]],
  ['no time', [user('Hi'), { role: 'extension', kind: 'a', data: 1 }]],
  ['a message of another role', [user('Hi'), { role: 'assistant', content: [] }]],
  ['an empty list', []],
])('AGT-13 refuses a prompt with %s, and stores nothing', async (_what, prompt) => {
  const { agent, store } = testAgent({ replies: ['Hi.'] })
  expect(() => agent.start(prompt as Prompt)).toThrow(
    expect.objectContaining({
      name: 'UsageError',
      code: 'bad_prompt',
      message: expect.stringContaining('user message'),
    }),
  )
  expect(await store.list()).toEqual([])
})

test.each<[string, unknown, unknown]>([
  ['an empty kind', ' ', 1],
  ['a kind that is not a text', 7, 1],
  ['half a character pair as kind', '\ud800', 1],
  ['no data', 'a', undefined],
  ['data that is not JSON', 'a', new Map()],
  ['data that holds itself', 'a', endless()],
  ['a key no store takes', 'a', JSON.parse('{"__proto__":1}')],
])('AGT-13 refuses to append %s, and stores nothing', async (_what, kind, data) => {
  const { agent, store } = testAgent({ replies: ['Hi.'] })
  const run = agent.start('Hi', { runId, drive: false })
  const appended = run.append(kind as string, data as null)
  await expect(appended).rejects.toMatchObject({ name: 'UsageError', code: 'bad_message' })
  await expect(appended).rejects.toThrow('Expected append(kind, data) with a non-empty text, and JSON.')
  expect(await store.inbox(runId, { isOpen: true })).toEqual([])
})

function endless(): object {
  const value: { self?: object } = {}
  value.self = value
  return value
}
test('AGT-13 moves appended messages into the transcript in order, in a running run and in a waiting one', async () => {
  const store = memoryStore()
  const held = heldReply()
  const tools = [toolbox().act('pay', { needs: 'approval' })]
  const { agent, clock, prompts } = testAgent({ replies: [held.reply, 'Bye'], store, tools })
  const run = agent.start('Hi', { runId })
  const driving = run.settled()
  await held.asked
  const elsewhere = await testAgent({ store, clock, process: 'p2' }).agent.load(runId)
  await run.append('a', 1)
  await elsewhere.append('b', 2)
  held.give(calls(call('c1', 'pay')))
  expect((await driving).status).toBe('waiting')
  await run.append('c', 3)
  await run.approve()
  const { messages } = await run.settled()
  expect(heldBy(messages)).toEqual(expect.arrayContaining(['a', 'b', 'c']))
  expect(heldBy(messages).filter((name) => 'abc'.includes(name))).toEqual(['a', 'b', 'c'])
  expect(prompts.flat().some((line) => line.startsWith('extension'))).toBe(false)
  expect(await store.inbox(runId, { isOpen: true })).toEqual([])
})
