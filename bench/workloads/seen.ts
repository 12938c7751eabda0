import { BatchSpanProcessor, InMemorySpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import type { AgentOptions, Store } from '../../src/index.ts'
import { statelyInspector } from '../../src/adapters/inspect/index.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { openTelemetry } from '../../src/adapters/telemetry/index.ts'
import { runToEnd } from '../agent-turns.ts'
import { countingAgent } from '../counting-agent.ts'
import { firstPaintOf, scrollStepOf } from '../seen-page.ts'
import { timeOf } from '../stopwatch.ts'
import type { Measure, Variant, Workload } from '../workload.ts'

/** What watching costs: a durable turn that is inspected or traced, of one that nobody sees, and the page of the studio. */
export const seen: Workload = {
  name: 'seen',
  unit: 'µs a turn, or ms of the page',
  floor: 'the same run of ours without an observer.',
  rounds: 9,
  warmUp: { size: 200, times: 5 },
  variants: [
    watched('inspector normal', async () => ({ inspect: statelyInspector({ send: () => undefined }) })),
    watched('spans normal', async () => ({ tracer: await openTelemetry({ tracerProvider: batching() }) })),
    { ...paged('first paint', 1_000, firstPaint), warmsUp: false },
    { ...paged('scroll', 10_000, scroll), warmsUp: false },
  ],
}

/** Turns with one call; a size is the messages of a run. */
function watched(name: string, watch: () => Promise<Pick<AgentOptions, 'inspect' | 'tracer'>>): Variant {
  const timed =
    (by?: typeof watch): Measure =>
    async (messages, place) => {
      const store = sqliteStore(place.freshFile(), { synchronous: 'normal' })
      const turns = messages / 2
      const agent = countingAgent({ turns, store, ...(by === undefined ? {} : { watched: await by() }) })
      const time = await timeOf('processor', () => runToEnd(agent))
      await store.close()
      return time / turns
    }
  return { name, sizes: [10, 1_000], subjects: { floor: timed(), statewright: timed(watch) } }
}

function batching(): TracerProvider {
  return new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter: new InMemorySpanExporter() })] })
}

function paged(name: string, size: number, measure: Measure): Variant {
  return { name, floor: '1 ms, a constant.', sizes: [size], subjects: { floor: () => 1, statewright: measure } }
}

let runs: Promise<Store> | undefined

async function firstPaint(count: number): Promise<number> {
  runs ??= storeOf(count)
  return await firstPaintOf(await runs)
}

async function storeOf(count: number): Promise<Store> {
  const store = memoryStore()
  for (let made = 0; made < count; made++) await runToEnd(countingAgent({ turns: 1, store }))
  return store
}

let long: Promise<{ readonly store: Store; readonly runId: string }> | undefined

async function scroll(events: number): Promise<number> {
  long ??= longRun(events)
  const { store, runId } = await long
  return await scrollStepOf(store, runId)
}

/** A run whose events are at least so many. */
async function longRun(events: number) {
  const store = memoryStore()
  const turns = Math.ceil(events / eventsOfTurn)
  const { runId } = await countingAgent({ turns, store }).run('Go.')
  return { store, runId }
}

/** Stored ones of a turn with one call: its start and end, two messages, one call that settles. */
const eventsOfTurn = 5
