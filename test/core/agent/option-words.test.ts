import { expect, test } from 'vitest'
import { checkAgentOptions, checkAnswerOptions, checkMethodOptions } from '../../../src/core/agent/agent-shape.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

const checks = {
  fork: (given: unknown) => checkMethodOptions('fork', given),
  load: (given: unknown) => checkMethodOptions('load', given),
  start: (given: unknown) => checkMethodOptions('start', given),
}

const agent = { name: 'a', model: scripted([]) }

test.each([
  ['llm', 'model'],
  ['system', 'instructions'],
  ['systemPrompt', 'instructions'],
  ['prompt', 'instructions'],
  ['maxTurns', 'limits: { maxTurns }'],
  ['maxSteps', 'limits: { maxTurns }'],
  ['maxDurationMs', 'limits: { maxDurationMs }'],
  ['maxCost', 'limits: { maxCost }'],
  ['maxRetries', 'retry: { maxRetries }'],
  ['timeoutMs', 'limits: { toolTimeoutMs }'],
  ['modell', 'model'],
])('AGT-12 suggests to someone who writes %s the option %s', (other, own) => {
  expect(() => checkAgentOptions({ ...agent, [other]: 1 })).toThrow(
    `Option ${other} of createAgent is not known. Did you mean ${own}? Known: name, version, `,
  )
})

const hook = 'Expected a function.'

test.each<[object, string]>([
  [{ name: '' }, 'Option name of createAgent is "", which is refused.'],
  [{ model: {} }, 'Expected a model, such as scripted([…]) or anthropic(…); it has no method stream.'],
  [{ model: { stream: () => 1, id: 'x' } }, 'Expected a model with the texts provider and id.'],
  [{ model: { stream: () => 1, provider: 'x' } }, 'Expected a model with the texts provider and id.'],
  [{ fallbackModels: [1] }, 'Option fallbackModels[0] of createAgent is 1, which is refused.'],
  [
    { instructions: 1 },
    'Option instructions of createAgent is 1, which is refused. Expected a text, or a function that returns one.',
  ],
  [{ plugins: [{}] }, 'Option name of a plugin is missing.'],
  ...['runStart', 'stepStart', 'beforeModel', 'afterModel', 'stepEnd', 'gateCall', 'reviewCall', 'runEnd'].map(
    (phase): [object, string] => [
      { plugins: [{ name: 'p', [phase]: 1 }] },
      `Option ${phase} of plugin "p" is 1, which is refused. ${hook}`,
    ],
  ),
  [{ store: {} }, 'Expected a store, such as sqliteStore(path); it has no method create.'],
  ...['create', 'claim', 'commit', 'decide', 'read'].map((method): [object, string] => [
    { store: { ...memoryStore(), [method]: undefined } },
    `it has no method ${method}.`,
  ]),
  [{ executor: 'wide' }, 'Expected parallel, sequential or { batch: number }.'],
  [{ executor: { size: 1 } }, 'Option executor.size of createAgent is not known. Known: batch.'],
  [{ onPartialSuspension: 'stop' }, 'Expected continue or wait.'],
  [{ decisions: 'late' }, 'Expected immediate or gate.'],
  [{ limits: true }, 'Option limits of createAgent is true, which is refused. Expected an object.'],
  [{ limits: { turns: 1 } }, 'Option limits.turns of createAgent is not known.'],
  [{ onLimit: 'end' }, 'Expected stop, error, finish or ask.'],
  [{ onLimit: { max_turn: 'stop' } }, 'Option onLimit.max_turn of createAgent is not known. Did you mean max_turns?'],
  ...['max_turns', 'max_duration', 'max_tool_interactions'].map((code): [object, string] => [
    { onLimit: { [code]: 'ask' } },
    `Option onLimit.${code} of createAgent is "ask", which is refused. Expected stop, error or finish.`,
  ]),
  ...['max_tokens', 'max_cost'].map((code): [object, string] => [
    { onLimit: { [code]: 'end' } },
    `Option onLimit.${code} of createAgent is "end", which is refused. Expected stop, error, finish or ask.`,
  ]),
  ...[0, 1.5, Number.NaN].map((value): [object, string] => [
    { limits: { maxCallsPerTurn: value } },
    'Expected a whole number from 1 to 256.',
  ]),
  [{ limits: { pluginTimeoutMs: 0 } }, 'Expected more than 0 milliseconds, or Infinity.'],
  [{ limits: { onRepeat: 'warn' } }, 'Expected note or stop.'],
  ...[0, 1.5, Infinity].map((value): [object, string] => [
    { request: { maxTokens: value } },
    'Expected a whole number of 1 or more.',
  ]),
  ...[-0.1, Infinity].map((value): [object, string] => [
    { request: { temperature: value } },
    'Expected a finite number of 0 or more.',
  ]),
  [{ retry: { random: 1 } }, 'Option retry.random of createAgent is 1, which is refused. Expected a function.'],
  [{ retry: { retries: 1 } }, 'Option retry.retries of createAgent is not known.'],
  [{ clock: { now: () => 1 } }, 'Expected a clock; it has no method sleepUntil.'],
  [{ clock: { sleepUntil: () => 1 } }, 'Expected a clock; it has no method now.'],
  [{ ids: {} }, 'Expected a source of ids; it has no method next.'],
])('AGT-12 refuses an agent with %j', (given, problem) => {
  expect(() => checkAgentOptions({ ...agent, ...given })).toThrow(problem)
})

test('AGT-12 accepts an agent with limits at the edges of their ranges', () => {
  const edges = [
    { limits: { maxCallsPerTurn: 1, pluginTimeoutMs: 0.5 }, request: { maxTokens: 1, temperature: 0 } },
    { limits: { maxCallsPerTurn: 256, pluginTimeoutMs: Infinity }, onLimit: {}, executor: { batch: 1 } },
    { limits: false },
  ]
  for (const given of edges) expect(() => checkAgentOptions({ ...agent, ...given })).not.toThrow()
})

test.each<[(given: unknown) => void, unknown, string]>([
  [checks.start, { id: 'r' }, 'Option id of the start of a run is not known.'],
  [
    checks.start,
    { signal: {} },
    'Option signal of the start of a run is {  }, which is refused. Expected an AbortSignal.',
  ],
  [checks.load, { adopt: 1 }, 'Option adopt of load is 1, which is refused. Expected true or false.'],
  [checks.fork, {}, 'Option from of fork is missing. Expected the version of a checkpoint, as history() lists it.'],
  [checks.fork, { from: 1.5 }, 'Option from of fork is 1.5, which is refused.'],
  [checkAnswerOptions, { input: 1 }, 'Option input of an answer is not known. Did you mean run.edit(target, input)?'],
  [
    checkAnswerOptions,
    { result: 1 },
    'Option result of an answer is not known. Did you mean run.respond(target, result)?',
  ],
  [checkAnswerOptions, null, 'The options of an answer are null. Expected an object.'],
])('AGT-12 names the owner of a wrong option: %#', (check, given, problem) => {
  expect(() => check(given)).toThrow(problem)
})
