import { argumentsOf, callOf, type CallRecord, isTerminal } from '../call.ts'
import { isPolicyMark, type PolicyMark, type SeenCall } from './policy-mark.ts'
import { type PolicyStep, stand, type Standing, standingAtStart } from './policy-step.ts'
import type { Moment, Policy } from './policy.ts'
import type { RuleFields } from '../match-rules.ts'
import type { Message } from '../message.ts'

/** A run with the records of its calls. */
export interface FoldedRun {
  readonly view: {
    calls(): readonly CallRecord[]
    call(callId: string): CallRecord | undefined
    message(seq: number): Message | undefined
    spent(): number
  }
  /** Returns the rule fields of a tool. */
  fieldsOf(toolName: string): Promise<RuleFields | undefined>
}

/**
 * Derives the steps of a run since the last call began from the records of its calls at the time when the fold was
 * created.
 */
export class PolicyFold {
  standing: Standing
  readonly #calls: readonly CallRecord[]
  readonly #mark: PolicyMark
  readonly #policies: readonly Policy[]
  readonly #run: FoldedRun

  constructor(policies: readonly Policy[], run: FoldedRun) {
    const none: PolicyMark = { place: 0, standing: standingAtStart(policies), lastSlot: 0, open: {} }
    this.#calls = run.view.calls()
    const marks = this.#calls.flatMap(({ policies: mark }) => (isPolicyMark(mark) ? mark : []))
    this.#mark = marks.reduce((last, mark) => (mark.place > last.place ? mark : last), none)
    this.standing = this.#mark.standing
    this.#policies = policies
    this.#run = run
  }

  /** Takes what has happened up to now; returns the mark of now. */
  async upToNow(): Promise<PolicyMark> {
    const open: Record<string, SeenCall> = {}
    let { lastSlot } = this.#mark
    await this.take({ kind: 'answered', spent: this.#run.view.spent() })
    for (const call of this.#calls) {
      const { callId, seq, isHold, suspension } = call
      const isNew = seq > lastSlot
      const seen = isNew ? {} : this.#mark.open[callId]
      if (isNew) lastSlot = seq
      if (isHold === true || seen === undefined) continue
      for (const moment of momentsOf(call, seen, isNew))
        await this.take(await this.stepOf(moment, callId, seen.approvedBy ?? []))
      if (!isTerminal(call.status)) open[callId] = { ...seen, ...(suspension && { suspension: suspension.id }) }
    }
    return { ...this.#mark, lastSlot, open, standing: this.standing }
  }

  async take(step: PolicyStep): Promise<void> {
    this.standing = await stand(this.#policies, this.standing, step)
  }

  async stepOf(kind: Moment, callId: string, approvedBy: readonly (string | null)[]): Promise<PolicyStep> {
    const { view } = this.#run
    const call = callOf(view, callId)
    const { toolName } = call
    const fields = await this.#run.fieldsOf(toolName)
    const about = { toolName, arguments: argumentsOf(call, view), approvedBy, ...(fields && { fields }) }
    return { kind, spent: view.spent(), call: about }
  }
}

/** Returns what has happened to a call since it was last seen. */
function momentsOf({ status, suspension }: CallRecord, seen: SeenCall, isNew: boolean): readonly Moment[] {
  const isAsked = status !== 'new' && suspension !== undefined && suspension.id !== seen.suspension
  const hasCrashed = isAsked && suspension.reason === 'interrupted'
  return [
    ...(isNew ? (['called'] as const) : []),
    ...(hasCrashed ? (['crashed'] as const) : []),
    ...(isAsked ? (['waited'] as const) : []),
    ...(status === 'cancelled' ? (['denied'] as const) : []),
    ...(status === 'failed' && seen.hasRun !== true ? (['refused'] as const) : []),
  ]
}
