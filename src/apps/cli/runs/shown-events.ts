import type { AgentEvent, Run } from '../../../index.ts'
import type { RunFollowOptions, StoredEvent } from '../../../ports.ts'
import type { Session } from '../setup/session.ts'
import type { RunView } from './run-view.ts'

/** Reads the number of the last stored event of a run; 0 if it has none. */
export async function lastEventOf(run: Run): Promise<number> {
  let last = 0
  for await (const { seq } of run.events({ deltas: false, wait: false })) last = seq
  return last
}

/** Receives the events of a run. */
export interface EventSink {
  /** An event that this process emits, or work under way anywhere. */
  show(event: AgentEvent): void
  /** A stored event of another process, which does not include its work in progress. */
  tell(event: StoredEvent): Promise<void>
}

/** Passes the events of a run to a sink: those of this process to `show`, and those of others to `tell`. */
export async function showEvents(run: Run, options: RunFollowOptions, { show, tell }: EventSink): Promise<void> {
  const own = new Set<number>()
  const leave = run.on(({ seq }) => void (seq === undefined || own.add(seq)))
  try {
    for await (const event of run.events(options)) {
      const { seq } = event
      if (seq === undefined || own.delete(seq)) show(event)
      else await tell({ ...event, seq })
    }
  } finally {
    leave()
  }
}

/**
 * Returns a function that shows the stored events of another process: each message with its calls, each result as soon
 * as its call has settled, and notices.
 */
export function telling({ store }: Pick<Session, 'store'>, runId: string, view: RunView) {
  const shown = new Set<string>()
  return async (event: AgentEvent): Promise<void> => {
    if (event.type === 'call.settled') {
      // Results are emitted when their round is over, and stored before.
      const [row] = await store.calls(runId, [event.callId])
      if (row?.record.result === undefined) return
      shown.add(event.callId)
      view.tell(row.record.result)
    } else if (event.type !== 'message.ended') view.show(event)
    else if (event.message.role !== 'toolResult' || !shown.delete(event.message.callId)) view.tell(event.message)
  }
}
