import type { Decision, Run } from '../../index.ts'
import type { StoredEvent, SuspendedCall } from '../../ports.ts'
import { HttpError } from '../http/http-error.ts'
import type { Exchange } from '../http/serve.ts'
import type { FoundSession } from './find-session.ts'
import { seenUpTo, storedSoFar } from './seen-events.ts'

/** A client's answers, in any protocol. */
export interface ClientAnswers<Answer> {
  readonly given: readonly Answer[]
  readonly answers: (answer: Answer, call: SuspendedCall) => boolean
  readonly decisionOf: (answer: Answer, call: SuspendedCall) => Decision
}

/**
 * Passes on a client's answers to waiting calls of a run. Returns the run, and the events that the client has seen,
 * which are those up to the answered wait. An answer to a call that was decided elsewhere changes nothing. Throws an
 * `HttpError` if no answered call ever waited, or if an answer is refused.
 */
export async function giveAnswers<Answer>(
  exchange: Exchange,
  { access: { by } }: FoundSession,
  run: Run,
  { given, answers, decisionOf }: ClientAnswers<Answer>,
): Promise<{ readonly run: Run; readonly seen: readonly StoredEvent[] }> {
  const seen = seenUpTo(await storedSoFar(run), (call) => given.some((answer) => answers(answer, call)))
  if (seen === undefined) {
    const wish = 'Read the stream of the conversation, which says what does.'
    throw new HttpError(409, 'nothing_to_answer', `No call of this conversation waits for this answer. ${wish}`)
  }
  const { suspended } = await run.result()
  const decisions = suspended.flatMap((call) => {
    const answer = given.findLast((one) => answers(one, call))
    return answer === undefined ? [] : [{ ...decisionOf(answer, call), ...(by === undefined ? {} : { by }) }]
  })
  const receipts = decisions.length === 0 ? [] : await run.decide(decisions)
  const refused = receipts.find(({ answer }) => answer === 'refused')
  const taken = await takenUp(exchange, run)
  if (refused !== undefined) throw new HttpError(409, 'decision_refused', refused.message ?? 'An answer was refused.')
  return { run: taken, seen }
}

/** Ensures that the run is driven, unless others drive it. */
export async function takenUp({ agent, drives }: Pick<Exchange, 'agent' | 'drives'>, run: Run): Promise<Run> {
  return drives ? (await agent.resume(run.id)).run : run
}
