import { expect, test } from 'vitest'
import { userMessage } from '../../src/core/domain/message.ts'
import type { Plugin } from '../../src/index.ts'
import { stateOf, statusesOf, transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { runId, testAgent, type TestAgent } from '../../proof/support/test-agent.ts'

function withPlugin(hooks: object): TestAgent {
  return testAgent({
    replies: [calls(call('c1', 'act')), 'Bye'],
    tools: [toolbox().act()],
    plugins: [{ name: 'misusing', ...hooks }],
  })
}

interface Asking {
  addMessages(messages: unknown): void
  chooseTools(names: unknown): void
  override(settings: unknown): void
  append(message: unknown): void
  patch(changes: unknown): void
  suspend(ticket: unknown): void
  terminate(code?: unknown): void
}

const notJson = 'is not JSON: it contains a big integer.'
const messageWish =
  'The message is invalid. Expected one of role user, assistant or toolResult with a list of blocks as content, or of role extension with kind and data.'
const modelMessageWish = 'Expected one of role user, assistant or toolResult with a list of blocks as content.'
const messagesWish = 'The messages are not a list. Expected a list of messages.'
const toolsWish = 'The tools to choose are not a list of names. Expected names of tools.'
const changesWish = 'Expected [{ path, value? }] with a list of keys as path and JSON as value.'
const ticketWish = 'Expected { reason?, message?, parameters?, responseSchema?, expiresAt? }.'
const answerWish = 'The answer is invalid. Expected { block: text }, { result }, { suspend } or nothing.'

const user = (content: unknown) => ({ role: 'user', content, timestamp: 0 })

type Misuse = [string, string, (asking: Asking) => unknown, string]

test.for<Misuse>([
  ['a text as content', 'beforeModel', ({ append }) => append(user('Mind the date')), messageWish],
  ['an unknown block', 'stepStart', ({ append }) => append(user([{ type: 'poem' }])), messageWish],
  ['an unknown role', 'runStart', ({ append }) => append({ role: 'poet', content: [] }), messageWish],
  ['no message', 'stepStart', ({ append }) => append(null), messageWish],
  ['a result of no call', 'beforeModel', ({ append }) => append({ role: 'toolResult', content: [] }), messageWish],
  [
    'a big integer in a message',
    'reviewCall',
    ({ append }) => append({ role: 'extension', kind: 'k', data: { n: 1n }, timestamp: 0 }),
    `The message ${notJson}`,
  ],
  [
    'a path that reaches a prototype',
    'beforeModel',
    ({ patch }) => patch([{ path: ['__proto__', 'x'], value: 1 }]),
    'State path holds "__proto__", which is refused. Use another key.',
  ],
  [
    'a text as path',
    'reviewCall',
    ({ patch }) => patch([{ path: 'x', value: 1 }]),
    `The path "x" is not a list of keys. ${changesWish}`,
  ],
  [
    'a big integer in the state',
    'gateCall',
    ({ patch }) => patch([{ path: ['x'], value: 1n }]),
    `The value for ["x"] ${notJson}`,
  ],
  [
    'a big integer in a ticket of the run',
    'runStart',
    ({ suspend }) => suspend({ parameters: 1n }),
    `The ticket ${notJson}`,
  ],
  [
    'a text as ticket of the run',
    'runStart',
    ({ suspend }) => suspend('why'),
    `The ticket is not an object. ${ticketWish}`,
  ],
  [
    'a big integer in a ticket of a call',
    'gateCall',
    () => ({ suspend: { parameters: { amount: 10n } } }),
    `The ticket ${notJson}`,
  ],
  [
    'a message that is not a text',
    'gateCall',
    () => ({ suspend: { message: 1 } }),
    `The ticket is invalid. ${ticketWish}`,
  ],
  ['a block without a reason', 'gateCall', () => ({ block: true }), answerWish],
  ['an answer of no kind', 'gateCall', () => ({ blocked: 'no' }), answerWish],
  ['a yes', 'gateCall', () => true, answerWish],
  [
    'a code that is not a text',
    'stepStart',
    ({ terminate }) => terminate(7),
    'The code to end the run with is invalid. Expected a text or nothing.',
  ],
  ['a text as messages', 'beforeModel', ({ addMessages }) => addMessages('Hi'), messagesWish],
  [
    'an extension for the prompt',
    'beforeModel',
    ({ addMessages }) => addMessages([{ role: 'extension', kind: 'k', data: 1, timestamp: 0 }]),
    `The message is not valid for a model. ${modelMessageWish}`,
  ],
  ['a name as tools', 'beforeModel', ({ chooseTools }) => chooseTools('act'), toolsWish],
  [
    'a tool there is not',
    'beforeModel',
    ({ chooseTools }) => chooseTools(['act', 'atc']),
    'Tool "atc" does not exist. Known: act.',
  ],
  [
    'a text as settings',
    'beforeModel',
    ({ override }) => override('cold'),
    'The settings are not an object. Expected { model?, thinking?, temperature?, maxTokens?, toolChoice?, requiredCall? }.',
  ],
  [
    'a setting there is not',
    'beforeModel',
    ({ override }) => override({ temprature: 1 }),
    'The setting "temprature" is not known. Known: model, thinking, temperature, maxTokens, toolChoice, requiredCall.',
  ],
  [
    'a model there is not',
    'beforeModel',
    ({ override }) => override({ model: 'acme/none' }),
    'Model "acme/none" is not one of this agent\'s. Known: scripted/scripted.',
  ],
  ...(
    [
      [{ model: 1 }, 'model is 1. Expected the name of a model.'],
      [{ thinking: 'deep' }, 'thinking is "deep". Expected off, minimal, low, medium or high.'],
      [{ temperature: Number.NaN }, 'temperature is NaN. Expected a finite number of 0 or more.'],
      [{ temperature: '1' }, 'temperature is "1". Expected a finite number of 0 or more.'],
      [{ maxTokens: 0.5 }, 'maxTokens is 0.5. Expected a whole number of 1 or more.'],
      [{ toolChoice: 'any' }, 'toolChoice is "any". Expected auto or none.'],
      [{ requiredCall: false }, 'requiredCall is false. Expected true or the name of a tool.'],
    ] as const
  ).map(([settings, why]): Misuse => [
    `the setting ${JSON.stringify(settings)}`,
    'beforeModel',
    ({ override }) => override(settings),
    `The setting ${why}`,
  ]),
  [
    'a required call of a tool there is not',
    'beforeModel',
    ({ override }) => override({ requiredCall: 'atc' }),
    'Tool "atc" does not exist. Known: act.',
  ],
  [
    'a required call of a tool that is not offered',
    'beforeModel',
    ({ override, chooseTools }) => (chooseTools([]), override({ requiredCall: 'act' })),
    'it requires a call of "act", and this step offers none. Offer the tool, or do not require its call.',
  ],
  [
    'a required call where no tool is offered',
    'beforeModel',
    ({ override, chooseTools }) => (chooseTools([]), override({ requiredCall: true })),
    'it requires a call of some tool, and this step offers none. Offer the tool, or do not require its call.',
  ],
  ...(['addMessages', 'chooseTools', 'override'] as const).map((ask): Misuse => [
    `${ask} in stepStart`,
    'stepStart',
    (asking) => asking[ask]([]),
    `stepStart has no ${ask}(): it may be called in beforeModel.`,
  ]),
  ...(['afterModel', 'stepEnd', 'runEnd'] as const).map((phase): Misuse => [
    `a message in ${phase}`,
    phase,
    ({ append }) => append(user([])),
    `${phase} has no append(): it may be called in runStart, stepStart, beforeModel, reviewCall.`,
  ]),
  ...(['stepEnd', 'runEnd'] as const).map((phase): Misuse => [
    `an end in ${phase}`,
    phase,
    ({ terminate }) => terminate(),
    `${phase} has no terminate(): it may be called in runStart, stepStart, beforeModel, afterModel.`,
  ]),
])('RUN-06 PH-01 ends the run with an error that names the plugin which passes %s', async ([, phase, hook, why]) => {
  const { agent, store } = withPlugin({ [phase]: hook })
  const { outcome } = await agent.run('Hi', { runId })

  expect(outcome).toEqual({
    reason: 'error',
    error: {
      code: 'effect_failed',
      message: `Plugin "misusing" failed in ${phase}: ${why}`,
    },
  })
  expect(await (await agent.load(runId)).result()).toMatchObject({ status: 'done', outcome })
  expect(await stateOf(store, runId)).toEqual({})
})

test('RUN-06 ignores requests of a plugin after its hook has ended, in the same phase or later', async () => {
  const late: (() => void)[] = []
  const early: Plugin = {
    name: 'early',
    stepStart: ({ append, patch, terminate }) => {
      const misused = append as (message: unknown) => void
      late.push(
        () => append(userMessage('late', 0)),
        () => misused('late'),
        () => patch([{ path: ['a'], value: 1 }]),
        () => terminate(),
      )
    },
    gateCall: ({ patch }) => void late.push(() => patch([{ path: ['a'], value: 1 }])),
    reviewCall: ({ append, rewrite }) => {
      late.push(
        () => append(userMessage('late', 0)),
        () => rewrite('late'),
      )
    },
  }
  const asking = () => {
    for (const ask of late) ask()
  }
  const other: Plugin = {
    name: 'other',
    stepStart: asking,
    gateCall: asking,
    reviewCall: asking,
  }
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'act')), 'Bye'],
    tools: [toolbox().act()],
    plugins: [early, other],
  })

  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'natural_end' })
  expect(await transcriptOf(store, runId)).toEqual([
    'user: Hi',
    'assistant: calls 1.c1 act',
    '1.c1 succeeded, result 1.c1: act done',
    'assistant: Bye',
  ])
  expect(await stateOf(store, runId)).toEqual({})
})

test('RUN-06 cancels the call for which a plugin passes an invalid value', async () => {
  const { agent, store } = withPlugin({ gateCall: () => ({ suspend: { parameters: 1n } }) })
  await agent.run('Hi', { runId })

  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'cancelled' })
})
