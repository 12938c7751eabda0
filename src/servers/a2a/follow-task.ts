import type { TaskState } from '@a2a-js/sdk'
import type { AgentEvent, Run } from '../../index.ts'
import type { Exchange } from '../http/serve.ts'
import { stateOf } from './task-of.ts'

/**
 * Yields the events of a run after one of them, until its task has a state that `isOver` accepts or the client has left.
 * A task that waits is followed further once somebody has answered. Leaving never cancels the run.
 */
export async function* followTask(
  { agent, drives, request: { signal } }: Exchange,
  run: Run,
  isOver: (state: TaskState) => boolean,
  after = 0,
): AsyncGenerator<AgentEvent, void, undefined> {
  let changed = Promise.withResolvers<void>()
  const notice = () => changed.resolve()
  const stops = [agent.store?.watch(run.id, notice), run.on(notice)]
  signal.addEventListener('abort', notice)
  let last = after
  try {
    while (!signal.aborted) {
      changed = Promise.withResolvers<void>()
      for await (const event of run.events({ after: last, drive: drives, signal })) {
        last = event.seq ?? last
        yield event
        // A task is one run, also where the conversation was handed over.
        if (event.type === 'run.ended') break
      }
      if (isOver(stateOf(await run.result()))) return
      await changed.promise
    }
  } finally {
    signal.removeEventListener('abort', notice)
    for (const stop of stops) stop?.()
  }
}
