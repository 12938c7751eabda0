import { expect, test } from 'vitest'
import { createAgent } from '../../../src/index.ts'
import type { StoredEvent } from '../../../src/ports.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { startChild } from './child.ts'
import { temporaryFolder } from './temporary-folder.ts'

async function eventsOf(store: Store, runId: string): Promise<readonly StoredEvent[]> {
  const agent = createAgent({ name: 'reader', model: scripted([]), store })
  const events: StoredEvent[] = []
  for await (const event of (await agent.load(runId)).events({ deltas: false })) events.push(event)
  return events
}

/** An event without its time. */
function told(events: readonly StoredEvent[]): readonly string[] {
  return events.map((event) => {
    if (event.type === 'message.ended') return `${event.seq} message at ${event.place}`
    return `${event.seq} ${event.type}${event.type === 'call.settled' ? ` ${event.callId}` : ''}`
  })
}

test('EVT-04 CKP-03 a run whose processes are killed after every commit has the same numbers as an undisturbed one', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  expect(await startChild('drive-with-events', path, 'whole').ended()).toEqual({ code: 0, complaint: '' })
  let deaths = 0
  for (let hasEnded = false; !hasEnded; deaths++) {
    hasEnded = (await startChild('drive-with-events', path, 'killed', '1').ended()).code === 0
    expect(deaths).toBeLessThan(20)
  }
  expect(deaths).toBeGreaterThan(4)
  const store = sqliteStore(path)
  const whole = told(await eventsOf(store, 'whole'))
  expect(told(await eventsOf(store, 'killed')).toSorted()).toEqual(whole.toSorted())
  expect(whole.at(-1)).toContain('run.ended')
  await store.close()
}, 60_000)
