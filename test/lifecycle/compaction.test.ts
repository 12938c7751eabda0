import { expect, test } from 'vitest'
import type { AgentEvent, Model } from '../../src/index.ts'
import type { CompactionOptions, ModelMessage, PromptStrategy } from '../../src/ports.ts'
import { userMessage } from '../../src/core/domain/message.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { start } from '../../proof/support/fake-clock.ts'
import { messagesOf } from '../../proof/support/long-prompt.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolNamed } from '../../proof/support/tools.ts'
import { eventsOf, runId, stop, testAgent } from '../../proof/support/test-agent.ts'

/** A model that answers every prompt with one text, and keeps what it was sent as JSON. */
function answering(text = 'Yes.', usage = {}) {
  const sent: string[] = []
  const inner = scripted(() => ({ text, usage }), { now: () => start })
  const model: Model = {
    ...inner,
    stream(request) {
      sent.push(JSON.stringify(request.messages))
      return inner.stream(request)
    },
  }
  return { model, sent }
}

function compacted(events: readonly AgentEvent[]) {
  return events.flatMap((event) => {
    if (event.type !== 'context.compacted') return []
    const { tokensBefore, tokensAfter, tier, turn, problem } = event
    return { tokensBefore, tokensAfter, tier, turn, ...(problem === undefined ? {} : { problem }) }
  })
}

test.for([
  [80_900, []],
  [81_000, []],
  [81_100, [{ tokensBefore: 81_100, tokensAfter: 48_680, tier: 3, turn: 1 }]],
] as const)('L11 CTX-01 CTX-02 compacts at %d estimated tokens by its defaults: %o', async ([tokens, events]) => {
  const { model, sent } = answering()
  const { agent, store } = testAgent({ model })
  const run = agent.start(messagesOf(20, tokens), { runId })
  expect(compacted(await eventsOf(run))).toEqual(events)
  expect(await run.messages()).toHaveLength(21)
  const { log } = await store.read(runId)
  expect(log.filter((entry) => entry.kind === 'value')).toHaveLength(events.length)
  const messages = JSON.parse(sent[0] ?? '')
  expect(messages).toHaveLength(events.length === 0 ? 20 : 13)
  if (events.length === 0) return
  const places = messages.map(
    ({ content }: ModelMessage) => content[0]?.type === 'text' && content[0].text.slice(0, 70),
  )
  expect(places[2]).toBe('[Context compacted: 8 messages removed to fit context window]')
  expect([places[1], places[3]].map((text) => text.slice(0, 4))).toEqual(['0001', '0010'])
})

const small: CompactionOptions = { budget: 1000, systemTokens: 100, keepFirst: 2, keepLast: 4 }

test('CTX-02 sends the same bytes after a restart, in a continuing run and in a fork', async () => {
  const played = async (restarts: boolean) => {
    const store = memoryStore()
    const { model, sent } = answering('A longer answer. '.repeat(20))
    const process = (name: string) => testAgent({ model, store, compaction: small, process: name }).agent
    let run = process('p0').start('Question 0', { runId: 'run-0' })
    await run.settled()
    for (let turn = 1; turn < 12; turn++) {
      const agent = process(`p${turn}`)
      const before = restarts ? await agent.load(run.id) : run
      run = await before.prompt(`Question ${turn}`, { runId: `run-${turn}` })
      await run.settled()
    }
    const checkpoints = (await run.history()).filter(({ names }) => names.includes('UserMessage'))
    const fork = await process('fork').fork(run.id, { from: checkpoints.at(-1)?.version ?? 0, runId: 'fork' })
    await fork.settled()
    return sent
  }
  const sent = await played(false)
  expect(await played(true)).toEqual(sent)
  expect(sent.at(-1)).toBe(sent.at(-2))
  expect(sent.at(-1)).toContain('[Context compacted: ')
  const isGoingOn = sent.map((prompt, index) => prompt.startsWith(sent[index - 1]?.slice(0, -1) ?? ''))
  expect(isGoingOn.filter((same) => !same).length).toBeLessThan(5)
})

test('CTX-02 sends the same bytes if a process dies while the model answers', async () => {
  const store = memoryStore()
  const asked = Promise.withResolvers<void>()
  const hanging = scripted(() => new Promise<string>(asked.resolve as never), { now: () => start })
  const first: string[] = []
  const model: Model = {
    ...hanging,
    stream(request) {
      first.push(JSON.stringify(request.messages))
      return hanging.stream(request)
    },
  }
  const prompt = messagesOf(20, 2000)
  const run = testAgent({ model, store, compaction: small }).agent.start(prompt, { runId })
  const driving = run.settled()
  await asked.promise
  await stop(run, driving)
  const second = answering()
  const again = await testAgent({ model: second.model, store, compaction: small, process: 'p2' }).agent.load(runId)
  const events = await eventsOf(again)
  expect(second.sent).toEqual(first)
  expect(compacted(events)).toMatchObject([{ tier: 3, turn: 1 }])
})

