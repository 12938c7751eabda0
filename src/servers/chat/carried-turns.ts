import { type RunStanding, toolCallsOf } from '../../ports.ts'

/** The first messages of a run's transcript. */
export interface Carried {
  /** Answers of the runs before. */
  readonly carriedAnswers: number
  /** The turn from which the ids of calls count on, as far as known. */
  readonly carriedTurns: number
}

/** Returns the first messages of a run's transcript from the run's state. */
export function carriedIn({ messages, turns }: RunStanding): Carried {
  const answers = messages.filter((message) => message.role === 'assistant')
  const carried = answers.slice(0, answers.length - turns)
  const named = carried.flatMap((answer) => toolCallsOf(answer).map(({ callId = '' }) => callId))
  const last = Number(/^(\d{1,9})\./.exec(named.at(-1) ?? '')?.[1] ?? 0)
  return { carriedAnswers: carried.length, carriedTurns: last }
}
