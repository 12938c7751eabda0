import { saidIn } from '../../core/domain/inbox.ts'
import { oneOf, optional } from '../../core/domain/text/option-shape.ts'
import type { Run } from '../../index.ts'
import type { Said, StoredEvent, SuspendedCall } from '../../ports.ts'
import { HttpError } from '../http/http-error.ts'
import type { Exchange } from '../http/serve.ts'
import { clientIdIn } from './client-id.ts'
import type { FoundSession } from './find-session.ts'
import { takenUp } from './give-answers.ts'
import { storedSoFar } from './seen-events.ts'
import { asksFor, targetOf } from './suspension-kind.ts'

/**
 * The effect of a message that arrives while the run of the conversation waits. `steer` stores it for the run, which
 * reads it before its next turn. `deny` also denies the calls that wait for yes or no, so that the run continues.
 * `refuse` answers with 409 and a text for people.
 */
export type WhileWaiting = 'steer' | 'deny' | 'refuse'

/** The check of the option. */
export const whileWaitingCheck = optional(oneOf(...(['steer', 'deny', 'refuse'] satisfies WhileWaiting[])))

/** A message that a run has received, with the response to its client. */
export interface HeldWords {
  readonly run: Run
  /** The events of the run that the client has seen. */
  readonly seen: readonly StoredEvent[]
  /** Tells a person what happens to the message; empty if the run continues at once. */
  readonly note: string
}

/** A message with the id that the client gave it. */
export interface ClientWords {
  readonly id: string
  readonly said: Said
}

/**
 * Passes a message to a waiting run, as the application has chosen; a repeated message is passed only once. Returns
 * undefined for a run that does not wait: its message begins a run. Throws an `HttpError` if the message is refused.
 */
export async function sayWhileWaiting(
  exchange: Exchange & { readonly whileWaiting: WhileWaiting },
  { access, session }: FoundSession,
  run: Run,
  { id, said }: ClientWords,
): Promise<HeldWords | undefined> {
  const { whileWaiting } = exchange
  const { status, suspended } = await run.result()
  if (status !== 'waiting') return undefined
  if (whileWaiting === 'refuse') {
    throw new HttpError(
      409,
      'run_waiting',
      `The assistant waits for an answer about ${named(suspended)}. Answer first, then send your message again.`,
    )
  }
  const denied = whileWaiting === 'deny' ? suspended.filter(isForPerson) : []
  if (denied.length > 0) await exchange.allow({ action: 'decide', sessionId: session.id })
  const seen = await storedSoFar(run)
  if (!(await isKept(exchange, run, { id, said }))) return undefined
  if (denied.length > 0) {
    const by = access.by === undefined ? {} : { by: access.by }
    const reason = 'The user sent another message instead of an answer.'
    const targets = denied.map((call) => targetOf(call))
    await run.decide(targets.map((target) => ({ target, action: 'cancel' as const, reason, ...by })))
    const goesOn = await takenUp(exchange, run)
    if (denied.length === suspended.length) return { run: goesOn, seen, note: '' }
  }
  const note = `Your message is kept. The assistant reads it once the question about ${named(suspended)} is answered.`
  return { run, seen, note }
}

/** Returns true for a call that waits for a person's yes or no, and not for a value or for the run itself. */
function isForPerson(call: SuspendedCall): boolean {
  return call.isHold !== true && asksFor(call) === 'approval'
}

/** Stores a message for a run's next turn, once. Returns false if the run has ended meanwhile. */
export async function isKept(exchange: Exchange, run: Run, { id, said }: ClientWords): Promise<boolean> {
  return (await isHeld(exchange, run, id)) || (await run.steer(said)).answer === 'applied'
}

async function isHeld({ agent }: Exchange, run: Run, id: string): Promise<boolean> {
  const rows = (await agent.store?.inbox(run.id, { kinds: ['steer', 'followUp'] })) ?? []
  return rows.some((row) => clientIdIn(saidIn(row)) === id)
}

const mostNamed = 3

function named(suspended: readonly SuspendedCall[]): string {
  const names = [...new Set(suspended.map(({ toolName }) => `"${toolName.slice(0, 60)}"`))]
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''
  return `${names.slice(0, mostNamed).join(', ')}${more}`
}
