import type { SuspendedCall } from '../domain/call.ts'
import { type Said, textOf } from '../domain/message.ts'
import { messagesIn, type TranscriptMessage } from '../domain/transcript-message.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import { messagesOf, type PromptTaker } from '../driving/read-prompt.ts'
import { suspendedCalls } from '../driving/run-result.ts'
import { openPlainRun } from '../plain/decide-plain.ts'
import type { PlainRun } from '../plain/plain-run.ts'

/** The state of a bare actor. */
export interface PlainStanding {
  /** The transcript, including the transcript of the run that it continues. */
  readonly messages: readonly TranscriptMessage[]
  /** The last answer of the model in this run; empty without an answer. */
  readonly text: string
  /** The calls that wait for a decision, with their arguments. */
  readonly suspended: readonly SuspendedCall[]
}

/** Reads the state of a bare actor from its memory. */
export function plainStanding(run: PlainRun | undefined): PlainStanding {
  const { log } = openPlainRun(run, 'read')
  const entries = log.entries()
  const answer = log.lastAnswer()
  const [first = Infinity] = log.places()
  return {
    messages: messagesIn(entries, [{ after: first - 1 }]),
    text: answer === undefined ? '' : textOf(answer),
    suspended: suspendedCalls(log.calls(), entries),
  }
}

/** Sends a message to a bare actor for its next turn. */
export function steerPlain(run: PlainRun | undefined, said: Said, agent: PromptTaker): void {
  const open = openPlainRun(run, 'write')
  const at = agent.clock.now()
  const messages = messagesOf(said, agent)
  if (open.root.getSnapshot().status !== 'active') {
    const wish = 'Go on from its output in another actor: agent.machineInput(prompt, { after: output }).'
    throw new UsageError('run_done', `This actor has ended. ${wish}`)
  }
  const queued = { kind: 'steer' as const, inboxId: open.keepSaid(messages) }
  open.root.send({ type: 'message.queued', queued, at })
}
