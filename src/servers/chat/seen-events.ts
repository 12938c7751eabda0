import type { Run } from '../../index.ts'
import type { StoredEvent, SuspendedCall } from '../../ports.ts'

/** Returns the stored events of a run so far. */
export async function storedSoFar(run: Run): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = []
  for await (const event of run.events({ deltas: false, wait: false })) events.push(event)
  return events
}

/**
 * Returns the events that a client had seen when it answered a suspended call: those up to the last wait in which the
 * call was suspended. Undefined if no call of the run was suspended.
 */
export function seenUpTo(
  events: readonly StoredEvent[],
  isAnswered: (call: SuspendedCall) => boolean,
): readonly StoredEvent[] | undefined {
  const last = events.findLastIndex((event) => event.type === 'run.waiting' && event.suspended.some(isAnswered))
  return last < 0 ? undefined : events.slice(0, last + 1)
}
