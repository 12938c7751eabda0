import { z } from 'zod'
import { textOf, userMessage } from '../../src/core/domain/message.ts'
import type { Plugin } from '../../src/core/ports/plugin.ts'
import { scripted, type ScriptedReply } from '../../src/adapters/providers/scripted.ts'
import type { CrashEnvironment } from '../../src/testing/crash/crash-environment.ts'
import type { CrashScenario } from '../../src/testing/crash/crash-scenario.ts'
import { acting, approveFirst, call, listener, noKeys, saying, talking } from './scenario-parts.ts'

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

const idempotent = { effects: 'idempotent' } as const

/** Messages that come while a run is under way. */
const talked: readonly CrashScenario[] = [
  {
    name: 'steered between two calls',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'says'), call('b', 'append')], [call('c', 'append')], 'Done.'),
      tools: [talking(environment, 'steer', 'Stop.'), acting(environment, 'append', idempotent)],
      executor: 'sequential',
    }),
  },
  {
    name: 'steered twice, one at a time',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'says'), call('b', 'append')], 'One.', 'Two.'),
      tools: [talking(environment, 'steer', 'First.', 'Second.'), acting(environment, 'append', idempotent)],
    }),
  },
  {
    name: 'steered while it waits',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'ask')], 'Done.'),
      tools: [acting(environment, 'ask', { needs: 'approval' })],
    }),
    play: async (run, environment, result) => {
      await environment.say('steer', 'Be brief.')
      await approveFirst(run)
      return result
    },
  },
  {
    name: 'follow-up during the last answer',
    build: (environment) => ({
      name: 'a',
      model: saying(talkingMeanwhile(environment, 'followUp', 'And then?'), 'Two.'),
    }),
  },
  ...([false, true] as const).map((isWatched): CrashScenario => ({
    name: `follow-up while the end is written${isWatched ? ', the end heard' : ''}`,
    build: () => ({ name: 'a', model: saying('One.', 'Two.'), plugins: isWatched ? [{ name: 'p', runEnd() {} }] : [] }),
    beforeEnd: (environment) => environment.say('followUp', 'One more.'),
  })),
  {
    name: 'steered where a limit ends it',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'says')], 'Never said.'),
      tools: [talking(environment, 'followUp', 'Unheard.', 'Unheard too.')],
      limits: { maxTurns: 1 },
    }),
  },
  {
    name: 'a rejected prompt',
    prompt: 'My key is sk-1.',
    refused: 'sk-1',
    build: () => ({ name: 'a', model: saying('Never said.'), plugins: [noKeys] }),
  },
  {
    name: 'a rejected follow-up',
    refused: 'sk-2',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'says')], 'One.', 'Two.'),
      tools: [talking(environment, 'followUp', 'My key is sk-2.', 'And then?')],
      plugins: [noKeys],
    }),
  },
]

/** The code around and inside the loop. */
const around: readonly CrashScenario[] = [
  ...([false, true] as const).map((isWatched): CrashScenario => ({
    name: `an answer corrected${isWatched ? ', every phase heard' : ''}`,
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'append')], '{"city":"Bern"}', '{"city":"Bern","people":1}'),
      tools: [acting(environment, 'append')],
      output: z.object({ city: z.string(), people: z.number() }),
      plugins: isWatched ? [listener] : [],
    }),
  })),
  {
    name: 'a note behind a result',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'append')], 'Done.'),
      tools: [acting(environment, 'append', idempotent)],
      plugins: [{ ...listener, reviewCall: ({ append }) => append(userMessage('Mind it.', 0)) }],
    }),
  },
  {
    name: 'an answer corrected, steered and noted',
    build: (environment) => ({
      name: 'a',
      model: saying(talkingMeanwhile(environment, 'steer', 'Be brief.'), '1'),
      output: z.number(),
      plugins: [{ ...listener, stepStart: ({ append }) => append(userMessage('Mind it.', 0)) }],
    }),
  },
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
  {
    name: 'a context builder',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'append')], 'Done.'),
      tools: [acting(environment, 'append')],
      plugins: [
        { name: 'builder', buildContext: () => ({ system: 'Weigh it.', messages: [userMessage('Built.', 0)] }) },
      ],
    }),
  },
  {
    name: 'hooks of the loop',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'append')], 'Done.'),
      tools: [acting(environment, 'append')],
      plugins: [{ name: 'hooks', ...hooks }],
    }),
  },
  {
    name: 'a model that cannot be reached',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'append')], () => {
        if (reached.has(environment.clock)) return 'Done.'
        return { error: { kind: 'network', message: 'No route to host' } }
      }),
      tools: [acting(environment, 'append')],
      onModelFailure: 'wait',
      retry: { maxRetries: 2, initialDelayMs: 0 },
    }),
    play: async (run, { clock }) => {
      reached.add(clock)
      return approveFirst(run)
    },
  },
]

/** Clocks of trials whose network is whole again; the processes of a trial share one. */
const reached = new WeakSet<object>()

/** The loop: messages that come meanwhile, filters, corrections, hooks, and a network that fails. */
export const looping: readonly CrashScenario[] = [...talked, ...around]
