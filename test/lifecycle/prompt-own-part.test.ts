import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, calls, say } from '../../proof/support/say.ts'
import { eventsOf, heldReply, runId, testAgent } from '../../proof/support/test-agent.ts'
import { toolbox } from '../../proof/support/tools.ts'
import type { Usage } from '../../src/index.ts'
import { type Message, userMessage } from '../../src/core/domain/message.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'

const limits = { maxTokens: Infinity }
const prices = { 'scripted/scripted': { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 } }
const usageOf = (input: number, cacheRead: number) => ({ input, output: 0, cacheRead, cacheWrite: 0 })
const whole = (usage: Omit<Usage, 'totalTokens'>) => ({ ...usage, totalTokens: usage.input + usage.cacheRead })

test('AGT-02 AGT-09 a continuing run reports its own usage, cost, units and text, while it runs and from the store', async () => {
  const held = heldReply()
  const replies = [{ text: 'One', usage: usageOf(1_000_000, 0), executionUnits: 5 }, held.reply]
  const { agent } = testAgent({ replies, prices, limits })
  const first = agent.start('Hi', { runId })
  await first.settled()
  const next = await first.prompt('More')
  await held.asked
  const nothing = { usage: whole(usageOf(0, 0)), cost: 0, executionUnits: 0, cacheHitRate: 0, text: '' }
  expect(await next.result()).toMatchObject({ status: 'running', ...nothing })
  held.give({ text: 'Two', usage: usageOf(500_000, 1_500_000), executionUnits: 2 })
  const own = { usage: whole(usageOf(500_000, 1_500_000)), cost: 2, executionUnits: 2, cacheHitRate: 0.75, text: 'Two' }
  const result = await next.settled()
  expect(result).toMatchObject(own)
  expect(result.messages.map(say)).toEqual(['user: Hi', 'assistant: One', 'user: More', 'assistant: Two'])
  expect(await (await agent.load(next.id)).result()).toEqual({ ...result, decisions: [] })
})

test('AGT-02 EVT-01 a continuing run emits events of its own messages only', async () => {
  const { agent } = testAgent({ replies: ['One', { text: 'Two', usage: usageOf(7, 0) }] })
  const first = agent.start('Hi', { runId })
  await first.settled()
  const events = await eventsOf(await first.prompt('More'))
  const [ended] = events.filter((event) => event.type === 'run.ended')
  const [turn] = events.filter((event) => event.type === 'turn.ended')
  const told = events.flatMap((event) => (event.type === 'message.ended' ? [event.place] : []))
  expect(told).toHaveLength(2)
  expect(ended).toMatchObject({ turns: 1, usage: whole(usageOf(7, 0)) })
  expect(turn).toMatchObject({ place: told[1], usage: whole(usageOf(7, 0)) })
})

test('AGT-02 a continuing run without its own answer has no text, no output and no usage', async () => {
  const held = heldReply()
  const { agent } = testAgent({
    replies: [{ text: '"One"', usage: usageOf(9, 0) }, held.reply],
    output: z.string(),
  })
  const first = agent.start('Hi', { runId })
  expect(await first.settled()).toMatchObject({ text: '"One"', output: 'One' })
  const next = await first.prompt('More')
  const told = eventsOf(next)
  await held.asked
  await next.cancel()
  const result = await next.settled()
  expect(result).toMatchObject({ outcome: { reason: 'cancelled' }, text: '', usage: whole(usageOf(0, 0)) })
  expect('output' in result).toBe(false)
  expect((await told).filter((event) => event.type === 'turn.ended')).toMatchObject([{ usage: { totalTokens: 0 } }])
})