test("CTX-01 uses a provider's count instead of the estimate", async () => {
  const counted = async (input: number) => {
    const { model } = answering('Yes.', { input })
    const { agent } = testAgent({ model, compaction: small })
    const first = agent.start(messagesOf(10, 500), { runId })
    await first.settled()
    return compacted(await eventsOf(await first.prompt('And now?', { runId: 'run-2' })))
  }
  expect(await counted(0)).toEqual([])
  expect(await counted(600)).toEqual([])
  expect(await counted(800)).toMatchObject([{ tokensBefore: 810, turn: 1 }])
  // No count of this prompt: that of an answer in parts, or of another system.
  expect(await counted(8_000)).toEqual([])
})

test('CTX-02 shortens messages that must stay if they exceed the budget by themselves, and reports if that is not enough', async () => {
  const { model, sent } = answering()
  const { agent } = testAgent({ model, compaction: small })
  const huge = `first\n${'y'.repeat(50_000)}\nlast`
  const events = compacted(await eventsOf(agent.start([userMessage('Hi', start), userMessage(huge, start)], { runId })))
  expect(events).toMatchObject([{ tier: 4 }])
  expect(events[0]?.tokensAfter).toBeLessThanOrEqual(750)
  expect(sent[0]).toContain('characters truncated ...]')

  const image = { type: 'image' as const, data: `iVBORw0KGgoA${'A'.repeat(999_988)}`, mimeType: 'image/png' }
  const pictures = Array.from({ length: 3 }, () => ({ role: 'user' as const, content: [image], timestamp: start }))
  const told = compacted(await eventsOf(testAgent({ model, compaction: small }).agent.start(pictures, { runId })))
  expect(told).toMatchObject([{ problem: 'The kept part of the prompt still has 3012 tokens; at most 750 fit.' }])
})

test('CTX-02 does not compact if compaction is turned off', async () => {
  const { model, sent } = answering()
  const run = testAgent({ model, compaction: false }).agent.start(messagesOf(20, 90_000), { runId })
  expect(compacted(await eventsOf(run))).toEqual([])
  expect(JSON.parse(sent[0] ?? '')).toHaveLength(20)
})

test("CTX-02 sends the messages that the application's strategy returns, and continues from them", async () => {
  const { model, sent } = answering()
  const asked: unknown[] = []
  const strategy: PromptStrategy = (messages, { tokens, target, count, turn }) => {
    asked.push({ count: messages.length, tokens, target, turn, first: count(userMessage('four', 0)) })
    return [userMessage('[All of it, in short]', 0), ...messages.slice(-2)]
  }
  const { agent } = testAgent({ model, compaction: { ...small, strategy } })
  const first = agent.start(messagesOf(10, 1000), { runId })
  expect(compacted(await eventsOf(first))).toEqual([
    { tokensBefore: 1000, tokensAfter: 210, tier: 'strategy', turn: 1 },
  ])
  await (await first.prompt('And now?', { runId: 'run-2' })).settled()
  expect(asked).toEqual([{ count: 10, tokens: 1000, target: 400, turn: 1, first: 5 }])
  const texts = JSON.parse(sent[1] ?? '').map(
    ({ content }: ModelMessage) => content[0]?.type === 'text' && content[0].text,
  )
  expect(texts.map((text: string) => text.slice(0, 21))).toEqual([
    '[All of it, in short]',
    `0008${'x'.repeat(17)}`,
    `0009${'x'.repeat(17)}`,
    'Yes.',
    'And now?',
  ])
})

const calling = {
  role: 'assistant' as const,
  content: [{ type: 'toolCall' as const, id: 'c1', callId: '1.c1', name: 'act', arguments: {} }],
  stopReason: 'toolUse' as const,
  model: 'm',
  provider: 'p',
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
  timestamp: 0,
}

test.for<[string, unknown, string]>([
  ['throws', () => Promise.reject(new Error('boom')), 'boom'],
  ['gives nothing', () => undefined, 'its result is not JSON: it is undefined. Expected a list of messages.'],
  ['leaves nothing', () => [], 'it returned none. Expected at least one message.'],
  ['gives what is no message', () => [{ role: 'user' }], 'message 0 of its result is not valid for a model.'],
  ['adds a call', () => [calling], 'it added the call "1.c1". Expected calls of the prompt, once each.'],
])('CTX-02 continues without a strategy that %s, and reports it', async ([, strategy, message]) => {
  const { model, sent } = answering()
  const compaction = { ...small, strategy: strategy as PromptStrategy }
  const events = await eventsOf(testAgent({ model, compaction }).agent.start(messagesOf(10, 1000), { runId }))
  expect(events.filter(({ type }) => type === 'context.partFailed')).toMatchObject([
    { turn: 1, part: 'strategy', message: `"strategy" failed: ${message} The prompt is compacted without it.` },
  ])
  expect(compacted(events)).toMatchObject([{ tier: 3 }])
  expect(sent[0]).toContain('[Context compacted: ')
})

