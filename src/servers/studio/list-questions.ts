import type { Store } from '../../index.ts'
import type { RunRecord, SuspendedCall } from '../../ports.ts'

/** A run with its calls that wait for an answer. */
export interface AskingRun {
  readonly record: Pick<RunRecord, 'id' | 'agent' | 'prompt' | 'updatedAt'>
  readonly calls: readonly SuspendedCall[]
}

const mostRuns = 100

/** The newest runs that wait for an answer, with their unanswered calls. Damaged runs are left out. */
export interface ListedQuestions {
  readonly runs: readonly AskingRun[]
  /** True if older runs wait too. */
  readonly hasMore: boolean
}

/** Lists the questions of a store. */
export async function listQuestions(store: Store): Promise<ListedQuestions> {
  const found = await store.suspended({ limit: mostRuns + 1 })
  const runs = found.slice(0, mostRuns).flatMap((run): readonly AskingRun[] => {
    if ('damaged' in run) return []
    const { record, answered } = run
    const calls = run.calls.filter(
      ({ callId, suspension }) => suspension?.reason !== 'subAgent' && !answered.includes(callId),
    )
    return calls.length === 0 ? [] : [{ record, calls }]
  })
  return { runs, hasMore: found.length > mostRuns }
}