test('AGT-02 PH-02 a turn whose model is unreachable passes hooks no usage of the earlier run', async () => {
  const heard: unknown[] = []
  const { agent } = testAgent({
    model: scripted([{ text: 'One', usage: usageOf(9, 0) }, { error: { kind: 'network', message: 'Down' } }, 'Two'], {
      by: 'calls',
    }),
    retry: { maxRetries: 0 },
    onModelFailure: 'wait',
    plugins: [{ name: 'hooks', afterTurn: ({ usage }) => void heard.push(usage.totalTokens) }],
  })
  const first = agent.start('Hi', { runId })
  await first.settled()
  const next = await first.prompt('More')
  expect((await next.settled()).status).toBe('waiting')
  await next.approve()
  expect(await next.settled()).toMatchObject({ text: 'Two' })
  expect(heard).toEqual([9, 0, 0])
})

test("AGT-02 AGT-08 checks only the continuing run's own answer by the output contract", async () => {
  const replies = ['{"n":1}', 'no', '{"n":2}']
  const { agent, prompts } = testAgent({ replies, output: z.object({ n: z.number() }) })
  const first = agent.start('Hi', { runId })
  await first.settled()
  const next = await first.prompt('More')
  expect(await next.settled()).toMatchObject({ output: { n: 2 } })
  expect(prompts.at(-1)?.at(-1)).toMatch(/does not fit/)
  expect((await first.result()).output).toEqual({ n: 1 })
})

test('AGT-02 AGT-12 limits count only the work of the new run', async () => {
  const usage = usageOf(60, 0)
  const { agent } = testAgent({
    replies: ['One', 'Two', 'Three'].map((text) => ({ text, usage })),
    limits: { maxTurns: 1, maxTokens: 100, maxCost: 0.0001, maxToolInteractions: 1 },
    prices,
  })
  const first = agent.start('Hi', { runId })
  await first.settled()
  const next = await first.prompt('More')
  expect(await next.settled()).toMatchObject({ outcome: { reason: 'natural_end' }, text: 'Two' })
  const last = await next.prompt('Last')
  expect(await last.settled()).toMatchObject({ outcome: { reason: 'natural_end' }, text: 'Three' })
})

test("AGT-02 AGT-17 an earlier run's calls do not count as repeats, and new calls have their own names", async () => {
  const { act, done } = toolbox()
  const again = calls(call('c', 'act'))
  const { agent, prompts } = testAgent({
    replies: [again, again, again, 'One', again, 'Two'],
    tools: [act()],
    limits: { onRepeat: 'stop' },
  })
  const first = agent.start('Hi', { runId })
  await first.settled()
  const next = await first.prompt('More')
  expect(await next.settled()).toMatchObject({ outcome: { reason: 'natural_end' }, text: 'Two' })
  expect(done).toHaveLength(4)
  const results = prompts.at(-1)?.filter((line) => line.startsWith('result')) ?? []
  expect(results.map((line) => line.slice(0, 10))).toEqual(['result 1.c', 'result 2.c', 'result 3.c', 'result 4.c'])
  expect(results[3]).toBe('result 4.c: act done')
})

test("AGT-02 DEC-06 an approval of an earlier run's call never reaches a call of the new run", async () => {
  const { act, done } = toolbox()
  const gated = calls(call('google-fc-0', 'gated'))
  const { agent } = testAgent({
    replies: [gated, 'One', gated, 'Two'],
    tools: [act('gated', { needs: 'approval' })],
  })
  const first = agent.start('Hi', { runId })
  const { suspended } = await first.settled()
  const [clicked] = suspended.map(({ callId }) => callId)
  await first.approve(clicked)
  await first.settled()
  const next = await first.prompt('More')
  expect((await next.settled()).status).toBe('waiting')
  expect(await next.approve(clicked)).toMatchObject({ answer: 'unknown' })
  expect(done).toHaveLength(1)
  expect(await next.approve('google-fc-0')).toMatchObject({ answer: 'applied' })
  expect(await next.settled()).toMatchObject({ text: 'Two' })
})

