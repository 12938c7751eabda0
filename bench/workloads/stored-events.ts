import { statSync } from 'node:fs'
import type { Store } from '../../src/core/ports/store.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { runToEnd } from '../agent-turns.ts'
import { countingAgent } from '../counting-agent.ts'
import { timeOf } from '../stopwatch.ts'
import { walBytesOf } from '../wal-bytes.ts'
import type { Measure, Place, Variant, Workload } from '../workload.ts'

const sizes = [10, 50, 200]

/** One run of so many turns, each with one call, with its events stored; the floor is the same run without. */
export const storedEvents: Workload = {
  name: 'storedEvents',
  unit: 'µs a turn',
  floor: 'the same run of ours, whose events are not stored.',
  rounds: 9,
  warmUp: { size: 200, times: 30 },
  variants: [
    paired('memory', (events) => timed(() => memoryStore(), events)),
    paired('normal', (events) => timed((place) => sqliteStore(place.freshFile(), { synchronous: 'normal' }), events)),
  ],
}

/** Bytes of the same: what the run adds to the write-ahead log, and the file once it is closed. */
export const storedEventBytes: Workload = {
  name: 'storedEventBytes',
  unit: 'bytes',
  floor: 'the same run of ours, whose events are not stored, weighed alike.',
  rounds: 1,
  variants: [
    paired('wal', (events) => (turns, place) => ofEachText((text) => walBytes(turns, place, { events, text }))),
    paired('file', (events) => (turns, place) => ofEachText((text) => fileBytes(turns, place, { events, text }))),
  ],
}

/** Whole pages are written, so that a few bytes more or less weigh much or nothing: texts of several lengths even that out. */
async function ofEachText(measure: (text: string) => Promise<number>): Promise<number> {
  let sum = 0
  for (const length of [20, 80, 140, 200, 260, 320]) sum += await measure('x'.repeat(length))
  return sum
}

function walBytes(turns: number, place: Place, conversation: Conversation): Promise<number> {
  return walBytesOf(place.freshFile(), (store) => runTurns(store, turns, conversation))
}

async function fileBytes(turns: number, place: Place, conversation: Conversation): Promise<number> {
  const path = place.freshFile()
  const store = sqliteStore(path, { synchronous: 'normal' })
  await runTurns(store, turns, conversation)
  await store.close()
  return statSync(path).size
}

interface Conversation {
  readonly events: Events
  readonly text?: string
}

type Events = 'stored' | undefined

function paired(name: string, measure: (events: Events) => Measure): Variant {
  return { name, sizes, subjects: { floor: measure(undefined), statewright: measure('stored') } }
}

function timed(open: (place: Place) => Store, events: Events): Measure {
  return async (turns, place) => {
    const store = open(place)
    const time = await timeOf('processor', () => runTurns(store, turns, { events }))
    await store.close()
    return time / turns
  }
}

async function runTurns(store: Store, turns: number, { events, text }: Conversation): Promise<void> {
  const kept = { ...(events === undefined ? {} : { events }), ...(text === undefined ? {} : { text }) }
  await runToEnd(countingAgent({ turns, store, ...kept }))
}
