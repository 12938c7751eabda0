import { ModelError } from '../../src/core/domain/model-error.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import type { Memory } from '../../src/core/ports/memory.ts'
import type { Model } from '../../src/core/ports/model.ts'
import type { CrashEnvironment } from '../../src/testing/crash/crash-environment.ts'
import type { CrashScenario } from '../../src/testing/crash/crash-scenario.ts'
import { acting, approveFirst, call, saying } from './scenario-parts.ts'

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

/** A memory that keeps outside what it is told, and knows one thing. */
function keepingOutside(environment: CrashEnvironment): Memory {
  return {
    query: async () => [{ kind: 'answer', data: 'It was raining.', key: 'old', at: 0 }],
    add: async ({ key, kind }) => environment.keep(key, kind),
    forget: async () => 0,
  }
}

/** Runs for a user whose memory is asked before them, and told by them. */
export const withMemory: readonly CrashScenario[] = [
  {
    name: 'a memory that is asked and told',
    userId: 'ann',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'append'), call('b', 'note')], [call('c', 'append')], 'Done.'),
      tools: [acting(environment, 'append'), acting(environment, 'note', { effects: 'none' })],
      memory: keepingOutside(environment),
    }),
  },
  {
    name: 'a memory that is told of a limit, behind a wait',
    userId: 'ann',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'append')], [call('b', 'append')], 'Done.'),
      tools: [acting(environment, 'append', { needs: 'approval' })],
      limits: { maxTurns: 2 },
      memory: keepingOutside(environment),
    }),
    play: approveFirst,
  },
]

/** A model that refuses requests with a picture. */
function withoutEyes(model: Model): Model {
  return {
    ...model,
    async *stream(request) {
      const isSeen = request.messages.some(({ content }) => content.some(({ type }) => type === 'image'))
      if (isSeen) throw new ModelError('api', 'Could not process image.', { status: 400 })
      yield* model.stream(request)
    },
  }
}

/** A tool that writes something down and shows a picture. */
function showing(environment: CrashEnvironment) {
  return acting(environment, 'show', {
    execute: async ({ text }, context) => ({
      content: [
        { type: 'text', text: await environment.perform(context, text) },
        { type: 'image', data: onePixel, mimeType: 'image/png' },
      ],
    }),
  })
}

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** A model that refuses a file without its bytes. */
function readingWhole(model: Model): Model {
  return {
    ...model,
    async *stream(request) {
      for (const { content } of request.messages)
        for (const block of content)
          if (block.type === 'file' && block.data !== report) throw new ModelError('api', 'A file is not whole.')
      yield* model.stream(request)
    },
  }
}

/** Long enough to be stored apart. */
const report = Buffer.from(`%PDF-1.7\n${'x'.repeat(90_000)}`).toString('base64')

/** Pictures that the model refuses, and files that are stored apart. */
export const withRefusedMedia: readonly CrashScenario[] = [
  {
    name: 'a picture that the model refuses, and gone on with',
    goesOnWith: 'And now?',
    build: (environment) => ({
      name: 'a',
      model: withoutEyes(saying([call('a', 'show')], [call('b', 'show')], 'Done.', 'And done.')),
      tools: [showing(environment)],
    }),
  },
  {
    // A run that goes on from another reads the transcript from the store without a crash too, so its trials could not differ.
    name: 'a large file in a result',
    build: (environment) => ({
      name: 'a',
      model: readingWhole(saying([call('a', 'show')], [call('b', 'show')], 'Done.')),
      tools: [
        acting(environment, 'show', {
          effects: 'idempotent',
          execute: async ({ text }, context) => ({
            content: [
              { type: 'text', text: await environment.perform(context, text) },
              { type: 'file', data: report, mediaType: 'application/pdf' },
            ],
          }),
        }),
      ],
    }),
  },
]

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
