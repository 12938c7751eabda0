import type { Owner } from '../src/core/domain/owner.ts'
import type { Commit, NewRun, Store } from '../src/core/ports/store.ts'
import { memoryStore } from '../src/core/stores/memory/memory-store.ts'
import { runToEnd } from './agent-turns.ts'
import { countingAgent } from './counting-agent.ts'

/** The writes of a run of an agent: its first row, and then one commit a durable step. */
export interface RecordedRun {
  readonly run: NewRun
  readonly owner: Owner
  readonly commits: readonly Commit[]
}

const recorded = new Map<number, Promise<RecordedRun>>()

/** Returns the writes of a run of so many turns, under an id. */
export async function recordedRun(turns: number, id: string): Promise<RecordedRun> {
  const known = recorded.get(turns) ?? record(turns)
  recorded.set(turns, known)
  const { run, owner, commits } = await known
  return { run: { ...run, id }, owner, commits: commits.map((commit) => ({ ...commit, runId: id })) }
}

async function record(turns: number): Promise<RecordedRun> {
  const kept = memoryStore()
  const created = Promise.withResolvers<Pick<RecordedRun, 'run' | 'owner'>>()
  const commits: Commit[] = []
  const store: Store = {
    ...kept,
    create(run, owner, ...rest) {
      created.resolve({ run, owner })
      return kept.create(run, owner, ...rest)
    },
    commit(commit) {
      // A document is made when it is read.
      commits.push(JSON.parse(JSON.stringify(commit)) as Commit)
      return kept.commit(commit)
    },
  }
  await runToEnd(countingAgent({ turns, store }))
  return { ...(await created.promise), commits }
}
