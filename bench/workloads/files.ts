import { createAgent, type PromptMessage } from '../../src/index.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { callOf, echoTool, modelThat } from '../counting-agent.ts'
import { startWatch } from '../stopwatch.ts'
import { resultText } from '../texts.ts'
import { withLogKept } from '../wal-bytes.ts'
import type { Place, Workload } from '../workload.ts'

const text = { type: 'text', text: 'Go.' } as const
const data = Buffer.from(`%PDF-1.7\n${'x'.repeat(10_000_000)}`).toString('base64')
const plain: PromptMessage = { role: 'user', content: [text] }
const withFile: PromptMessage = { role: 'user', content: [text, { type: 'file', data, mediaType: 'application/pdf' }] }

/** A run of so many turns with a PDF of 10 MB in its first message, for a model that does not read the bytes. */
export const files: Workload = {
  name: 'files',
  unit: 'µs a turn behind the first, or bytes',
  floor: 'the same run of the engine without the file.',
  rounds: 9,
  warmUp: { size: 10, times: 3 },
  variants: [
    {
      name: 'time',
      sizes: [50],
      subjects: {
        floor: (turns, place) => timeOf(plain, turns, place),
        statewright: (turns, place) => timeOf(withFile, turns, place),
      },
    },
    {
      name: 'written',
      floor: 'the base64 of the file, once.',
      sizes: [50],
      warmsUp: false,
      subjects: {
        floor: () => data.length,
        statewright: async (turns, place) =>
          (await bytesOf(withFile, turns, place)) - (await bytesOf(plain, turns, place)),
      },
    },
  ],
}

/** Processor time of a turn behind the first. */
async function timeOf(prompt: PromptMessage, turns: number, place: Place): Promise<number> {
  const store = sqliteStore(place.freshFile(), { synchronous: 'normal' })
  let read = startWatch('processor')
  await play(prompt, turns, store, () => void (read = startWatch('processor')))
  const time = read()
  await store.close()
  return time / (turns - 1)
}

/** Bytes that a run adds to the store's write-ahead log. */
async function bytesOf(prompt: PromptMessage, turns: number, place: Place): Promise<number> {
  const path = place.freshFile()
  const store = sqliteStore(path, { synchronous: 'normal' })
  await store.list()
  const bytes = await withLogKept(path, () => play(prompt, turns, store, () => {}))
  await store.close()
  return bytes
}

/** Plays one run, and says when its second turn begins. */
async function play(prompt: PromptMessage, turns: number, store: Store, hasBegun: () => void): Promise<void> {
  const model = modelThat((messages) => {
    const turn = (messages - 1) / 2
    if (turn === 1) hasBegun()
    return turn < turns ? { calls: [callOf(turn, 0)] } : {}
  })
  const agent = createAgent({
    name: 'bench',
    model,
    tools: [echoTool(resultText)],
    store,
    limits: { maxTurns: Infinity, maxTokens: Infinity, maxDurationMs: Infinity },
  })
  const { outcome } = await agent.run(prompt)
  if (outcome.reason !== 'natural_end') throw new Error(`The run ended with ${JSON.stringify(outcome)}.`)
}
