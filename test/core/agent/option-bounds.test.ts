import { expect, test } from 'vitest'
import { checkAgentOptions, checkAnswerOptions, checkMethodOptions } from '../../../src/core/agent/agent-shape.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'

const checks = {
  close: (given: unknown) => checkMethodOptions('close', given),
  fork: (given: unknown) => checkMethodOptions('fork', given),
  load: (given: unknown) => checkMethodOptions('load', given),
  provide: (given: unknown) => checkMethodOptions('provide', given),
  run: (given: unknown) => checkMethodOptions('run', given),
  settled: (given: unknown) => checkMethodOptions('settled', given),
  start: (given: unknown) => checkMethodOptions('start', given),
}

const agent = { name: 'a', model: scripted([]) }

const agentOptions = (given: object) => checkAgentOptions({ ...agent, ...given })
const limits = (given: object) => agentOptions({ limits: given })
const request = (given: object) => agentOptions({ request: given })

/** An option, what takes it, the nearest values it takes, the nearest ones it does not, and what it says then. */
const bounds: readonly [string, (given: object) => void, readonly number[], readonly number[], string][] = [
  ['maxCallsPerTurn', limits, [1, 256], [0, 1.5, 257, Infinity, Number.NaN], 'a whole number from 1 to 256'],
  ['pluginTimeoutMs', limits, [0.5, Infinity], [0, Number.NaN], 'more than 0 milliseconds, or Infinity'],
  ['maxTokens', request, [1], [0, 1.5, Infinity], 'a whole number of 1 or more'],
  ['temperature', request, [0, 0.1], [-0.1, Infinity], 'a finite number of 0 or more'],
  ['actorTimeoutMs', checks.provide, [0.5], [0, Number.NaN], 'more than 0 milliseconds'],
  ['drainMs', checks.close, [0, 0.5], [-0.5, Infinity], 'a finite number of 0 or more'],
  ['from', checks.fork, [1, 0], [1.5, Number.NaN], 'the version of a checkpoint, as history() lists it'],
]

test.for(bounds)(
  'AGT-12 accepts %s up to its bounds, and states the bounds',
  ([option, check, taken, refused, wish]) => {
    for (const value of taken) expect(() => check({ [option]: value })).not.toThrow()
    for (const value of refused) {
      const problem = { code: 'bad_option', message: expect.stringContaining(`Expected ${wish}.`) }
      expect(() => check({ [option]: value })).toThrow(expect.objectContaining(problem))
    }
  },
)

/** Whose option it is, the name it is given, what is meant, and what checks it. */
const words: readonly [string, string, string, (given: object) => void][] = [
  ['createAgent', 'llm', 'model', agentOptions],
  ['createAgent', 'system', 'instructions', agentOptions],
  ['createAgent', 'systemPrompt', 'instructions', agentOptions],
  ['createAgent', 'prompt', 'instructions', agentOptions],
  ['createAgent', 'maxTurns', 'limits: { maxTurns }', agentOptions],
  ['createAgent', 'maxSteps', 'limits: { maxTurns }', agentOptions],
  ['createAgent', 'maxDurationMs', 'limits: { maxDurationMs }', agentOptions],
  ['createAgent', 'maxCost', 'limits: { maxCost }', agentOptions],
  ['createAgent', 'maxRetries', 'retry: { maxRetries }', agentOptions],
  ['createAgent', 'timeoutMs', 'limits: { toolTimeoutMs }', agentOptions],
  ['createAgent', 'temperature', 'request: { temperature }', agentOptions],
  ['agent.provide', 'actors', 'agent.provide().provide({ actors })', checks.provide],
  ['agent.provide', 'actions', 'agent.provide().provide({ actions })', checks.provide],
  ['agent.provide', 'store', 'createAgent({ store }) with agent.start(prompt)', checks.provide],
  ['an answer', 'input', 'run.edit(target, input)', checkAnswerOptions],
  ['an answer', 'result', 'run.respond(target, result)', checkAnswerOptions],
]

test.for(words)('AGT-12 suggests for %s that %s may mean %s', ([owner, given, meant, check]) => {
  const message = expect.stringContaining(`Option ${given} of ${owner} is not known. Did you mean ${meant}? Known: `)
  expect(() => check({ [given]: 1 })).toThrow(expect.objectContaining({ name: 'UsageError', message }))
})

test.for([
  ['store', 'a store, such as sqliteStore(path)', ['create', 'claim', 'commit', 'decide', 'read']],
  ['clock', 'a clock', ['now', 'sleepUntil']],
  ['ids', 'a source of ids', ['next']],
] as const)('AGT-12 requires every method that %s needs', ([option, what, methods]) => {
  const whole = Object.fromEntries(methods.map((name) => [name, () => undefined]))
  expect(() => agentOptions({ [option]: whole })).not.toThrow()
  for (const missing of methods) {
    const { [missing]: _, ...rest } = whole
    const message = expect.stringContaining(`Expected ${what}; it has no method ${missing}.`)
    expect(() => agentOptions({ [option]: rest })).toThrow(expect.objectContaining({ code: 'bad_option', message }))
  }
})

test.for<[string, (given: object) => void, object]>([
  ['createAgent', checkAgentOptions, { ...agent, executor: 'parallel' }],
  ['createAgent', checkAgentOptions, { ...agent, executor: 'sequential' }],
  ['the start of a run', checks.start, { ifExists: 'refuse', drive: false }],
  ['the start of a run', checks.run, { ifExists: 'attach' }],
  ['load', checks.load, { adopt: true }],
  ['settled', checks.settled, { follow: true }],
  ['close', checks.close, { drainMs: 0 }],
  ['fork', checks.fork, { from: 1 }],
  ['agent.provide', checks.provide, { onLog: () => {} }],
  ['an answer', checkAnswerOptions, { reason: 'ok' }],
])('AGT-12 says that an option is not one of %s', ([owner, check, given]) => {
  expect(() => check(given)).not.toThrow()
  const message = expect.stringContaining(`Option wrong of ${owner} is not known.`)
  expect(() => check({ ...given, wrong: 1 })).toThrow(expect.objectContaining({ code: 'bad_option', message }))
})

test.for<[object, string]>([
  [{ model: { stream: () => [], provider: 'p' } }, 'Expected a model with the texts provider and id.'],
  [{ model: { stream: () => [], id: 'i' } }, 'Expected a model with the texts provider and id.'],
  [{ executor: 'serial' }, 'Expected parallel, sequential or { batch: number }.'],
  [{ plugins: [{ name: 'audit', wrong: 1 }] }, 'Option wrong of plugin "audit" is not known.'],
  [{ plugins: [{ name: 7 }] }, 'Option name of a plugin is 7, which is refused.'],
])('AGT-12 explains what is wrong with part %# of an agent', ([given, expected]) => {
  const message = expect.stringContaining(expected)
  expect(() => agentOptions(given)).toThrow(expect.objectContaining({ code: 'bad_option', message }))
})
