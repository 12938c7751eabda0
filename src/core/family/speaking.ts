import type { AgentEvent } from '../domain/event.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import type { FollowedEvents } from '../driving/followed-events.ts'
import type { NextSpeech } from './begin-handover.ts'

export type { NextSpeech }

/** Continues with the events of the run to which a conversation was handed over. Numbers rise from run to run. */
export function followedOn(
  first: FollowedEvents,
  { core, runId }: NextSpeech,
  next: (speech: NextSpeech, after: number) => FollowedEvents,
  after = 0,
): FollowedEvents {
  if (core.speech === undefined) return first
  let current = first
  let isLeft = false
  const goesOn = async (behind: number) => {
    const speech = current === first && !isLeft ? await handedOn(core, runId) : undefined
    if (speech !== undefined && !isLeft) current = next(speech, behind)
    return speech !== undefined && !isLeft
  }
  /** The next run has the numbers that the first one has not. */
  const from = async <Read>(read: (events: FollowedEvents) => Promise<Read>): Promise<Read> => {
    try {
      return await read(current)
    } catch (error) {
      const isLater = error instanceof UsageError && error.code === 'bad_event_number'
      if (!isLater || !(await goesOn(after))) throw error
      return read(current)
    }
  }
  const nextOf = (events: FollowedEvents): Promise<IteratorResult<AgentEvent>> => events.next()
  return {
    opened: async () => {
      const opened = await from((events) => events.opened())
      return opened.isOver && (await goesOn(0)) ? current.opened() : opened
    },
    next: async () => {
      const result = await from(nextOf)
      return result.done === true && (await goesOn(0)) ? current.next() : result
    },
    return: () => {
      isLeft = true
      return current.return()
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Returns the last run of a handed-over conversation, or the first one with the call that is the target. */
export async function speaking(core: AgentCore, runId: string, target?: string): Promise<NextSpeech> {
  if (core.speech === undefined) return { core, runId }
  return (await import('./begin-handover.ts')).lastSpeech(core, runId, target)
}

/** Returns the run that continues a conversation after a hand-over. */
export async function handedOn(core: AgentCore, runId: string): Promise<NextSpeech | undefined> {
  if ((await core.store.record(runId)).code !== 'handed_over') return undefined
  return (await import('./begin-handover.ts')).beginHandover(core, runId)
}
