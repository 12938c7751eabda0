import type { AgentContext, SessionUpdate } from '@agentclientprotocol/sdk'
import { thrownText } from '../../core/domain/text/thrown-text.ts'
import type { Agent, Decision, Run, Session } from '../../index.ts'
import type { StoredStanding, SuspendedCall } from '../../ports.ts'
import { followRun } from '../chat/follow-run.ts'
import { asksFor, targetOf } from '../chat/suspension-kind.ts'
import { elicitationFor, elicitedDecision, permissionDecision, permissionFor } from './questions.ts'
import { Updates } from './updates.ts'

/** The last event and the last message that the editor has of a run. */
export interface Seen {
  readonly after: number
  readonly shown: number
  /** The tokens of the model's window, if the run has reported them before. */
  readonly size?: number
}

/** The session of the run, and the editor that has it open. */
export interface Attended {
  readonly agent: Agent
  readonly session: Session
  readonly client: AgentContext
  /** The folder that paths of previews are relative to. */
  readonly cwd: string
  /** True if the editor can ask for a value. */
  readonly elicits: boolean
  /** Fires when the editor has left. */
  readonly closed: AbortController
  tell(update: SessionUpdate): Promise<void>
  /** Tells the person a text between the answers. */
  say(text: string): Promise<void>
}

/** A run that an editor follows. */
export interface AttendedRun {
  readonly runId: string
  /** The run's end, or undefined if the editor has left. Rejects if the run cannot be followed. */
  readonly ended: Promise<StoredStanding | undefined>
  /** Asks again about the calls to which the editor gave no answer. */
  askAgain(): void
}

/**
 * Drives a run until it is done, sends its updates to the editor, and asks the editor about suspended calls. A question
 * that another process has answered is withdrawn.
 */
export function attend(run: Run, at: Attended, { after, ...seen }: Seen): AttendedRun {
  const questions = new Questions(run, at)
  const { agent, session, cwd } = at
  const { signal } = at.closed
  const isOver = ({ status, suspended }: StoredStanding) => {
    questions.ask(suspended)
    return status === 'done'
  }
  async function untilDone(): Promise<StoredStanding | undefined> {
    const updates = new Updates({ ...seen, cwd })
    try {
      for await (const event of followRun(run, { agent, drives: true, signal, after, isOver })) {
        if (event.type === 'run.resumed') questions.withdraw((await run.result()).suspended)
        const cost = event.type === 'run.ended' ? (await session.usage()).cost : undefined
        for (const update of updates.of(event, cost)) await at.tell(update)
      }
      return signal.aborted ? undefined : await run.result()
    } finally {
      questions.withdraw([])
    }
  }
  return { runId: run.id, ended: untilDone(), askAgain: () => questions.askAgain() }
}

class Questions {
  readonly #run: Run
  readonly #at: Attended
  readonly #open = new Map<string, AbortController>()
  /** Suspensions to which the editor gave no clear answer; they are asked again by the next prompt or load. */
  readonly #dismissed = new Set<string>()

  constructor(run: Run, at: Attended) {
    this.#run = run
    this.#at = at
  }

  askAgain(): void {
    this.#dismissed.clear()
    const ask = ({ status, suspended }: StoredStanding) => status === 'waiting' && this.ask(suspended)
    void this.#run.result().then(ask, () => undefined)
  }

  /** Asks about the calls that a run waits for, and about no others. */
  ask(suspended: readonly SuspendedCall[]): void {
    this.withdraw(suspended)
    for (const call of suspended) {
      const key = targetOf(call)
      if (call.suspension?.reason === 'service' || this.#open.has(key) || this.#dismissed.has(key)) continue
      const question = new AbortController()
      this.#open.set(key, question)
      void this.#answer(call, question.signal)
        .catch(async (error: unknown) => {
          if (!question.signal.aborted) await this.#say(call, thrownText(error))
        })
        .finally(() => {
          if (this.#open.get(key) === question) this.#open.delete(key)
          this.#dismissed.add(key)
        })
    }
  }

  /** Withdraws all questions but those about these calls. */
  withdraw(suspended: readonly SuspendedCall[]): void {
    const kept = suspended.map((call) => targetOf(call))
    for (const [key, question] of this.#open) {
      if (kept.includes(key)) continue
      this.#open.delete(key)
      question.abort()
    }
  }

  async #answer(call: SuspendedCall, cancellationSignal: AbortSignal): Promise<void> {
    const decision = await this.#decisionFrom(call, { cancellationSignal })
    // A question that was withdrawn has no answer, even if the editor sends one.
    if (decision === undefined || cancellationSignal.aborted) return
    const [receipt] = await this.#run.decide([decision])
    if (receipt?.answer === 'refused') await this.#say(call, receipt.message ?? 'The answer was refused.')
    else await this.#at.agent.resume(this.#run.id)
  }

  async #decisionFrom(
    call: SuspendedCall,
    options: { readonly cancellationSignal: AbortSignal },
  ): Promise<Decision | undefined> {
    const { client, session, cwd, elicits } = this.#at
    if (asksFor(call) === 'approval') {
      const asked = permissionFor(call, session.id, cwd)
      return permissionDecision(call, await client.request('session/request_permission', asked, options))
    }
    if (elicits) {
      const asked = elicitationFor(call, session.id)
      return elicitedDecision(call, await client.request('elicitation/create', asked, options))
    }
    await this.#say(call, `Answer it with: statewright respond ${this.#run.id} ${call.callId} <value>`)
    return undefined
  }

  async #say({ toolName, suspension }: SuspendedCall, text: string): Promise<void> {
    const message = `${toolName} waits. ${suspension?.message ?? ''} ${text}`.replaceAll('  ', ' ')
    await this.#at.say(`\n\n${message}`).catch(() => undefined)
  }
}
