import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAgent, ModelError, type Model, type Plugin, type Tool, tool } from '../../src/index.ts'
import type { ModelEvent } from '../../src/ports.ts'
import { z } from 'zod'
import { bent, odd } from '../../proof/support/odd-values.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'

const text = { type: 'text', text: 'Hi' }
const call = { type: 'toolCall', id: 'c1', name: 'act', arguments: {} }
const message = {
  role: 'assistant',
  content: [text],
  stopReason: 'stop',
  model: 'm',
  provider: 'p',
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 },
  timestamp: 1,
}

const block = fc.oneof(
  bent(text, 'providerData'),
  bent(call, 'callId', 'malformed', 'truncated', 'providerData'),
  bent({ type: 'thinking', thinking: 'Hm.' }, 'signature', 'providerData'),
)
const answer = fc.oneof(
  bent(message, 'errorMessage', 'executionUnits', 'cost', 'seq'),
  bent(message.usage, 'cost').map((usage) => ({ ...message, usage })),
  fc.array(block, { maxLength: 2 }).map((content) => ({ ...message, content })),
)

/** The possible results of an adapter: events, an answer, or a failure. */
const played = fc.oneof(
  answer.map((given) => [{ type: 'finished', message: given }]),
  bent({ type: 'finished', message }, 'leftOut').map((event) => [event]),
  fc.array(bent({ type: 'text', delta: 'Hi' }, 'id', 'name'), { maxLength: 2 }),
  fc.tuple(odd, odd, odd, odd).map(([kind, said, status, retryAfterMs]) => {
    const options = { status: status as number, retryAfterMs: retryAfterMs as number }
    return asThrown(() => new ModelError(kind as 'api', said as string, options))
  }),
  odd.map(asThrown),
)

class Thrown {
  readonly value: () => unknown
  constructor(value: () => unknown) {
    this.value = value
  }
}

function asThrown(value: unknown): Thrown {
  return new Thrown(() => (typeof value === 'function' && value.length === 0 ? value() : value))
}

function adapter(given: readonly unknown[] | Thrown): Model {
  return {
    ...scripted([]),
    provider: 'odd',
    id: 'one',
    async *stream() {
      if (given instanceof Thrown) throw given.value()
      yield* given as readonly ModelEvent[]
    },
  }
}

const asking = () => scripted([{ toolCalls: [{ name: 'act', arguments: {} }] }, 'Done.'])

/** A tool of someone without types. */
function acting(execute: () => unknown): Tool {
  const run = execute as () => string
  return tool({ name: 'act', description: 'Acts.', input: z.object({}), effects: 'none', execute: run })
}

interface Parts {
  readonly model: Model
  readonly tools?: readonly Tool[]
  readonly plugins?: readonly Plugin[]
}

/** Drives a run to its end, and reads it again with another agent, from the list and by its id. */
async function readBack(parts: Parts) {
  for (const store of [memoryStore(), sqliteStore(':memory:')]) {
    const options = { name: 'guide', store, limits: { maxTurns: 3 }, retry: { maxRetries: 0 } } as const
    const driven = await createAgent({ ...options, ...parts })
      .start('Hi', { runId: 'r' })
      .settled()
    const run = await createAgent({ ...options, model: scripted([]) }).load('r')
    const read = await run.settled()
    expect(read.outcome).toEqual(driven.outcome)
    expect(read.usage).toEqual(driven.usage)
    for (const count of Object.values(read.usage)) expect(count).toBeTypeOf('number')
    expect(read.outcome.error?.code ?? 'none').toMatch(/^[a-z_]+$/)
    expect(JSON.stringify(await store.list({}))).not.toContain('damaged')
    await store.close()
  }
}

/** Plays and reads back what a hundred values of an arbitrary come to. */
async function alwaysReadsBack<Value>(values: fc.Arbitrary<Value>, partsOf: (value: Value) => Parts): Promise<void> {
  await fc.assert(
    fc.asyncProperty(values, (value) => readBack(partsOf(value))),
    { numRuns: 100 },
  )
}

const act = acting(() => 'Done.')

const result = fc.oneof(
  odd,
  bent({ content: [text] }, 'details', 'status', 'isError', 'childRunId', 'terminate'),
  bent(text).map((given) => ({ content: [given] })),
)

const asked = fc.record({
  hook: fc.constantFrom<readonly [hook: keyof Plugin, action: string]>(
    ['runStart', 'append'],
    ['runStart', 'terminate'],
    ['runStart', 'suspend'],
    ['stepStart', 'patch'],
    ['stepStart', 'terminate'],
    ['afterModel', 'terminate'],
    ['reviewCall', 'rewrite'],
    ['reviewCall', 'append'],
  ),
  given: fc.oneof(odd, bent({ role: 'user', content: [text], timestamp: 1 })),
})

const gateAnswer = fc.oneof(odd, bent({}, 'block', 'result', 'suspend', 'evenIfApproved'))

function throwing(given: unknown): Tool {
  return acting(() => {
    throw given
  })
}

function asks({ hook: [hook, action], given }: { hook: readonly [keyof Plugin, string]; given: unknown }): Plugin {
  return { name: 'odd', [hook]: (context: object) => void Reflect.get(context, action)(given) }
}

describe('values from outside code', () => {
  test('PRV-05 CKP-09 stores any value that an adapter returns or throws in a readable shape', async () => {
    await expect(alwaysReadsBack(played, (given) => ({ model: adapter(given) }))).resolves.toBeUndefined()
  })

  test('TOOL-01 CKP-09 stores any value that a tool returns in a readable shape', async () => {
    const partsOf = (given: unknown) => ({ model: asking(), tools: [acting(() => given)] })
    await expect(alwaysReadsBack(result, partsOf)).resolves.toBeUndefined()
  })

  test('TOOL-03 CKP-09 stores any value that a tool throws in a readable shape', async () => {
    const partsOf = (given: unknown) => ({ model: asking(), tools: [throwing(given)] })
    await expect(alwaysReadsBack(odd, partsOf)).resolves.toBeUndefined()
  })

  test('CKP-09 stores any request of a plugin in a readable shape', async () => {
    const reads = alwaysReadsBack(asked, (given) => ({ model: asking(), tools: [act], plugins: [asks(given)] }))
    await expect(reads).resolves.toBeUndefined()
  })

  test('CKP-09 stores any answer of a gate in a readable shape', async () => {
    const gate = (given: unknown): Plugin => ({ name: 'odd', gateCall: () => given as void })
    const partsOf = (given: unknown) => ({ model: asking(), tools: [act], plugins: [gate(given)] })
    await expect(alwaysReadsBack(gateAnswer, partsOf)).resolves.toBeUndefined()
  })
})
