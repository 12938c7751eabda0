import type { AgentContext } from '@agentclientprotocol/sdk'
import { changingKinds } from '../../core/domain/inbox.ts'
import { thrownText } from '../../core/domain/text/thrown-text.ts'
import type { Agent, Decision, Run, Session } from '../../index.ts'
import type { StoredStanding, SuspendedCall } from '../../ports.ts'
import { asksFor, targetOf } from '../chat/suspension-kind.ts'
import { elicitationFor, elicitedDecision, permissionDecision, permissionFor } from './questions.ts'
import { textChunk, Updates } from './updates.ts'

/** The editor that follows a run. */
export interface Attendance {
  readonly agent: Agent
  readonly client: AgentContext
  readonly session: Session
  /** The folder that paths of previews are relative to. */
  readonly cwd: string
  /** True if the editor can ask for a value. */
  readonly elicits: boolean
  /** Fires when the editor has left. */
  readonly signal: AbortSignal
  /** The number of the last event and the place of the last message that the editor has. */
  readonly after: number
  readonly shown: number
  /** The tokens of the model's window, if they are known. */
  readonly size?: number
}

/** A run that is being attended. */
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
export function attend(run: Run, attendance: Attendance): AttendedRun {
  const questions = new Questions(run, attendance)
  return { runId: run.id, ended: untilDone(run, attendance, questions), askAgain: () => questions.askAgain() }
}

async function untilDone(run: Run, attendance: Attendance, questions: Questions): Promise<StoredStanding | undefined> {
  const { agent, client, session, signal, after } = attendance
  const { id: sessionId } = session
  const updates = new Updates(attendance)
  const wake = () => questions.wake()
  const stops = [agent.store?.watch(run.id, wake), agent.on(wake)]
  signal.addEventListener('abort', wake, { once: true })
  let last = after
  try {
    while (!signal.aborted) {
      for await (const event of run.events({ after: last, drive: true, signal })) {
        last = event.seq ?? last
        const cost = event.type === 'run.ended' ? (await session.usage()).cost : undefined
        for (const update of updates.of(event, cost)) await client.notify('session/update', { sessionId, update })
        if (event.type === 'run.ended') break
      }
      const standing = await run.result()
      if (standing.status === 'done') return standing
      await questions.untilAnswered()
    }
    return undefined
  } finally {
    signal.removeEventListener('abort', wake)
    for (const stop of stops) stop?.()
    questions.withdraw()
  }
}

class Questions {
  readonly #run: Run
  readonly #attendance: Attendance
  readonly #open = new Map<string, AbortController>()
  /** Suspensions to which the editor gave no clear answer; they are asked again by the next prompt or load. */
  readonly #dismissed = new Set<string>()
  #isNew = false
  /** True if an answer was stored here that no drive has processed. */
  #isDecided = false
  #wake: () => void = () => {}

  constructor(run: Run, attendance: Attendance) {
    this.#run = run
    this.#attendance = attendance
  }

  wake(): void {
    this.#isNew = true
    this.#wake()
  }

  askAgain(): void {
    this.#dismissed.clear()
    this.wake()
  }

  /** Asks about each call that the run waits for, and waits until the run can continue. */
  async untilAnswered(): Promise<void> {
    const { signal } = this.#attendance
    for (;;) {
      this.#isNew = false
      if (signal.aborted || (await this.#canContinue())) return
      if (!this.#isNew) await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  /** Returns true if a decision or a cancel is stored, or another process has continued the run. */
  async #canContinue(): Promise<boolean> {
    const { status, suspended } = await this.#run.result()
    const isDecided = this.#isDecided
    this.#isDecided = false
    if (status !== 'waiting') this.withdraw()
    if (status !== 'waiting' || isDecided) return true
    const keys = suspended.map((call) => targetOf(call))
    for (const [key, question] of this.#open) if (!keys.includes(key)) this.#close(key, question)
    const rows = (await this.#attendance.agent.store?.inbox(this.#run.id, { isOpen: true })) ?? []
    const news = rows.flatMap(({ item }) => (changingKinds.has(item.kind) ? [item] : []))
    if (news.length > 0) return true
    for (const call of suspended) this.#ask(call)
    return false
  }

  withdraw(): void {
    for (const [key, question] of this.#open) this.#close(key, question)
  }

  #close(key: string, question: AbortController): void {
    this.#open.delete(key)
    question.abort()
  }

  #ask(call: SuspendedCall): void {
    const key = targetOf(call)
    if (call.suspension?.reason === 'service' || this.#open.has(key) || this.#dismissed.has(key)) return
    const question = new AbortController()
    this.#open.set(key, question)
    void this.#answer(call, question.signal)
      .catch(async (error: unknown) => {
        if (!question.signal.aborted) await this.#say(call, thrownText(error))
      })
      .finally(() => {
        if (this.#open.get(key) === question) this.#open.delete(key)
        this.#dismissed.add(key)
        this.wake()
      })
  }

  async #answer(call: SuspendedCall, cancellationSignal: AbortSignal): Promise<void> {
    const decision = await this.#decisionFrom(call, { cancellationSignal })
    // A question that was withdrawn has no answer, even if the editor sends one.
    if (decision === undefined || cancellationSignal.aborted) return
    const [receipt] = await this.#run.decide([decision])
    this.#isDecided = receipt?.answer === 'applied' || this.#isDecided
    if (receipt?.answer === 'refused') await this.#say(call, receipt.message ?? 'The answer was refused.')
  }

  async #decisionFrom(
    call: SuspendedCall,
    options: { readonly cancellationSignal: AbortSignal },
  ): Promise<Decision | undefined> {
    const { client, session, cwd, elicits } = this.#attendance
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
    const { client, session } = this.#attendance
    const message = `${toolName} waits. ${suspension?.message ?? ''} ${text}`.replaceAll('  ', ' ')
    const update = textChunk('agent_message_chunk', `\n\n${message}`)
    await client.notify('session/update', { sessionId: session.id, update }).catch(() => undefined)
  }
}
