import type { LogEntry } from '../src/core/domain/log.ts'
import { userMessage } from '../src/core/domain/message.ts'
import type { Store } from '../src/core/ports/store.ts'
import { sqliteStore } from '../src/adapters/stores/sqlite/sqlite-store.ts'
import type { Place } from './workload.ts'

/** A text of a kilobyte. */
export const kilobyte = 'a word or two '.repeat(73).slice(0, 1000)

/** Runs of one conversation. */
export interface FilledPlan {
  readonly runs: number
  /** In each run. */
  readonly prompts: number
  /** The place behind which a run goes on, from the place where the one before ended. Default: there. */
  readonly goesOn: (last: number) => number | undefined
}

/** Stores runs that are done; each prompt and its answer were committed together, with a checkpoint. */
export async function filledRuns(place: Place, { runs, prompts, goesOn }: FilledPlan): Promise<Store> {
  const store = sqliteStore(place.freshFile(), { synchronous: 'normal' })
  const owner = { id: 'bench', host: 'bench', pid: 1, pidStart: '' }
  let last = 0
  for (let index = 0; index < runs; index++) {
    const runId = `run ${index}`
    last = goesOn(last) ?? last
    const before = index === 0 ? {} : { continues: { runId: `run ${index - 1}`, seq: last } }
    const lease = await store.create({ id: runId, agent: 'bench', input: {}, at: index, ...before }, owner, 1000)
    for (let version = 0; version < prompts; version++) {
      const status = version + 1 < prompts ? 'running' : 'done'
      const head = { runId, owner: owner.id, fence: lease.fence, expectedVersion: version, at: index, status } as const
      await store.commit({ ...head, append: entriesBehind(last), calls: [], document: null, consumed: [] })
      last += entriesBehind(last).length
    }
    await store.release(lease)
  }
  return store
}

function entriesBehind(seq: number): readonly LogEntry[] {
  const message = userMessage(kilobyte, 1e12)
  return [
    { kind: 'message', seq: seq + 1, message },
    { kind: 'message', seq: seq + 2, message },
    { kind: 'checkpoint', seq: seq + 3, names: ['RunFinished'], document: '{}', at: 1 },
  ]
}
