import { createAgent, type Run } from '../../src/index.ts'
import type { StoredEvent } from '../../src/ports.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { carriedIn } from '../../src/core/domain/carried.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import type { CrashStorage } from '../../src/testing/crash/crash-scenario.ts'

const runId = 'crashed'

/** Storage that reads the events of its trial's run once the trial is over, and adds their problems to `found`. */
export function readAtEnd(inner: CrashStorage, found: string[]): CrashStorage {
  return {
    reopen: () => inner.reopen(),
    async dispose() {
      found.push(...(await problemsOf(await inner.reopen())))
      await inner.dispose()
    },
  }
}

/** The problems of the stored events of an ended run, in any number of processes. */
async function problemsOf(store: Store): Promise<readonly string[]> {
  const agent = createAgent({ name: 'reader', model: scripted([]), store })
  const run = await agent.load(runId)
  const events = await eventsOf(run, 0)
  const fall = events.findIndex(({ seq }, index) => seq <= (events[index - 1]?.seq ?? 0))
  const problems = fall < 0 ? [] : [`event ${events[fall]?.seq} follows ${events[fall - 1]?.seq}`]
  // A run does not emit the messages that it inherited from others.
  const carried = carriedIn((await store.read(runId)).input)
  const places = (await run.messages()).flatMap(({ place }) => (place > carried ? place : []))
  const told = events.flatMap((event) => (event.type === 'message.ended' ? event.place : []))
  const untold = places.filter((place) => told.filter((other) => other === place).length !== 1)
  if (untold.length > 0) problems.push(`messages ${untold.join()} of ${places.join()} are told as ${told.join()}`)
  const once = ['run.started', 'run.ended'].filter((type) => events.filter((event) => event.type === type).length !== 1)
  if (once.length > 0) problems.push(`not told once: ${once.join()}`)
  const half = events[Math.floor(events.length / 2)]?.seq ?? 0
  const pieces = [...events.filter(({ seq }) => seq <= half), ...(await eventsOf(run, half))]
  if (JSON.stringify(pieces) !== JSON.stringify(events)) problems.push('a part and the rest are not the whole')
  return problems
}

async function eventsOf(run: Run, after: number): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = []
  for await (const event of run.events({ after: after, deltas: false })) events.push(event)
  return events
}
