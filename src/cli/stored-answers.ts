import type { Store } from '../index.ts'

/** What a run was sent and nobody has carried out yet. */
export interface StoredAnswer {
  /** `cancelRun` ends the run, the others are about one call. */
  readonly action: 'resume' | 'cancel' | 'cancelRun'
  /** Null for the run itself. */
  readonly callId: string | null
  /** Unix milliseconds of receipt. */
  readonly at: number
}

/** The answers that wait in a run's inbox, oldest first. */
export async function storedAnswers(store: Store, runId: string): Promise<readonly StoredAnswer[]> {
  const rows = await store.inbox(runId, 0)
  return rows.flatMap(({ item, at }): readonly StoredAnswer[] => {
    if (item.kind === 'decision') return [{ action: item.decision.action, callId: item.decision.callId, at }]
    if (item.kind === 'cancelCall') return [{ action: 'cancel', callId: item.callId, at }]
    return item.kind === 'cancel' ? [{ action: 'cancelRun', callId: null, at }] : []
  })
}

/** A stored answer for a person. */
export function describeStored({ action, callId }: StoredAnswer): string {
  const what =
    action === 'cancelRun' ? 'cancel of the run' : `${action === 'resume' ? 'approval' : 'refusal'} of call ${callId}`
  return `stored, not carried out yet: ${what}`
}
