import { expect, test } from 'vitest'
import type { Model } from '../../src/index.ts'
import { scripted, type ScriptedReply } from '../../src/adapters/providers/scripted.ts'
import { fakeClock, start } from '../../proof/support/fake-clock.ts'
import { resultsOf, statusesOf, transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox, toolNamed } from '../../proof/support/tools.ts'
import { eventsOf, runId, testAgent } from '../../proof/support/test-agent.ts'

const cut = (text: string): ScriptedReply => ({ text, stopReason: 'length' })
const failing = (kind: 'network' | 'rate_limit' | 'auth' | 'api', retryAfterMs?: number): ScriptedReply => ({
  error: { kind, message: `${kind} failed`, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
})

test.for([
  [1, ['One', ' two'], 'One two'],
  [2, ['One', ' two', ' three'], 'One two three'],
  [3, ['One', ' two', ' three', ' four'], 'One two three four'],
] as const)(
  'RUN-02 continues a cut-off answer %i time(s) and stores one message (E7)',
  async ([times, parts, text]) => {
    const replies = parts.map((part, index) => (index < times ? cut(part) : part))
    const clock = fakeClock()
    const model = scripted(replies, { by: 'calls', now: clock.now })
    const { agent, store, prompts } = testAgent({ model, clock })
    const result = await agent.run('Hi', { runId })

    expect(result.text).toBe(text)
    expect(prompts.length).toBe(times + 1)
    expect(prompts.at(-1)?.at(-1)).toBe('user: Continue exactly where you stopped.')
    expect(await transcriptOf(store, runId)).toEqual(['user: Hi', `assistant: ${text}`])
  },
)

test('RUN-02 runs the calls of a cut-off answer, and does not continue it (E7)', async () => {
  const { act, done } = toolbox()
  const replies: ScriptedReply[] = [{ text: 'One', toolCalls: [call('c1', 'act')], stopReason: 'length' }, 'Done']
  const { agent, prompts } = testAgent({ replies, tools: [act()] })
  expect(await agent.run('Hi', { runId })).toMatchObject({ text: 'Done' })
  expect(done).toEqual(['act {}'])
  expect(prompts[1]?.at(-1)).toBe('result 1.c1: act done')
})

test("RUN-02 keeps the reasoning of a cut-off answer's parts, and joins their texts (E7)", async () => {
  const thoughts = (text: string) => ({ type: 'thinking' as const, thinking: text })
  const parts = ['one', 'two']
  const inner = scripted(['unused', 'unused'])
  let asked = 0
  const model: Model = {
    ...inner,
    async *stream(request) {
      const text = parts[asked++] ?? ''
      for await (const event of inner.stream(request)) {
        if (event.type !== 'finished') continue
        const texts = [...text].map((letter) => ({ type: 'text' as const, text: letter }))
        const content = [thoughts(`about ${text}`), ...texts]
        yield { ...event, message: { ...event.message, content, stopReason: asked === 1 ? 'length' : 'stop' } }
      }
    },
  }
  const { agent, store } = testAgent({ model })
  await agent.run('Hi', { runId })
  const { log } = await store.read(runId)
  const [answer] = log.flatMap((entry) =>
    entry.kind === 'message' && entry.message.role === 'assistant' ? [entry.message.content] : [],
  )
  expect(answer).toEqual([thoughts('about one'), { type: 'text', text: 'onetwo' }, thoughts('about two')])
})

test('RUN-02 accepts a cut-off answer unchanged after three continuations (E7)', async () => {
  const clock = fakeClock()
  const model = scripted(['a', 'b', 'c', 'd', 'e'].map(cut), { by: 'calls', now: clock.now })
  const { agent, prompts } = testAgent({ model, clock })

  expect((await agent.run('Hi', { runId })).text).toBe('abcd')
  expect(prompts.length).toBe(4)
})

test('RUN-02 emits at each continuation the whole answer so far, in its original parts (E7)', async () => {
  const clock = fakeClock()
  const model = scripted([cut('One'), cut(' two'), cut(' three'), ' four'], { by: 'calls', now: clock.now })
  const { agent } = testAgent({ model, clock })
  const answers: string[] = []
  for (const event of await eventsOf(agent.start('Hi', { runId }))) {
    if (event.type === 'message.started' && event.role === 'assistant') answers.push('')
    if (event.type === 'message.updated') answers.push(`${answers.pop() ?? ''}${event.delta.delta}`)
  }
  expect(answers).toEqual(['One', 'One two', 'One two three', 'One two three four'])
})

test('RUN-02 TST-03 restarts a cut-off answer completely if a crash has lost its parts', async () => {
  const clock = fakeClock()
  const asked = Promise.withResolvers<void>()
  const first = scripted([cut('One'), 'never told'], { by: 'calls', now: clock.now })
  let answers = 0
  const dying: Model = {
    ...first,
    async *stream(request) {
      if (++answers > 1) {
        asked.resolve()
        await new Promise((resolve) => request.signal.addEventListener('abort', resolve))
      }
      yield* first.stream(request)
    },
  }
  const { agent, store } = testAgent({ model: dying, clock })
  const run = agent.start('Hi', { runId })
  void run.settled().catch(() => undefined)
  await asked.promise
  await run.detach()

  const replies = [cut('One'), cut(' two'), cut(' three'), ' four']
  const model = scripted(replies, { by: 'calls', now: clock.now })
  const second = testAgent({ model, clock, store, process: 'p2' })
  expect(await (await second.agent.load(runId)).settled()).toMatchObject({ text: 'One two three four' })
  expect(second.prompts.map((prompt) => prompt.length)).toEqual([1, 3, 5, 7])
  expect(await transcriptOf(store, runId)).toEqual(['user: Hi', 'assistant: One two three four'])
})

test('RUN-06 retries after the wait that the server requested, then answers (L1)', async () => {
  const clock = fakeClock()
  const model = scripted([failing('rate_limit', 5000), failing('rate_limit', 7000), 'Bye'], {
    by: 'calls',
    now: clock.now,
  })
  const { agent, prompts } = testAgent({ model, clock, retry: { random: () => 0.5 } })
  const end = agent.start('Hi', { runId }).settled()
  await clock.sleeping(start + 5000)
  clock.advance(5000)
  await clock.sleeping(start + 12_000)
  clock.advance(7000)

  expect((await end).text).toBe('Bye')
  expect(prompts.length).toBe(3)
})

test('EVT-01 RUN-06 reports each failed attempt when it fails, and when it will retry', async () => {
  const clock = fakeClock()
  const model = scripted([failing('network'), failing('rate_limit', 7000), failing('network')], {
    by: 'calls',
    now: clock.now,
  })
  const { agent } = testAgent({ model, clock, retry: { maxRetries: 2, random: () => 0.5 } })
  const run = agent.start('Hi', { runId })
  const events = run.events()
  const nextFailure = async () => {
    for (let next = await events.next(); next.done !== true; next = await events.next())
      if (next.value.type === 'model.failed') return [next.value.error.code, next.value.retryAt]
    return undefined
  }
  // Time stands still, so that each is told before the wait for the next attempt ends.
  const first = nextFailure()
  await clock.sleeping(start + 1000)
  expect(await first).toEqual(['network_error', start + 1000])
  clock.advance(1000)
  await clock.sleeping(start + 8000)
  expect(await nextFailure()).toEqual(['rate_limit', start + 8000])
  clock.advance(7000)
  expect(await nextFailure()).toEqual(['network_error', null])
  expect(await nextFailure()).toBeUndefined()
})

test('RUN-06 RUN-05 ends with an error that stays visible once retries are used up (L1)', async () => {
  const clock = fakeClock()
  const model = scripted(() => ({ error: { kind: 'network' as const, message: 'reset' } }), { by: 'calls' })
  const { agent, store, prompts } = testAgent({ model, clock, retry: { maxRetries: 2, random: () => 0.5 } })
  const run = agent.start('Hi', { runId })
  const events = eventsOf(run)
  await clock.sleeping(start + 1000)
  clock.advance(1000)
  await clock.sleeping(start + 3000)
  clock.advance(2000)

  expect((await events).at(-1)).toMatchObject({ type: 'run.ended', outcome: { reason: 'error' } })
  expect(prompts.length).toBe(3)
  expect(await transcriptOf(store, runId)).toEqual(['user: Hi', 'assistant: error reset'])
})

test.for([
  ['rate_limit', 0, 1],
  ['auth', 3, 1],
  ['api', 3, 1],
] as const)('RUN-06 does not retry after %s with %i retries (E8, L1)', async ([kind, maxRetries, modelCalls]) => {
  const { agent, prompts } = testAgent({ replies: [failing(kind)], retry: { maxRetries } })

  expect((await agent.run('Hi', { runId })).outcome.reason).toBe('error')
  expect(prompts.length).toBe(modelCalls)
})

test('RUN-06 turns to the fallback model once retries are used up (E8)', async () => {
  const clock = fakeClock()
  const model = scripted([failing('network'), failing('network')], { by: 'calls', now: clock.now })
  const fallback = scripted(['From the other'], { id: 'other', by: 'calls', now: clock.now })
  const { agent } = testAgent({ model, clock, fallbackModels: [fallback], retry: { maxRetries: 1, random: () => 0.5 } })
  const end = agent.start('Hi', { runId }).settled()
  await clock.sleeping(start + 1000)
  clock.advance(1000)

  expect(await end).toMatchObject({ text: 'From the other', outcome: { reason: 'natural_end' } })
})

test('RUN-05 RUN-07 cancels a suspended call if the model fails, and answers every call', async () => {
  const { act } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'act'), call('c2', 'gated')), failing('api')],
    tools: [act(), act('gated', { needs: 'approval' })],
  })

  expect((await agent.run('Hi', { runId })).outcome).toEqual({
    reason: 'error',
    error: { code: 'api_error', message: 'api failed' },
  })
  expect((await transcriptOf(store, runId)).slice(1)).toEqual([
    'assistant: calls 1.c1 act, 1.c2 gated',
    '1.c1 succeeded, result 1.c1: act done',
    '1.c2 cancelled, result 1.c2 (error): [Tool execution was interrupted before producing a result.]',
    'assistant: error api failed',
    'late result 1.c2 (error): [Tool execution was interrupted before producing a result.]',
    "user: [Tool 'gated' finished: its result is now above.]",
  ])
})

