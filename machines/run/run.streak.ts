import type { CallPlan } from '../../src/domain/call-plan.ts'
import { entriesOf } from './run.calls.ts'
import type { RunContext, Streak } from './run.types.ts'

const repeatedText = '[Not executed: repeated call.]'

/** The calls of the answer, each with the verdict the streak leaves it. */
export function plansOf({ options, streak, answer }: RunContext): readonly CallPlan[] {
  const plans = answer?.calls ?? []
  if (!options.stopsOnRepeat || options.repeatLimit === 0) return plans
  if (streak === null || streak.count < options.repeatLimit) return plans
  const other = plans.findIndex((plan) => plan.callHash !== streak.callHash)
  return plans.map((plan, index) => (other < 0 || index < other ? refuseRepeated(plan) : plan))
}

function refuseRepeated(plan: CallPlan): CallPlan {
  return { ...plan, verdict: { kind: 'refused', text: repeatedText } }
}

/**
 * Walks the calls in the model's order; names those whose result ends a streak of the limit. One that is
 * still open stands between the others, once.
 */
export function streakAfter(context: RunContext): { streak: Streak | null; repeated: readonly string[] } {
  let streak = context.streak
  const repeated: string[] = []
  for (const { callId, callHash, status, isPassed, resultHash } of entriesOf(context)) {
    if (status !== 'settled' && isPassed) continue
    if (status !== 'settled' || resultHash === null) {
      streak = null
      continue
    }
    const isSame = streak !== null && streak.callHash === callHash && streak.resultHash === resultHash
    streak = { callHash, resultHash, count: isSame && streak !== null ? streak.count + 1 : 1 }
    if (streak.count === context.options.repeatLimit) repeated.push(callId)
  }
  return { streak, repeated }
}