test('AGT-02 PH-03 no run continues from a refused prompt, and filters check only the new prompt', async () => {
  const asked: unknown[] = []
  const { agent, prompts } = testAgent({
    model: scripted(['One', 'Two'], { by: 'calls' }),
    plugins: [
      {
        name: 'polite',
        filterInput: (messages) => {
          asked.push(messages.map(say))
          return messages.some((message) => say(message).includes('rude')) ? { reject: 'Be kind.' } : undefined
        },
      },
    ],
  })
  const refused = agent.start('rude', { runId })
  expect(await refused.settled()).toMatchObject({ rejection: { reason: 'Be kind.' } })
  const next = await refused.prompt('Hello')
  expect(await next.settled()).toMatchObject({ text: 'One' })
  expect((await next.messages()).map(say)).toEqual(['user: Hello', 'assistant: One'])
  const worse = await next.prompt('rude again')
  const told = (await eventsOf(worse)).map(({ type }) => type)
  expect(told).toEqual(['run.started', 'input.rejected', 'run.ended'])
  const rejected = await worse.result()
  expect(rejected).toMatchObject({ outcome: { code: 'input_rejected' }, text: '' })
  expect(rejected.messages.map(say)).toEqual(['user: Hello', 'assistant: One'])
  const last = await worse.prompt('Sorry')
  const result = await last.settled()
  expect(result).toMatchObject({ text: 'Two' })
  expect('rejection' in result).toBe(false)
  expect(prompts.at(-1)).toEqual(['user: Hello', 'assistant: One', 'user: Sorry'])
  expect(asked).toEqual([['user: rude'], ['user: Hello'], ['user: rude again'], ['user: Sorry']])
})

test('AGT-02 EVT-01 emits the start of a continuing run while its filters are still running', async () => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<undefined>()
  const check = (messages: readonly Message[]) => {
    if (say(messages[0] ?? userMessage('', 1)) === 'user: Hi') return undefined
    asked.resolve()
    return answer.promise
  }
  const { agent } = testAgent({ replies: ['One', 'Two'], plugins: [{ name: 'slow', filterInput: check }] })
  const first = agent.start('Hi', { runId })
  await first.settled()
  const next = await first.prompt('More')
  const events = next[Symbol.asyncIterator]()
  expect((await events.next()).value).toMatchObject({ type: 'run.started' })
  await asked.promise
  answer.resolve(undefined)
  expect(await next.settled()).toMatchObject({ text: 'Two' })
})

test('AGT-02 AGT-07 calls the context builder again, for the new prompt only', async () => {
  const built: unknown[] = []
  const systems: string[] = []
  const { agent, prompts } = testAgent({
    replies: ['One', 'Two'].map((text) => ({ system }) => {
      systems.push(system)
      return text
    }),
    plugins: [
      {
        name: 'builder',
        buildContext: ({ input }) => {
          built.push(input)
          return { system: `For ${built.length}`, messages: [userMessage(`Weigh ${built.length}.`, 1)] }
        },
      },
    ],
  })
  const first = agent.start({ input: { apples: 3 } }, { runId })
  await first.settled()
  await (await first.prompt({ input: { pears: 4 } })).settled()
  expect(built).toEqual([{ apples: 3 }, { pears: 4 }])
  expect(systems).toEqual(['For 1', 'For 2'])
  expect(prompts.at(-1)).toEqual(['user: Weigh 1.', 'assistant: One', 'user: Weigh 2.'])
})

test('AGT-02 PH-01 passes plugins and hooks the whole transcript', async () => {
  const seen: unknown[] = []
  const { agent } = testAgent({
    replies: ['One', 'Two'],

    plugins: [
      { name: 'looks', runStart: ({ messages }) => void seen.push(messages().map(say)) },
      { name: 'hooks', beforeTurn: ({ messages }) => void seen.push(messages().map(say)) },
    ],
  })
  const first = agent.start('Hi', { runId })
  await first.settled()
  seen.length = 0
  await (await first.prompt('More')).settled()
  const read = ['user: Hi', 'assistant: One', 'user: More']
  expect(seen).toEqual([expect.arrayContaining(read.slice(0, 2)), read])
})
