import type { SuspendedCall } from '../domain/call.ts'
import { type Said, textOf } from '../domain/message.ts'
import { messagesIn, type TranscriptMessage } from '../domain/transcript-message.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import { messagesOf } from '../driving/read-prompt.ts'
import { suspendedCalls } from '../driving/run-result.ts'
import { openPlainRun } from '../plain/decide-plain.ts'
import type { PlainRun } from '../plain/plain-run.ts'
import type { Clock } from '../ports/clock.ts'

/** How a bare actor stands. */
export interface PlainStanding {
  /** The transcript, with that of the run it goes on from. */
  readonly messages: readonly TranscriptMessage[]
  /** The last answer of the model in this run; empty where there is none. */
  readonly text: string
  /** The calls that wait for a decision, with the arguments they would run with. */
  readonly suspended: readonly SuspendedCall[]
}

/** Reads how a bare actor stands from its memory. */
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

/** Says something to a bare actor before its next turn. */
export function steerPlain(run: PlainRun | undefined, said: Said, clock: Clock): void {
  const open = openPlainRun(run, 'write')
  const at = clock.now()
  const messages = messagesOf(said, at)
  if (open.root.getSnapshot().status !== 'active') {
    const wish = 'Go on from its output in another actor: agent.machineInput(prompt, { after: output }).'
    throw new UsageError('run_done', `This actor has ended. ${wish}`)
  }
  const queued = { kind: 'steer' as const, inboxId: open.keepSaid(messages) }
  open.root.send({ type: 'message.queued', queued, at })
}
