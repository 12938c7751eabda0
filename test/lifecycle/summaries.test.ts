import { expect, test } from 'vitest'
import { type AgentEvent, type Model, ModelError, type ModelRequest, type Plugin } from '../../src/index.ts'
import type { CompactionOptions } from '../../src/ports.ts'
import { textOf, userMessage } from '../../src/core/domain/message.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { start } from '../../proof/support/fake-clock.ts'
import { eventsOf, runId, stop, testAgent } from '../../proof/support/test-agent.ts'

const small: CompactionOptions = { budget: 1000, systemTokens: 100, keepFirst: 2, keepLast: 4, summaries: true }

/** A model that answers each kind of request in its own way, and keeps what it was asked. */
function answering(
  summary: (count: number) => string | Error = (count) => `Summary ${count}.`,
  refuses: (request: ModelRequest) => boolean = () => false,
) {
  const asked: ModelRequest[] = []
  const summaries: ModelRequest[] = []
  const usage = { input: 7, output: 3 }
  const says = (text: string) => scripted(() => ({ text, usage }), { now: () => start })
  const model: Model = {
    ...scripted([]),
    async *stream(request) {
      if (request.lifecycle !== 'summary') {
        asked.push(request)
        if (refuses(request)) throw new ModelError('overflow', 'prompt is too long')
        return yield* says(`An answer. ${'x'.repeat(200)}`).stream(request)
      }
      summaries.push(request)
      const given = summary(summaries.length)
      if (given instanceof Error) throw given
      yield* says(given).stream(request)
    },
  }
  const sent = () => asked.map(({ messages }) => messages.map((message) => textOf(message).slice(0, 40)))
  return { model, asked, summaries, sent }
}

/** A number of messages with fifty tokens each. */
function messagesOf(count: number) {
  return Array.from({ length: count }, (_, index) =>
    userMessage(`${String(index).padStart(4, '0')}${'x'.repeat(180)}`, start),
  )
}

function told(events: readonly AgentEvent[]) {
  return events.flatMap((event): readonly unknown[] => {
    if (event.type === 'context.compacted') return [event.tier]
    if (event.type === 'context.partFailed') return [event.message]
    return event.type === 'run.ended' ? [event.outcome.reason, event.usage.totalTokens] : []
  })
}

test('CTX-02 a model summarizes old messages in their place, after the first and before the last', async () => {
  const { model, sent, summaries } = answering()
  const run = testAgent({ model, compaction: small }).agent.start(messagesOf(20), { runId })
  const events = await eventsOf(run)
  expect(told(events)).toEqual(['summary', 'natural_end', 20])
  expect(events.find(({ type }) => type === 'context.compacted')).toMatchObject({
    turn: 1,
    tokensBefore: 1000,
    summary: { model: 'scripted/scripted', usage: { totalTokens: 10 } },
  })
  const [prompt = []] = sent()
  expect(prompt.map((text) => text.slice(0, 20))).toEqual([
    `0000${'x'.repeat(16)}`,
    `0001${'x'.repeat(16)}`,
    '[Summary] Summary 1.',
    ...[16, 17, 18, 19].map((place) => `00${place}${'x'.repeat(16)}`),
  ])
  expect(summaries).toMatchObject([{ tools: [], maxTokens: 2000 }])
  const text = summaries[0]?.messages.map(textOf).join('') ?? ''
  expect([text.startsWith('User: 0002xxx'), text.includes('User: 0015xxx'), text.includes('0016')]).toEqual([
    true,
    true,
    false,
  ])
  expect(await run.messages()).toHaveLength(21)
})

test('CTX-02 makes one summary for each move of the cut: continuing runs, forks and restarts reuse it, and the next one includes it', async () => {
  const played = async (restarts: boolean) => {
    const store = memoryStore()
    const { model, sent, summaries } = answering()
    const process = (name: string) => testAgent({ model, store, compaction: small, process: name }).agent
    let run = process('p0').start('Question 0', { runId: 'run-0' })
    await run.settled()
    for (let turn = 1; turn < 24; turn++) {
      const before = restarts ? await process(`p${turn}`).load(run.id) : run
      run = await before.prompt(`Question ${turn}`, { runId: `run-${turn}` })
      await run.settled()
    }
    const asked = summaries.length
    const checkpoints = (await run.history()).filter(({ names }) => names.includes('UserMessage'))
    await (await process('fork').fork(run.id, { from: checkpoints.at(-1)?.version ?? 0, runId: 'fork' })).settled()
    expect(summaries).toHaveLength(asked)
    return { sent: sent(), summaries }
  }
  const { sent, summaries } = await played(false)
  expect((await played(true)).sent).toEqual(sent)
  expect(sent.at(-1)).toEqual(sent.at(-2))
  expect(summaries.length).toBeGreaterThan(1)
  expect(sent.at(-1)?.filter((text) => text.startsWith('[Summary]'))).toEqual([
    `[Summary] Summary ${summaries.length}.`,
  ])
  expect(textOf(summaries[1]?.messages[0] ?? userMessage('', 0))).toContain('[Summary] Summary 1.')
})