test("CTX-02 cuts by its tiers if a strategy's result is still too large", async () => {
  const { model, sent } = answering()
  const compaction = { ...small, strategy: (messages: readonly ModelMessage[]) => messages.slice(1) }
  const events = await eventsOf(testAgent({ model, compaction }).agent.start(messagesOf(10, 1000), { runId }))
  expect(compacted(events)).toMatchObject([{ tokensBefore: 1000, tier: 3 }])
  expect(sent[0]).toContain('[Context compacted: ')
})

test("CTX-02 RUN-02 refuses a strategy's prompt if it separates a call from its result", async () => {
  const long = 'done\n'.repeat(1000)
  const parting: PromptStrategy = (messages) => messages.filter(({ role }) => role !== 'toolResult')
  const { agent, prompts } = testAgent({
    replies: [calls(call('c1', 'act')), 'Bye'],
    tools: [toolNamed('act', () => long)],
    compaction: { ...small, strategy: parting },
  })
  const events = await eventsOf(agent.start('Hi', { runId }))
  const found = 'it separated a call from its result. Expected both, in their order, or neither.'
  expect(events.filter(({ type }) => type === 'context.partFailed')).toMatchObject([
    { message: `"strategy" failed: ${found} The prompt is compacted without it.` },
  ])
  expect(compacted(events)).toMatchObject([{ tier: 4, turn: 2 }])
  expect(prompts[1]?.[2]).toContain('[... 951 lines truncated ...]')
})

test("CTX-01 uses an application's counter, at most 2,000 characters at a time, and estimates if it fails", async () => {
  const pieces: number[] = []
  const countTokens = (text: string) => {
    pieces.push(text.length)
    return text.length
  }
  const { model } = answering()
  const given = { ...small, countTokens }
  const run = testAgent({ model, compaction: given }).agent.start(`${'x'.repeat(1999)}😀${'y'.repeat(700)}`, { runId })
  expect(compacted(await eventsOf(run))).toMatchObject([{ tokensBefore: 2705 }])
  expect(pieces.slice(0, 2)).toEqual([1999, 702])

  const failing = { ...small, countTokens: () => Number.NaN }
  const events = await eventsOf(testAgent({ model, compaction: failing }).agent.start(messagesOf(10, 1000), { runId }))
  expect(events.filter(({ type }) => type === 'context.partFailed')).toMatchObject([
    {
      part: 'countTokens',
      message: '"countTokens" failed: it gave NaN. Expected a number of 0 or more. The estimate is used from now on.',
    },
  ])
  expect(compacted(events)).toMatchObject([{ tokensBefore: 1000 }])
})

test("CTX-02 never sends a prompt larger than the model's window minus its answer", async () => {
  const { model } = answering()
  const windowed = { ...model, contextWindow: 8000, maxTokens: 2000 }
  const run = testAgent({ model: windowed }).agent.start(messagesOf(20, 5000), { runId })
  expect(compacted(await eventsOf(run))).toMatchObject([{ tokensBefore: 5000, tier: 3 }])
})

test.for<[CompactionOptions, string]>([
  [
    { budget: 3000, systemTokens: 4000 },
    'Option compaction.budget is 3000: 0.85 of it less compaction.systemTokens 4000 is -1450 tokens for messages, and the 12 messages that are kept (keepFirst 2, keepLast 10) have 60 at least. Raise the budget, or keep fewer messages.',
  ],
  [
    { budget: 1000, keepFirst: 100, keepLast: 100 },
    'Option compaction.budget is 1000: 0.85 of it is 600 tokens for messages, and the 200 messages that are kept (keepFirst 100, keepLast 100) have 1000 at least. Raise the budget, or keep fewer messages.',
  ],
])('CTX-02 refuses a budget that no prompt can meet: %o', ([compaction, message]) => {
  expect(() => testAgent({ compaction })).toThrow(expect.objectContaining({ code: 'bad_option', message }))
})

test('CTX-02 refuses to build an agent whose instructions already fill the budget', () => {
  const built = (words: number) => testAgent({ instructions: 'word '.repeat(words), compaction: { budget: 1000 } })
  expect(() => built(800)).toThrow(
    expect.objectContaining({
      code: 'bad_option',
      message:
        'Option compaction.budget is 1000, and the instructions alone have about 1000 tokens. Raise the budget above them, or shorten the instructions.',
    }),
  )
  expect(() => built(790)).not.toThrow()
})
