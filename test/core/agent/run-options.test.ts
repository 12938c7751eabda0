import { expect, test } from 'vitest'
import { type AgentOptions, checkedCache, checkedThinking, partsOf } from '../../../src/core/agent/options.ts'
import { runOptionsOf, watchedBy } from '../../../src/core/driving/run-options.ts'
import type { Model } from '../../../src/core/ports/model.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'

const prices = { input: 1, output: 1 }
const model = { ...scripted([]), prices } as Model
const rules = (more: Partial<AgentOptions> = {}) => runOptionsOf({ name: 'a', model, ...more })
const parts = (more: Partial<AgentOptions> = {}) => partsOf({ name: 'a', model, ...more })

test('AGT-12 TC-05 stores these default rules with a run', () => {
  expect(rules()).toEqual({
    executor: { batchSize: null, stopsOnSuspension: false },
    onPartialSuspension: 'continue',
    decisions: 'immediate',
    limits: [
      { code: 'max_turns', max: 50, action: 'stop' },
      { code: 'max_tokens', max: 1_000_000, action: 'stop' },
      { code: 'max_duration', max: 600_000, action: 'stop' },
    ],
    repeatLimit: 3,
    stopsOnRepeat: false,
    maxRetries: 3,
    fallbacks: 0,
    queueModes: { steer: 'one', followUp: 'one' },
    onModelFailure: 'end',
    outputRetries: 3,
    watched: [],
  })
})

test('AGT-12 stores the limits given, each with its action', () => {
  const all = { maxTurns: 1, maxTokens: 2, maxDurationMs: 3, maxToolInteractions: 4, maxCost: 0.5 }
  const actions = (more: Partial<AgentOptions>) => rules({ limits: all, ...more }).limits.map(({ action }) => action)
  expect(rules({ limits: all }).limits.map(({ code, max }) => [code, max])).toEqual([
    ['max_turns', 1],
    ['max_tokens', 2],
    ['max_duration', 3],
    ['max_tool_interactions', 4],
    ['max_cost', 0.5],
  ])
  expect(actions({})).toEqual(['stop', 'stop', 'stop', 'error', 'stop'])
  expect(actions({ onLimit: 'finish' })).toEqual(['finish', 'finish', 'finish', 'finish', 'finish'])
  const some = { max_tokens: 'error', max_tool_interactions: 'stop' } as const
  expect(actions({ onLimit: some })).toEqual(['stop', 'error', 'stop', 'stop', 'stop'])
  expect(rules({ limits: false }).limits).toEqual([])
  const off = { maxTurns: Infinity, maxTokens: Infinity, maxDurationMs: 0 }
  expect(rules({ limits: off }).limits).toEqual([{ code: 'max_duration', max: 0, action: 'stop' }])
})

test('AGT-17 stores when repeats are noted and refused; 0 and Infinity turn them off', () => {
  expect(rules({ limits: { repeat: Infinity, onRepeat: 'stop' } })).toMatchObject({
    repeatLimit: 0,
    stopsOnRepeat: true,
  })
  expect(rules({ limits: { repeat: 5, onRepeat: 'note' } })).toMatchObject({ repeatLimit: 5, stopsOnRepeat: false })
})

test('TC-05 stores how many calls of a round run at once', () => {
  expect(rules({ executor: 'sequential' }).executor).toEqual({ batchSize: 1, stopsOnSuspension: true })
  expect(rules({ executor: { batch: 1 } }).executor).toEqual({ batchSize: 1, stopsOnSuspension: true })
  for (const batch of [0, -1, 1.5, Number.NaN, '2' as never]) {
    const message = `Batch size ${batch} is refused. Expected a whole number of 1 or more.`
    expect(() => rules({ executor: { batch } })).toThrow(expect.objectContaining({ code: 'bad_batch_size', message }))
  }
})

test('PRV-10 stores the number of models and of attempts for each', () => {
  const many = rules({ fallbackModels: [model, model], retry: { maxRetries: Infinity } })
  expect(many).toMatchObject({ fallbacks: 2, maxRetries: Number.MAX_SAFE_INTEGER })
})

test('PH-01 stores the phases that have plugins, in their order', () => {
  const hook = () => undefined
  const plugins = [
    { name: 'a', runEnd: hook, stepStart: hook, afterModel: hook },
    { name: 'b', runStart: hook, stepStart: hook, beforeModel: hook, stepEnd: hook, reviewCall: hook },
    { name: 'c', gateCall: hook },
  ]
  expect(watchedBy({ plugins })).toEqual([
    'runStart',
    'stepStart',
    'beforeModel',
    'afterModel',
    'stepEnd',
    'gateCall',
    'reviewCall',
    'runEnd',
  ])
  expect(watchedBy({ plugins: [{ name: 'a' }] })).toEqual([])
})