test.for<[string, string | Error, string]>([
  ['cannot be reached', new ModelError('network', 'Gone.'), 'Gone.'],
  ['fails in another way', new Error('boom'), 'The model scripted/scripted failed: boom'],
  ['says nothing', '  ', 'The model gave no text.'],
])('CTX-02 compacts by its tiers and reports it if a summary model %s', async ([, summary, found]) => {
  const { model, sent, summaries } = answering(() => summary)
  const events = await eventsOf(testAgent({ model, compaction: small }).agent.start(messagesOf(20), { runId }))
  const message = `The summary failed: ${found} The prompt is compacted without it.`
  expect(told(events)).toEqual([message, 3, 'natural_end', summary instanceof Error ? 10 : 20])
  expect(summaries).toHaveLength(1)
  expect(sent()[0]?.[2]).toMatch(/^\[Context compacted: /)
})

test('CTX-02 cuts by its tiers if the prompt is too large even with a summary', async () => {
  const { model } = answering(() => 'y'.repeat(5000))
  const events = await eventsOf(testAgent({ model, compaction: small }).agent.start(messagesOf(20), { runId }))
  expect(told(events)).toEqual(['summary', 4, 'natural_end', 20])
})

test('CTX-02 makes no summary if shorter tool outputs are enough, or no message is old', async () => {
  const { model, summaries } = answering()
  const huge = userMessage('z'.repeat(8000), start)
  const events = await eventsOf(testAgent({ model, compaction: small }).agent.start([huge], { runId }))
  expect(told(events)).toEqual([4, 'natural_end', 10])
  expect(summaries).toHaveLength(0)
})

test('PRV-06 CTX-02 makes a summary if a model refuses the prompt as too long, and retries once', async () => {
  const { model, summaries, sent } = answering(undefined, ({ messages }) => messages.length > 12)
  const large = { ...small, budget: 100_000 }
  const events = await eventsOf(testAgent({ model, compaction: large }).agent.start(messagesOf(20), { runId }))
  expect(told(events)).toEqual(['summary', 'natural_end', 20])
  expect(summaries).toHaveLength(1)
  expect(sent().map(({ length }) => length)).toEqual([20, 7])
})

test('CTX-02 PRV-06 pays for one summary for each model call, even if its model refuses', async () => {
  const { model, summaries, asked } = answering(undefined, () => true)
  const events = await eventsOf(testAgent({ model, compaction: small }).agent.start(messagesOf(20), { runId }))
  expect(told(events)).toEqual(['summary', 4, 'error', 10])
  expect([summaries.length, asked.length]).toEqual([1, 2])
})

test("AGT-11 CTX-02 counts a summary's usage and price for the run's limits and cost", async () => {
  const { model } = answering()
  const summarising = answering()
  const prices = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 }
  const compaction = { ...small, summaries: { model: { ...summarising.model, id: 'little', prices }, maxTokens: 50 } }
  const { agent } = testAgent({ model, compaction, limits: { maxCost: 7 } })
  const run = agent.start(messagesOf(20), { runId })
  const result = await run.settled()
  expect(result).toMatchObject({ cost: 7, usage: { totalTokens: 20 } })
  expect(summarising.summaries).toMatchObject([{ maxTokens: 50 }])
})

test('CTX-02 never pays again for a summary that is in the log', async () => {
  const store = memoryStore()
  const first = answering()
  const asked = Promise.withResolvers<void>()
  const hanging: Model = {
    ...first.model,
    async *stream(request) {
      if (request.lifecycle === 'summary') return yield* first.model.stream(request)
      asked.resolve()
      await new Promise(() => {})
    },
  }
  const run = testAgent({ model: hanging, store, compaction: small }).agent.start(messagesOf(20), { runId })
  const driving = run.settled()
  await asked.promise
  await stop(run, driving)
  const second = answering()
  const again = await testAgent({ model: second.model, store, compaction: small, process: 'p2' }).agent.load(runId)
  expect(told(await eventsOf(again))).toEqual(['natural_end', 20])
  expect([first.summaries.length, second.summaries.length]).toEqual([1, 0])
  expect(second.sent()[0]?.[2]).toBe('[Summary] Summary 1.')
})

test("CTX-02 calls plugins for a summary's request too", async () => {
  const { model, summaries } = answering()
  const seen: unknown[] = []
  const hiding: Plugin = {
    name: 'hiding',
    transformRequest: (request) => {
      seen.push(request.lifecycle)
      return { ...request, messages: request.messages.map(() => userMessage('hidden', start)) }
    },
  }
  const { agent } = testAgent({ model, compaction: small, plugins: [hiding] })
  await agent.start(messagesOf(20), { runId }).settled()
  expect(seen).toEqual(['summary', 'init'])
  expect(summaries[0]?.messages.map(textOf)).toEqual(['hidden'])
})

test('CTX-02 sends a summary model at most as much as fits its window', async () => {
  const { model, summaries } = answering()
  const compaction = { ...small, summaries: { model: { ...model, contextWindow: 400 }, maxTokens: 100 } }
  await testAgent({ model, compaction }).agent.start(messagesOf(20), { runId }).settled()
  const length = textOf(summaries[0]?.messages[0] ?? userMessage('', 0)).length
  expect(length).toBeLessThan(1200)
})

test('CTX-02 refuses a strategy and summaries together', () => {
  const compaction = { ...small, strategy: () => [] }
  expect(() => testAgent({ compaction })).toThrow(
    'Options compaction.strategy and compaction.summaries are both given. Expected one of them: either makes the prompt smaller in its own way.',
  )
})
