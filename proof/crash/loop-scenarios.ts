import { z } from 'zod'
import { textOf, userMessage } from '../../src/core/domain/message.ts'
import type { Plugin } from '../../src/core/ports/plugin.ts'
import { scripted, type ScriptedReply } from '../../src/adapters/providers/scripted.ts'
import type { CrashEnvironment } from '../../src/testing/crash/crash-environment.ts'
import type { CrashScenario } from '../../src/testing/crash/crash-scenario.ts'
import { acting, approveFirst, asks, call, idempotent, listener, noKeys, scenario, talking } from './scenario-parts.ts'

const hooks: Omit<Plugin, 'name'> = {
  beforeRun: () => {},
  afterRun: () => {},
  beforeTurn: () => {},
  afterTurn: () => {},
  beforeTool: () => {},
  afterTool: () => {},
}

/** An answer during which somebody says something. */
function talkingMeanwhile(environment: CrashEnvironment, kind: 'steer' | 'followUp', text: string): ScriptedReply {
  return async () => {
    await environment.say(kind, text)
    return 'One.'
  }
}

const builder: Plugin = {
  name: 'builder',
  buildContext: () => ({ system: 'Weigh it.', messages: [userMessage('Built.', 0)] }),
}

/** Messages that come while a run is under way. */
const talked: readonly CrashScenario[] = [
  scenario(
    'steered between two calls',
    [[call('a', 'says'), call('b', 'append')], [call('c', 'append')], 'Done.'],
    (environment) => [talking(environment, 'steer', 'Stop.'), acting(environment, 'append', idempotent)],
    { agent: { executor: 'sequential' } },
  ),
  scenario(
    'steered twice, one at a time',
    [[call('a', 'says'), call('b', 'append')], 'One.', 'Two.'],
    (environment) => [talking(environment, 'steer', 'First.', 'Second.'), acting(environment, 'append', idempotent)],
  ),
  scenario(
    'steered while it waits',
    [[call('a', 'ask')], 'Done.'],
    { ask: asks },
    {
      play: async (run, environment, result) => {
        await environment.say('steer', 'Be brief.')
        await approveFirst(run)
        return result
      },
    },
  ),
  scenario('follow-up during the last answer', (environment) => [
    talkingMeanwhile(environment, 'followUp', 'And then?'),
    'Two.',
  ]),
  ...([false, true] as const).map((isWatched) =>
    scenario(
      `follow-up while the end is written${isWatched ? ', the end heard' : ''}`,
      ['One.', 'Two.'],
      {},
      {
        agent: { plugins: isWatched ? [{ name: 'p', runEnd() {} }] : [] },
        beforeEnd: (environment) => environment.say('followUp', 'One more.'),
      },
    ),
  ),
  scenario(
    'steered where a limit ends it',
    [[call('a', 'says')], 'Never said.'],
    (environment) => [talking(environment, 'followUp', 'Unheard.', 'Unheard too.')],
    { agent: { limits: { maxTurns: 1 } } },
  ),
  scenario(
    'a rejected prompt',
    ['Never said.'],
    {},
    { prompt: 'My key is sk-1.', refused: 'sk-1', agent: { plugins: [noKeys] } },
  ),
  scenario(
    'a rejected follow-up',
    [[call('a', 'says')], 'One.', 'Two.'],
    (environment) => [talking(environment, 'followUp', 'My key is sk-2.', 'And then?')],
    { refused: 'sk-2', agent: { plugins: [noKeys] } },
  ),
]

/** A plugin that listens to every phase, and notes something at the start of each step. */
const noting: Plugin = { ...listener, stepStart: ({ append }) => append(userMessage('Mind it.', 0)) }

/** The code around and inside the loop. */
const around: readonly CrashScenario[] = [
  ...([false, true] as const).map((isWatched) =>
    scenario(
      `an answer corrected${isWatched ? ', every phase heard' : ''}`,
      [[call('a', 'append')], '{"city":"Bern"}', '{"city":"Bern","people":1}'],
      { append: {} },
      {
        agent: {
          output: z.object({ city: z.string(), people: z.number() }),
          plugins: isWatched ? [listener] : [],
        },
      },
    ),
  ),
  scenario(
    'a note behind a result',
    [[call('a', 'append')], 'Done.'],
    { append: idempotent },
    { agent: { plugins: [{ ...listener, reviewCall: ({ append }) => append(userMessage('Mind it.', 0)) }] } },
  ),
  scenario(
    'an answer corrected, steered and noted',
    (environment) => [talkingMeanwhile(environment, 'steer', 'Be brief.'), '1'],
    {},
    { agent: { output: z.number(), plugins: [noting] } },
  ),
  {
    name: 'an answer refused, and given again',
    build: () => ({
      name: 'a',
      model: scripted(({ messages }) => (JSON.stringify(messages.at(-1)).includes('was refused') ? 'Fine.' : 'Rude.')),
      plugins: [
        { name: 'polite', onAnswer: (answer) => (textOf(answer) === 'Rude.' ? { refuse: 'Be polite.' } : undefined) },
      ],
    }),
  },
  scenario('a context builder', [[call('a', 'append')], 'Done.'], { append: {} }, { agent: { plugins: [builder] } }),
  scenario(
    'hooks of the loop',
    [[call('a', 'append')], 'Done.'],
    { append: {} },
    { agent: { plugins: [{ name: 'hooks', ...hooks }] } },
  ),
  scenario(
    'a model that cannot be reached',
    ({ clock }) => [
      [call('a', 'append')],
      () => (reached.has(clock) ? 'Done.' : { error: { kind: 'network', message: 'No route to host' } }),
    ],
    { append: {} },
    {
      agent: { onModelFailure: 'wait', retry: { maxRetries: 2, initialDelayMs: 0 } },
      play: async (run, { clock }) => {
        reached.add(clock)
        return approveFirst(run)
      },
    },
  ),
]

/** Clocks of trials whose network is whole again; the processes of a trial share one. */
const reached = new WeakSet<object>()

/** The loop: messages that come meanwhile, filters, corrections, hooks, and a network that fails. */
export const looping: readonly CrashScenario[] = [...talked, ...around]
