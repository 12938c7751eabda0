import type { StoredDecision } from '../domain/inbox.ts'
import { isWake } from '../domain/kept-decision.ts'
import { both, isKeptAtEnd } from '../domain/policies/formula.ts'
import { meaningOf } from '../domain/policies/meaning.ts'
import { parsedPolicies } from '../domain/policies/parse-policy.ts'
import { type FoldedRun, PolicyFold } from '../domain/policies/policy-fold.ts'
import { isPolicyMark, type PolicyMark, type SeenCall } from '../domain/policies/policy-mark.ts'
import { brokenIn, type PolicyStep } from '../domain/policies/policy-step.ts'
import type { Policy } from '../domain/policies/policy.ts'
import { badOption } from '../domain/text/option-shape.ts'
import type { GuardedRun, Policies, PolicyGuard } from '../ports/policy-guard.ts'

/**
 * Returns policies over the order of calls, approvals and crashes of a run, for `permissions: { policies }`. A call that
 * would break one does not run. A run that has broken one at its end emits `policy.broken`. Throws a `UsageError` for a
 * policy that cannot be read, that every run keeps, or that no run can keep.
 *
 * @example
 * permissions: { policies: policies(['never(ran(pay) and not approvedBy(anna))']) }
 */
export function policies(texts: readonly string[]): Policies {
  const list = parsedPolicies(texts, 'policies')
  for (const [index, policy] of list.entries()) {
    const other = list.slice(0, index).find((earlier) => contradict(earlier, policy))
    if (other === undefined) continue
    const wish = `Expected policies of one agent to agree: no run can keep it together with ${other.text}.`
    throw badOption({ field: `policies[${index}]`, owner: 'policies' }, policy.text, wish)
  }
  return guard(list)
}

/** Returns true if no run satisfies both policies. A run without any step satisfies most. */
function contradict(one: Policy, other: Policy): boolean {
  if (isKeptAtEnd(one.formula) && isKeptAtEnd(other.formula)) return false
  const atoms = new Map([...one.atoms, ...other.atoms].map((atom) => [atom.text, atom]))
  return meaningOf(both([one.formula, other.formula]), [...atoms.values()]) === 'nothing'
}

/** A call that was let through and whose record does not say so yet. */
interface Begun {
  readonly place: number
  readonly step: PolicyStep
  readonly seen: SeenCall
}

/** The memory of a process about a run. Calls are judged one after another. */
interface Memory {
  readonly begun: Map<string, Begun>
  last: Promise<unknown>
}

function guard(list: readonly Policy[]): PolicyGuard {
  const memories = new WeakMap<object, Memory>()
  return {
    texts: list.map(({ text }) => text),
    judge: (callId, decision, run) => {
      const memory = memories.get(run.run) ?? { begun: new Map(), last: Promise.resolve() }
      memories.set(run.run, memory)
      const judged = memory.last.then(() => judge(list, callId, decision, run, memory.begun))
      memory.last = judged.catch(() => {})
      return judged
    },
    broken: async (run) => {
      const { standing } = await new PolicyFold(list, run).upToNow()
      return list.flatMap(({ text: policy, formula }) => {
        const left = standing[policy] ?? formula
        if (isKeptAtEnd(left)) return []
        const message =
          left === false ? `The run has broken ${policy}.` : `The run has ended without what ${policy} requires.`
        return { policy, message }
      })
    },
  }
}

/** Judges a call as if the calls that are about to begin had begun. */
async function judge(
  list: readonly Policy[],
  callId: string,
  decision: StoredDecision | undefined,
  run: GuardedRun,
  begun: Map<string, Begun>,
): Promise<{ readonly broken: string } | { readonly mark: PolicyMark }> {
  const fold = new PolicyFold(list, run)
  const unwritten = unwrittenIn(begun, callId, run.view)
  const now = await fold.upToNow()
  const { open: stored, lastSlot, place: known } = now
  // A call that checks its sub-agent again is not a new start, and nobody approves it.
  if (decision !== undefined && isWake(decision) && stored[callId]?.hasRun === true) return { mark: now }
  const open: Record<string, SeenCall> = { ...stored }
  let place = known
  for (const [other, one] of unwritten) {
    if (one.place <= known) continue
    await fold.take(one.step)
    open[other] = one.seen
    place = one.place
  }
  const approvedBy = [...(open[callId]?.approvedBy ?? []), ...(decision === undefined ? [] : [decision.by ?? null])]
  const step = await fold.stepOf('ran', callId, approvedBy)
  await fold.take(step)
  const [broken] = brokenIn(list, fold.standing)
  if (broken !== undefined) return { broken: broken.text }
  const seen: SeenCall = { ...open[callId], hasRun: true, approvedBy }
  place++
  begun.set(callId, { place, step, seen })
  return { mark: { place, standing: fold.standing, lastSlot, open: { ...open, [callId]: seen } } }
}

/** Returns the calls that are about to begin and are not yet in their records. */
function unwrittenIn(
  begun: Map<string, Begun>,
  callId: string,
  view: FoldedRun['view'],
): readonly (readonly [string, Begun])[] {
  for (const [other, { place }] of begun) {
    const { status, policies: mark } = view.call(other) ?? {}
    const stored = isPolicyMark(mark) ? mark.place : 0
    // The gate of the other call was asked again, or the call ended without starting.
    const isOver = other === callId || stored >= place || (status !== 'new' && status !== 'resuming')
    if (isOver) begun.delete(other)
  }
  return [...begun]
}
