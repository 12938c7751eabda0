import type { Store } from '../../index.ts'
import type { RunRecord, SuspendedCall } from '../../ports.ts'

/** A run with its calls that wait for an answer. */
export interface AskingRun {
  readonly record: Pick<RunRecord, 'id' | 'agent' | 'prompt' | 'updatedAt'>
  readonly calls: readonly SuspendedCall[]
}

const mostRuns = 100

/** Returns the newest runs that wait for an answer, with the calls that nobody has answered; damaged runs are left out. */
export async function listQuestions(store: Store): Promise<{ readonly runs: readonly AskingRun[] }> {
  const found = await store.suspended({ limit: mostRuns })
  const runs = found.flatMap((run): readonly AskingRun[] => {
    if ('damaged' in run) return []
    const { record, answered } = run
    const calls = run.calls.filter(
      ({ callId, suspension }) => suspension?.reason !== 'subAgent' && !answered.includes(callId),
    )
    return calls.length === 0 ? [] : [{ record, calls }]
  })
  return { runs }
}