test('AGT-12 PRV-10 uses these defaults if an agent sets nothing', () => {
  const { tools: _tools, ...rest } = parts()
  expect(rest).toEqual({
    name: 'a',
    instructions: '',
    models: [model],
    prices: new Map(),
    plugins: [],
    compaction: {},
    maxCallsPerTurn: 128,
    pluginTimeoutMs: 60_000,
    retry: { maxRetries: 3, initialDelayMs: 1000, factor: 2, maxDelayMs: 30_000, random: Math.random },
  })
})

test('AGT-12 PRV-10 uses the values that an agent sets', () => {
  const random = () => 0.5
  const retry = { maxRetries: 0, initialDelayMs: 0, factor: 1, maxDelayMs: Infinity, random }
  const given = { maxTokens: 1, temperature: 0, thinking: 'off', cache: { system: true } } as const
  const fallback = scripted([])
  const own = parts({
    request: given,
    instructions: 'Be short.',
    fallbackModels: [fallback],
    retry,
    limits: { toolTimeoutMs: 5, maxCallsPerTurn: 2, pluginTimeoutMs: 7 },
  })
  expect(own).toMatchObject({
    ...given,
    instructions: 'Be short.',
    models: [model, fallback],
    toolTimeoutMs: 5,
    maxCallsPerTurn: 2,
    pluginTimeoutMs: 7,
    retry: { ...retry, maxDelayMs: Number.MAX_SAFE_INTEGER },
  })
  expect(parts({ limits: { toolTimeoutMs: Infinity } })).not.toHaveProperty('toolTimeoutMs')
})

test.each<[string, Partial<AgentOptions>, string]>([
  ['limits.maxTurns', { limits: { maxTurns: -1 } }, '-1'],
  ['limits.maxTokens', { limits: { maxTokens: Number.NaN } }, 'NaN'],
  ['limits.maxDurationMs', { limits: { maxDurationMs: '5' as never } }, '5'],
  ['limits.maxToolInteractions', { limits: { maxToolInteractions: -0.5 } }, '-0.5'],
  ['limits.maxCost', { limits: { maxCost: -1 } }, '-1'],
  ['limits.repeat', { limits: { repeat: -1 } }, '-1'],
  ['retry.maxRetries', { retry: { maxRetries: -1 } }, '-1'],
  ['retry.maxDelayMs', { retry: { maxDelayMs: -1 } }, '-1'],
  ['retry.factor', { retry: { factor: -1 } }, '-1'],
])('AGT-12 refuses %s if it is negative or not a number', (option, given, shown) => {
  const message = `Option ${option} is ${shown}, which is refused. Expected a number of 0 or more.`
  expect(() => rules(given)).toThrow(expect.objectContaining({ code: 'bad_number', message }))
})

test('AGT-12 refuses an infinite first delay or factor, and a negative time for tools', () => {
  for (const field of ['initialDelayMs', 'factor']) {
    const message = `Option retry.${field} is Infinity, which is refused. Expected a finite number.`
    expect(() => rules({ retry: { [field]: Infinity } })).toThrow(expect.objectContaining({ message }))
  }
  const message = 'Option limits.toolTimeoutMs is -1, which is refused. Expected a number of 0 or more.'
  expect(() => parts({ limits: { toolTimeoutMs: -1 } })).toThrow(expect.objectContaining({ message }))
})

test('PRV-01 accepts only known levels of thinking and cache strategies', () => {
  for (const level of ['off', 'minimal', 'low', 'medium', 'high'] as const) expect(checkedThinking(level)).toBe(level)
  expect(() => checkedThinking('deep' as never)).toThrow(
    'Option request.thinking is "deep", which is refused. Expected off, minimal, low, medium or high.',
  )
  const strategy = { system: true, tools: false, messages: true }
  for (const cache of ['auto', 'disabled', {}, strategy] as const) expect(checkedCache(cache)).toEqual(cache)
  expect(checkedCache(strategy)).not.toBe(strategy)
  for (const cache of ['always', { all: true }, { system: 1 }, null]) {
    expect(() => checkedCache(cache as never)).toThrow(
      /^Option request.cache is .*, which is refused\. Expected auto, disabled, or true and false for any of system, tools and messages\.$/,
    )
  }
})
