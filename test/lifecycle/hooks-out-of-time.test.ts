import { describe, expect, test } from 'vitest'
import type { Plugin } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { resultsOf, transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { eventsOf, heldReply, quiet, runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { toolbox } from '../../proof/support/tools.ts'

const limits = { maxDurationMs: 1000 }
const note = 'user: [Agent stopped: maximum running time reached]'
const unfinished = '[Tool execution was interrupted before producing a result.]'

/** A hook that never answers, how often it was asked, and whether the run has withdrawn the last asking. */
function hanging() {
  const at = Promise.withResolvers<void>()
  let signal: AbortSignal | undefined
  const seen = { asked: 0 }
  const hang = (given?: { readonly signal: AbortSignal }): Promise<never> => {
    seen.asked += 1
    signal = given?.signal
    at.resolve()
    return new Promise<never>(() => {})
  }
  return { hang, at: at.promise, seen, isWithdrawn: () => signal?.aborted }
}

type Hang = ReturnType<typeof hanging>['hang']
type Options = Omit<TestAgentOptions, 'clock' | 'store'>
type Row = readonly [name: string, options: (hang: Hang) => Options, lines: readonly string[]]

const plugin = (phase: keyof Plugin, hang: Hang): Plugin => ({ name: 'slow', [phase]: hang })

const before: readonly Row[] = [
  ['hook beforeRun', (hang) => ({ plugins: [{ name: 'hooks', beforeRun: () => hang() }] }), [note]],
  ['an input filter', (hang) => ({ plugins: [{ name: 'slow', filterInput: (_, at) => hang(at) }] }), [note]],
  ['a context builder', (hang) => ({ plugins: [{ name: 'builder', buildContext: (given) => hang(given) }] }), [note]],
  ['phase runStart', (hang) => ({ plugins: [plugin('runStart', hang)] }), ['user: Hi', note]],
  ['phase stepStart', (hang) => ({ plugins: [plugin('stepStart', hang)] }), ['user: Hi', note]],
  ['phase beforeModel', (hang) => ({ plugins: [plugin('beforeModel', hang)] }), ['user: Hi', note]],
  ['hook beforeTurn', (hang) => ({ plugins: [{ name: 'hooks', beforeTurn: () => hang() }] }), ['user: Hi', note]],
  [
    'transformRequest',
    (hang) => ({ plugins: [{ name: 'slow', transformRequest: (_, at) => hang(at) }] }),
    ['user: Hi', note],
  ],
]

const answered = ['user: Hi', 'assistant: Bye']
const after: readonly Row[] = [
  ['phase afterModel', (hang) => ({ plugins: [plugin('afterModel', hang)] }), [...answered, note]],
  ['phase stepEnd', (hang) => ({ plugins: [plugin('stepEnd', hang)] }), [...answered, note]],
]

const told: readonly Row[] = [
  ['hook afterTurn', (hang) => ({ plugins: [{ name: 'hooks', afterTurn: () => hang() }] }), answered],
  ['phase runEnd', (hang) => ({ plugins: [plugin('runEnd', hang)] }), answered],
  ['hook afterRun', (hang) => ({ plugins: [{ name: 'hooks', afterRun: () => hang() }] }), answered],
]

/** Plays a run until its hook hangs, and lets its time come to an end. */
async function playOut(options: (hang: Hang) => Options, more: Options = {}) {
  const { hang, at, seen, isWithdrawn } = hanging()
  const { agent, clock, store, prompts } = testAgent({
    replies: ['Bye'],
    ...options(hang),
    ...more,
    limits: { ...limits, pluginTimeoutMs: Infinity },
  })
  const run = agent.start('Hi', { runId })
  const events = eventsOf(run)
  await at
  await quiet()
  clock.advance(1000)
  const { outcome } = await run.settled()
  const types = (await events).map(({ type }) => type)
  return { outcome, types, asked: seen.asked, isWithdrawn, store, prompts }
}

describe('AGT-12 PH-01 PH-02 hooks that never return', () => {
  test.for([...before, ...after])(
    'AGT-12 %s: the run ends by its limit, and the hook was called once',
    async ([, options, lines]) => {
      const { outcome, types, asked, isWithdrawn, store } = await playOut(options)
      expect(outcome).toEqual({ reason: 'stopped', code: 'max_duration' })
      expect(await transcriptOf(store, runId)).toEqual(lines)
      expect(asked).toBe(1)
      expect(isWithdrawn() ?? true).toBe(true)
      expect(types.filter((type) => type === 'run.ended')).toHaveLength(1)
      expect(types.filter((type) => type === 'turn.started')).toHaveLength(
        types.filter((type) => type === 'turn.ended').length,
      )
    },
  )

  test.for(told)('AGT-12 %s: the earlier end stays, and the hook was called once', async ([, options, lines]) => {
    const { outcome, types, asked, isWithdrawn, store } = await playOut(options)
    expect(outcome).toEqual({ reason: 'natural_end' })
    expect(await transcriptOf(store, runId)).toEqual(lines)
    expect([asked, isWithdrawn() ?? true]).toEqual([1, true])
    expect(types.filter((type) => type === 'run.ended')).toHaveLength(1)
  })

  test.for([...before, ...after])(
    'AGT-11 AGT-12 %s: the run ends in error if the limit is an error',
    async ([, options]) => {
      const { outcome, asked } = await playOut(options, { onLimit: 'error' })
      expect([outcome.reason, outcome.code, asked]).toEqual(['error', 'max_duration', 1])
    },
  )

  test.for(before.slice(0, 3))(
    'AGT-12 AGT-13 %s: an input that was not admitted is sent to no model, and is in no transcript',
    async ([, options]) => {
      const { outcome, store, prompts } = await playOut(options, { onLimit: 'finish' })
      expect(outcome).toEqual({ reason: 'stopped', code: 'max_duration' })
      expect([await transcriptOf(store, runId), prompts]).toEqual([[note], []])
    },
  )

  test('AGT-11 AGT-12 phase runStart: requests the final answer from the admitted input', async () => {
    const { outcome, store } = await playOut((hang) => ({ plugins: [plugin('runStart', hang)] }), { onLimit: 'finish' })
    expect(outcome).toEqual({ reason: 'stopped', code: 'max_duration' })
    expect((await transcriptOf(store, runId)).slice(0, 2)).toEqual(['user: Hi', 'assistant: Bye'])
  })

  test.for(after)('AGT-11 AGT-12 %s: an answer without calls becomes the final one', async ([, options]) => {
    const { outcome, store, prompts } = await playOut(options, { onLimit: 'finish' })
    expect(outcome).toEqual({ reason: 'stopped', code: 'max_duration' })
    expect([await transcriptOf(store, runId), prompts.length]).toEqual([answered, 1])
  })

  test('AGT-11 AGT-12 phase stepEnd: cancels the calls of the answer, and requests the final answer', async () => {
    const { act, done } = toolbox()
    const stepEnd = hanging()
    let steps = 0
    const slow: Plugin = {
      name: 'slow',
      stepEnd: (context) => ((steps += 1) === 1 ? stepEnd.hang(context) : undefined),
    }
    const { agent, clock, store, toolChoices } = testAgent({
      onLimit: 'finish',
      replies: [calls(call('c1', 'act')), 'Bye'],
      tools: [act()],
      plugins: [slow],
      limits: { ...limits, pluginTimeoutMs: Infinity },
    })
    const end = agent.run('Hi', { runId })
    await stepEnd.at
    clock.advance(1000)
    expect(await end).toMatchObject({ outcome: { reason: 'stopped', code: 'max_duration' }, text: 'Bye' })
    expect([done, await resultsOf(store, runId)]).toEqual([[], { '1.c1': unfinished }])
    expect([stepEnd.isWithdrawn(), toolChoices.at(-1)]).toEqual([true, 'none'])
  })

  test.for<readonly [string, (hang: Hang) => Options, readonly string[]]>([
    ['phase gateCall', (hang) => ({ plugins: [plugin('gateCall', hang)] }), []],
    ['hook beforeTool', (hang) => ({ plugins: [{ name: 'hooks', beforeTool: () => hang() }] }), []],
    ['phase reviewCall', (hang) => ({ plugins: [plugin('reviewCall', hang)] }), ['act']],
    ['hook afterTool', (hang) => ({ plugins: [{ name: 'hooks', afterTool: () => hang() }] }), ['act']],
  ])('AGT-12 TC-03 %s: each call has one result, and no tool runs twice', async ([, options, performed]) => {
    const { act, done } = toolbox()
    const { outcome, asked, isWithdrawn, store } = await playOut(options, {
      tools: [act()],
      model: scripted([calls(call('c1', 'act')), 'Bye']),
    })
    expect(outcome).toEqual({ reason: 'stopped', code: 'max_duration' })
    expect([done.length, asked, isWithdrawn() ?? true]).toEqual([performed.length, 1, true])
    expect(Object.keys(await resultsOf(store, runId))).toEqual(['1.c1'])
  })

  test('AGT-12 RUN-03 phase runEnd of a wait: the run waits, and its time is over when it resumes', async () => {
    const { act, done } = toolbox()
    const runEnd = hanging()
    let ends = 0
    const slow: Plugin = { name: 'slow', runEnd: (context) => ((ends += 1) === 1 ? runEnd.hang(context) : undefined) }
    const { agent, clock, store } = testAgent({
      replies: [calls(call('c1', 'act')), 'Bye'],
      tools: [act('act', { needs: 'approval' })],
      plugins: [slow],
      limits: { ...limits, pluginTimeoutMs: Infinity },
    })
    const run = agent.start('Hi', { runId })
    await runEnd.at
    clock.advance(1000)
    expect((await run.settled()).outcome).toEqual({ reason: 'suspended' })
    expect([ends, runEnd.isWithdrawn()]).toEqual([1, true])
    await run.approve()
    expect((await run.settled()).outcome).toEqual({ reason: 'stopped', code: 'max_duration' })
    expect([done, ends]).toEqual([[], 2])
    expect(await resultsOf(store, runId)).toEqual({ '1.c1': unfinished })
  })

  test('AGT-12 calls the hooks of an end by the limit, with a minute each', async () => {
    const [model, turn, runEnd, loop] = [heldReply(), hanging(), hanging(), hanging()]
    const { agent, clock, store } = testAgent({
      replies: [model.reply],
      plugins: [
        plugin('runEnd', runEnd.hang),
        { name: 'hooks', afterTurn: () => turn.hang(), afterRun: () => loop.hang() },
      ],
      limits: { ...limits, pluginTimeoutMs: Infinity },
    })
    const run = agent.start('Hi', { runId })
    const end = run.settled()
    await model.asked
    clock.advance(1000)
    for (const { at } of [turn, runEnd, loop]) {
      await at
      clock.advance(59_999)
      await quiet()
      clock.advance(1)
    }
    expect((await end).outcome).toEqual({ reason: 'stopped', code: 'max_duration' })
    expect([turn, runEnd, loop].map(({ seen }) => seen.asked)).toEqual([1, 1, 1])
    expect(runEnd.isWithdrawn()).toBe(true)
    expect(await transcriptOf(store, runId)).toEqual(['user: Hi', note])
  })

  test('AGT-12 PH-04 abandons hook onError of a failed run after its minute', async () => {
    const [model, error] = [heldReply(), hanging()]
    const { agent, clock } = testAgent({
      onLimit: 'error',
      replies: [model.reply],
      plugins: [{ name: 'hooks', onError: () => error.hang() }],
      limits: { ...limits, pluginTimeoutMs: Infinity },
    })
    const end = agent.run('Hi', { runId })
    await model.asked
    clock.advance(1000)
    await error.at
    clock.advance(60_000)
    expect((await end).outcome).toMatchObject({ reason: 'error', code: 'max_duration' })
    expect(error.seen.asked).toBe(1)
  })

  test('AGT-12 CKP-03 another process calls phase runEnd again, as long as the running time allows', async () => {
    const store = memoryStore()
    const [first, again] = [hanging(), hanging()]
    const options = { limits: { ...limits, pluginTimeoutMs: Infinity }, replies: ['Bye'], store }
    const { agent, clock } = testAgent({ ...options, plugins: [plugin('runEnd', first.hang)] })
    const run = agent.start('Hi', { runId })
    const lost = run.settled()
    await first.at
    clock.advance(400)
    await quiet()
    await run.detach()
    await expect(lost).rejects.toMatchObject({ code: 'run_detached' })
    const later = testAgent({ ...options, clock, process: 'p2', plugins: [plugin('runEnd', again.hang)] })
    const end = (await later.agent.load(runId)).settled()
    await again.at
    clock.advance(1000)
    expect((await end).outcome).toEqual({ reason: 'natural_end' })
    expect([first.isWithdrawn(), again.isWithdrawn()]).toEqual([true, true])
  })
})
