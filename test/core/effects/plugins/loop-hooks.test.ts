import { expect, test } from 'vitest'
import type { LoopAsk } from '../../../../machines/run/run.types.ts'
import { userMessage } from '../../../../src/core/domain/message.ts'
import { unstoredDetails } from '../../../../src/core/domain/run-details.ts'
import { noUsage } from '../../../../src/core/domain/usage.ts'
import type { AgentParts } from '../../../../src/core/effects/agent-parts.ts'
import { runPhase } from '../../../../src/core/effects/plugins/run-phase.ts'
import type { Plugin } from '../../../../src/index.ts'
import type { UsageContext } from '../../../../src/ports.ts'
import type { EffectContext } from '../../../../src/core/ports/effect-handler.ts'

const messages = [userMessage('Hi', 1)]
const context = {
  run: unstoredDetails('run-1'),
  signal: new AbortController().signal,
  clock: { now: () => 9, sleepUntil: async () => {} },
  view: { messages: () => messages, lastAnswer: () => undefined },
} as unknown as EffectContext

const perform = (hooks: Omit<Plugin, 'name'>, input: LoopAsk) =>
  runPhase(
    { plugins: [{ name: 'hooks', ...hooks }], pluginTimeoutMs: Infinity } as unknown as AgentParts,
    input,
    context,
  )

test('PH-02 PH-04 calls each hook of the loop with its own arguments', async () => {
  const heard: unknown[] = []
  const members: Omit<Plugin, 'name'> = {
    beforeRun: (given) => void heard.push(['beforeRun', given.messages(), given.run.session]),
    afterRun: (given) => void heard.push(['afterRun', given.messages(), given.usage]),
    beforeTurn: (given) => void heard.push(['beforeTurn', given.messages(), given.turn]),
    afterTurn: (given) => void heard.push(['afterTurn', given.messages(), given.usage]),
    onError: (given) => void heard.push(['onError', given.error]),
  }
  const usage = { ...noUsage, input: 5, totalTokens: 5 }
  const error = { code: 'api_error', message: 'Down' }
  for (const phase of ['beforeRun', 'beforeTurn', 'afterTurn', 'onError', 'afterRun'] as const) {
    const more = phase === 'afterRun' ? { usage } : { error }
    expect(await perform(members, { phase, turn: 3, ...more })).toEqual({ output: { at: 9 }, writes: [] })
  }
  expect(heard).toEqual([
    ['beforeRun', messages, undefined],
    ['beforeTurn', messages, 3],
    ['afterTurn', messages, noUsage],
    ['onError', error],
    ['afterRun', messages, usage],
  ])
})

test('PH-02 passes afterTurn the usage of the last answer, and none for a turn without an answer', async () => {
  const answer = { role: 'assistant', usage: { ...noUsage, input: 7 } }
  const view = { messages: () => messages, lastAnswer: () => answer }
  const used: number[] = []
  const parts = {
    plugins: [{ name: 'hooks', afterTurn: ({ usage: { input } }: UsageContext) => void used.push(input) }],
  }
  const given = { ...parts, pluginTimeoutMs: Infinity } as unknown as AgentParts
  for (const isUnanswered of [false, true]) {
    await runPhase(given, { phase: 'afterTurn', turn: 2, isUnanswered }, { ...context, view } as never)
  }
  expect(used).toEqual([7, 0])
})

test.for([
  ['beforeRun', { code: 'before_loop' }],
  ['beforeTurn', { code: 'before_turn' }],
  ['afterTurn', undefined],
  ['afterRun', undefined],
  ['onError', undefined],
] as const)('PH-02 reads false from %s as %j', async ([phase, terminate]) => {
  const no = async () => false
  const { output } = await perform({ [phase]: no }, { phase, turn: 1 })
  expect(output).toEqual({ at: 9, ...(terminate === undefined ? {} : { terminate }) })
  expect((await perform({ [phase]: () => true }, { phase, turn: 1 })).output).toEqual({ at: 9 })
  expect((await perform({}, { phase, turn: 1 })).output).toEqual({ at: 9 })
})

test.for<[unknown, string]>([
  [() => Promise.reject(new Error('boom')), 'boom'],
  [() => 'yes', 'it answered a value of type string. Expected true, false or nothing.'],
  [async () => null, 'it answered null. Expected true, false or nothing.'],
  [() => 0, 'it answered a value of type number. Expected true, false or nothing.'],
])('PH-02 names the hook that failed: %#', async ([hook, problem]) => {
  for (const phase of ['beforeRun', 'beforeTurn', 'afterTurn', 'afterRun', 'onError'] as const) {
    const performing = perform({ [phase]: hook }, { phase, turn: 1 })
    await expect(performing).rejects.toThrow(`Plugin "hooks" failed in ${phase}: ${problem}`)
  }
})

test('PH-02 calls a hook as a method of its plugin object', async () => {
  class Counting implements Plugin {
    readonly name = 'counting'
    turns = 0
    beforeTurn() {
      this.turns++
    }
  }
  const counting = new Counting()
  const parts = { plugins: [counting], pluginTimeoutMs: Infinity } as unknown as AgentParts
  await runPhase(parts, { phase: 'beforeTurn', turn: 1 }, context)
  expect(counting.turns).toBe(1)
})