const text = (announcement: string) => [{ type: 'text' as const, text: announcement }]
const notJson =
  'Tool "give" returned a value that is not JSON: it contains a big integer. Expected text, JSON, or { content, status? }.'

test.for<readonly [what: string, returned: unknown, status: string, shown: string]>([
  ['a success', { content: text('fine'), status: 'success' }, 'succeeded', 'fine'],
  ['a warning', { content: text('careful'), status: 'warning' }, 'succeeded', 'careful'],
  ['an error', { content: text('bad'), status: 'error' }, 'failed', 'bad'],
  ['a text', 'plain', 'succeeded', 'plain'],
  ['an empty text', '', 'succeeded', ''],
  ['zero', 0, 'succeeded', '0'],
  ['false', false, 'succeeded', 'false'],
  ['null', null, 'succeeded', 'null'],
  ['nothing', undefined, 'succeeded', ''],
  ['JSON', { city: 'Oslo' }, 'succeeded', '{"city":"Oslo"}'],
  ['what is not JSON', 10n, 'failed', notJson],
])('TC-03 accepts what a tool returns: %s', async ([, returned, status, shown]) => {
  const { store, agent } = testAgent({
    replies: [calls(call('c1', 'give')), 'Bye'],
    tools: [toolNamed('give', () => returned as never)],
  })
  await agent.run('Hi', { runId })

  expect(await statusesOf(store, runId)).toEqual({ '1.c1': status })
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': shown })
})
