import type { Agent, AgentEvent, Run } from '../../index.ts'
import type { StoredStanding } from '../../ports.ts'

/** The reader of a run's events, and the end of the reading. */
export interface Follower {
  readonly agent: Agent
  /** True if this process drives the run. */
  readonly drives: boolean
  /** Fires when the reader has left. */
  readonly signal: AbortSignal
  /** The number of the event after which to begin. Default 0: all events. */
  readonly after?: number | undefined
  /** Called whenever the run rests; true ends the following. */
  readonly isOver: (standing: StoredStanding) => boolean
}

/** Events after which a run may wait for something else than before, if they are its own or those of its sub-agents. */
const turns: readonly AgentEvent['type'][] = ['run.waiting', 'run.resumed', 'run.ended']

/**
 * Yields the events of a run until `isOver` accepts its standing or the reader has left. A run that waits is followed
 * further once somebody has answered. Leaving never cancels the run.
 */
export async function* followRun(
  run: Run,
  { agent, drives, signal, after, isOver }: Follower,
): AsyncGenerator<AgentEvent, void, undefined> {
  let changed = Promise.withResolvers<void>()
  const notice = () => changed.resolve()
  const isOfFamily = (runId: string) => runId === run.id || runId.startsWith(`${run.id}.`)
  const stops = [
    agent.store?.watch(run.id, notice),
    agent.on(({ type, runId }) => turns.includes(type) && isOfFamily(runId) && notice()),
  ]
  signal.addEventListener('abort', notice)
  let last = after ?? 0
  try {
    while (!signal.aborted) {
      changed = Promise.withResolvers<void>()
      for await (const event of run.events({ after: last, drive: drives, signal })) {
        last = event.seq ?? last
        yield event
        // It is one run, also where the conversation was handed over.
        if (event.type === 'run.ended') break
      }
      if (isOver(await run.result())) return
      await changed.promise
    }
  } finally {
    signal.removeEventListener('abort', notice)
    for (const stop of stops) stop?.()
  }
}
