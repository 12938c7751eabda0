import type { AgentEvent } from '../domain/event.ts'
import type { LiveAnswer } from '../domain/live-answer.ts'
import { type Clock, repeat } from '../ports/clock.ts'
import type { Lease, Store } from '../ports/store.ts'
import { endLiveAnswer, putLiveAnswer } from './store-live-answer.ts'
import { endsAnswer } from './run-watchers.ts'

/** The milliseconds between two looks for readers in other processes, and between two writes for them. */
const putMs = 100

/**
 * Shows other processes the answer that a model is giving to a run driven here: at most one write per 100 ms, and none
 * if nobody reads. An answer that is complete within that time causes no access to the store. `soFar` returns the
 * current answer so far. The returned function receives the events of the run.
 */
export function liveAnswerWriter(
  store: Store,
  clock: Pick<Clock, 'every'>,
  lease: Lease,
  soFar: () => LiveAnswer | undefined,
): (event: AgentEvent) => void {
  let forget: (() => void) | undefined
  let last: Promise<unknown> = Promise.resolve()
  let isPut = false
  // Work runs in sequence; a failing store is reported by the next commit.
  const after = (work: () => Promise<void>) => {
    last = last.then(work).catch(() => undefined)
  }
  const put = async () => {
    if (forget === undefined) return
    forget = undefined
    const answer = soFar()
    if (answer !== undefined && (await putLiveAnswer(store, lease, answer))) isPut = true
  }
  const later = () => {
    const stop = repeat(clock, putMs, () => {
      stop()
      after(put)
    })
    return stop
  }
  return (event) => {
    if (event.type === 'message.updated') forget ??= later()
    if (!endsAnswer(event)) return
    forget?.()
    forget = undefined
    if (isPut) after(() => endLiveAnswer(store, lease))
    isPut = false
  }
}
