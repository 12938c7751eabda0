import { describe, expect, test } from 'vitest'
import type { Model, ModelEvent } from '../../../src/core/ports/model.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { type ModelScenario, modelSuite, type ModelUnderTest } from '../../../src/testing/models/model-suite.ts'
import { modelSubjects, scripts } from '../../../proof/conformance/model-subjects.ts'

describe.each(Object.entries(modelSubjects))('%s', (_name, make) => {
  test.each(modelSuite(make))('PRV-01 $name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined()
  })
})

/** A model with one fault, played by changing what the scripted one streams. */
function faulty(change: (events: readonly ModelEvent[]) => readonly ModelEvent[]) {
  return async (scenario: ModelScenario): Promise<ModelUnderTest> => {
    const sound = scripted([scripts[scenario]])
    const model: Model = {
      ...sound,
      async *stream(request) {
        const events: ModelEvent[] = []
        try {
          for await (const event of sound.stream(request)) events.push(event)
        } catch {
          // The fault of a model that swallows what goes wrong.
        }
        yield* change(events)
      },
    }
    return { model, dispose: async () => undefined }
  }
}

/** Deltas whose texts are numbers, which no type of ours would let through and JSON does. */
function withNumbers(events: readonly ModelEvent[]): readonly ModelEvent[] {
  return events.map((event) => (event.type === 'text' ? { ...event, delta: 5 as unknown as string } : event))
}

test.each([
  ['drops a delta', (events: readonly ModelEvent[]) => events.slice(1), 'gives deltas that join to the text'],
  ['never finishes', (events: readonly ModelEvent[]) => events.slice(0, -1), 'ends a text with exactly one'],
  ['finishes twice', (events: readonly ModelEvent[]) => [...events, ...events.slice(-1)], 'ends a text with exactly'],
  ['gives a number for a text', withNumbers, 'gives texts wherever a text is due'],
  ['swallows failures', (events: readonly ModelEvent[]) => events, 'throws a ModelError in place of finished'],
  ['ignores the signal', (events: readonly ModelEvent[]) => events, 'throws `cancelled` for a signal that fired'],
])('PRV-01 the suite catches a model that %s', async (_fault, change, name) => {
  const suite = modelSuite(faulty(change)).find((item) => item.name.startsWith(name))
  await expect(suite?.run()).rejects.toMatchObject({ name: 'AssertionError' })
})
