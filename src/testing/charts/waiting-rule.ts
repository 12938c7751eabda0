import type { CallPlan } from '../../core/domain/call-plan.ts'
import type { Configuration } from './exploration-types.ts'
import { type AskedOutcome, type CallFacts, callsOf, type Facts } from './facts.ts'

const alwaysBlocking = ['interrupted', 'permission']
const contractBlocking = ['service', 'subAgent']

/** Returns true if a run with a drained gate must wait (requirement RUN-03): three cases, written by hand. */
export function mustWaitByRule(facts: Facts, configuration: Configuration): boolean {
  const suspended = callsOf(facts).filter(([, call]) => call.status === 'suspended')
  if (suspended.length === 0) return false
  const isEnding =
    (facts.askedOutcome !== null && !isPutOff(facts)) ||
    ['finish', 'stop'].includes(reachedLimit(facts, configuration)?.action ?? '')
  const isAsked = configuration.options.onPartialSuspension === 'wait' || facts.isResumed
  return isEnding || isAsked || suspended.some(([, call]) => blocks(call, configuration)) || isRoundSuspended(facts)
}

function blocks({ plan }: CallFacts, { reason }: Configuration): boolean {
  if (plan.isHold === true) return true
  return alwaysBlocking.includes(reason) || (contractBlocking.includes(reason) && plan.blocksRun)
}

/** Returns true if every call gated in the round was suspended first, and at least one still is. */
function isRoundSuspended({ round, calls }: Facts): boolean {
  const gated = round.flatMap((callId) => calls[callId] ?? []).filter((call) => call.isGated)
  return gated.every((call) => call.isFirstSuspended) && gated.some((call) => call.status === 'suspended')
}

/** Returns true if a queued message that the model has not read defers a natural end or an end by a plugin. */
export function isPutOff({ askedOutcome, said }: Facts): boolean {
  if (said.waiting.every(({ isLate }) => isLate)) return false
  return askedOutcome?.reason === 'natural_end' || askedOutcome?.reason === 'plugin_requested'
}

/** Returns the first limit that the run has reached. */
export function reachedLimit(facts: Facts, { options }: Configuration): { action: string; code: string } | undefined {
  const used: Readonly<Record<string, number>> = {
    max_turns: facts.turn,
    max_tool_interactions: facts.turn + facts.said.refusals,
    max_tokens: (facts.turn + facts.said.refusals + facts.paidSummaries) * 10,
    max_cost: facts.turn + facts.said.refusals + facts.paidSummaries,
    max_duration: facts.wasTimeOver ? Infinity : 0,
  }
  const own = options.limits.find(
    ({ code, max, action }) =>
      action !== 'ask' && ((used[code] ?? 0) >= max || (facts.isExhausted && code === 'max_cost')),
  )
  return own ?? (facts.isExhausted ? { action: 'stop', code: 'max_cost' } : undefined)
}

/** Returns true if two calls of one round change the same path. A replay sees the state after the round. */
export function hasConflict({ round, calls }: Facts): boolean {
  const changing = round.flatMap((callId) => calls[callId] ?? []).filter(isChanging)
  return changing.length > 1 && round.every((callId) => !['new', 'running'].includes(calls[callId]?.status ?? ''))
}

function isChanging(call: CallFacts): boolean {
  return call.hasPatch && call.patches === 0 && !call.isReplay && !call.isCheckpointed
}

/** Returns the end that a run must take if it does not wait, or undefined if it must continue. */
export function expectedEnd(facts: Facts, configuration: Configuration): AskedOutcome | { reason: string } | undefined {
  if (facts.verdict !== null) return { reason: facts.verdict }
  if (hasConflict(facts)) return { reason: 'error' }
  const { askedOutcome } = facts
  const isUnheard = askedOutcome?.reason === 'natural_end' && facts.isUnheard
  if (askedOutcome !== null && !isUnheard && !isPutOff(facts)) return askedOutcome
  const limit = reachedLimit(facts, configuration)
  if (limit?.action === 'stop') return { reason: 'stopped', code: limit.code }
  return limit?.action === 'error' ? { reason: 'error' } : undefined
}

/** Returns true if a call exceeds the limit of equal calls, counted in the answer and in the streak before it. */
export function isRepeated(
  plans: readonly CallPlan[],
  at: number,
  { streak }: Facts,
  { options }: Configuration,
): boolean {
  const { stopsOnRepeat, repeatLimit } = options
  if (!stopsOnRepeat || repeatLimit === 0) return false
  const hash = plans[at]?.callHash
  const other = plans.slice(0, at).findLastIndex(({ callHash }) => callHash !== hash)
  const earlier = other < 0 && streak !== null && streak.hash === hash ? streak.count : 0
  return earlier + at - other > repeatLimit
}
