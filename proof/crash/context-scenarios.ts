import { ModelError } from '../../src/domain/model-error.ts'
import { scripted } from '../../src/providers/scripted.ts'
import type { Model } from '../../src/ports/model.ts'
import type { CrashScenario } from '../../src/testing/crash/crash-scenario.ts'
import { acting, call, saying } from './scenario-parts.ts'

const long = 'A long question. '.repeat(1000)
const answers = () => saying([call('a', 'append')], [call('b', 'append')], 'Done.', 'And done.')

/** A model that refuses prompts of more than so many letters. */
function withWindow(model: Model, most: number): Model {
  return {
    ...model,
    async *stream(request) {
      if (JSON.stringify(request.messages).length > most) throw new ModelError('overflow', 'prompt is too long')
      yield* model.stream(request)
    },
  }
}

/** The model tells old messages in short where it is asked to. */
function tellingInShort(model: Model): Model {
  const inShort = scripted(() => 'It was long.', { now: () => 0 })
  return { ...model, stream: (request) => (request.lifecycle === 'summary' ? inShort : model).stream(request) }
}

/** Prompts that are too long: cut by the run itself, or once the model has refused them. */
export const withLongPrompts: readonly CrashScenario[] = [
  {
    name: 'a prompt refused as too long',
    prompt: long,
    build: (environment) => ({
      name: 'a',
      model: withWindow(answers(), 12_000),
      tools: [acting(environment, 'append')],
      compaction: false,
    }),
  },
  {
    name: 'a prompt that is compacted, and gone on with',
    prompt: long,
    goesOnWith: long,
    build: (environment) => ({
      name: 'a',
      model: withWindow(answers(), 6_000),
      tools: [acting(environment, 'append')],
      compaction: { budget: 1_000, systemTokens: 100 },
    }),
  },
  {
    name: 'a prompt that a model tells in short, and gone on with',
    prompt: long,
    goesOnWith: long,
    build: (environment) => ({
      name: 'a',
      model: tellingInShort(answers()),
      tools: [acting(environment, 'append')],
      compaction: { budget: 1_000, systemTokens: 100, keepFirst: 0, keepLast: 1, summaries: true },
    }),
  },
]
