import type { CallPlan } from '../../core/domain/call-plan.ts'
import type { FilterAsked } from '../../../machines/run/run.input-types.ts'
import { isTerminal } from '../../core/domain/call.ts'
import type { Configuration, Move, Standing } from './exploration-types.ts'
import { type Facts, type SaidFacts, newCall, patched } from './facts.ts'
import { callsOfTurn, holdPlan, isRequest } from './move-outcomes.ts'
import { saidText, textAt } from './said-payloads.ts'
import { isPutOff, isRepeated, reachedLimit } from './waiting-rule.ts'

/** Returns the facts after a move, independent of the charts. */
export function watchMove(facts: Facts, move: Move, before: Standing, configuration: Configuration): Facts {
  switch (move.type) {
    case 'complete':
      return completed(facts, move, before, configuration)
    case 'decide':
      return decided(facts, move, before)
    case 'cancelCall':
      return facts
    case 'say':
      return heardSaid(facts, move)
    case 'wake':
      return { ...facts, isTimed: facts.top === 'running' }
    case 'cancelRun':
      return cancelled(facts, before)
    case 'fail':
      return isEnded(facts) || facts.hooks.isEndTold
        ? facts
        : { ...facts, leaving: null, verdict: 'error', cancelNote: null, askedOutcome: null }
  }
}

type Completion = Extract<Move, { type: 'complete' }>

function completed(facts: Facts, move: Completion, before: Standing, configuration: Configuration): Facts {
  switch (move.src) {
    case 'callModel':
      return answered(facts, move.outcome, configuration)
    case 'refreshCredentials':
      return move.outcome === 'failed' ? unanswered(facts, configuration) : facts
    case 'summarise':
      return { ...facts, paidSummaries: facts.paidSummaries + 1 }
    case 'ask':
      return phaseHeard(facts, move, before, configuration)
    case 'filterInput':
      return filtered(facts, move, before)
    case 'holdRun':
      return held(facts, configuration)
    case 'askManager':
      return askedManager(facts, move, before, configuration)
    case 'gateCall':
      return withResult(patched(facts, move.owner, { verdict: move.outcome }), move)
    case 'gateReplay': {
      const revision = (facts.calls[move.owner]?.revision ?? 0) + (move.outcome === 'edited' ? 1 : 0)
      return withResult(patched(facts, move.owner, { revision }), move)
    }
    case 'runTool':
      return performed(facts, move)
    case 'keepTime':
      return timedOut(facts, before, configuration)
    case 'sleep':
      return facts.calls[move.owner] === undefined ? facts : patched(facts, move.owner, { isBackingOff: false })
    default:
      return facts
  }
}

/**
 * Returns the facts after the running time is over. A started step that has not asked the model begins again if a final
 * answer is still due.
 */
function timedOut(facts: Facts, { value }: Standing, configuration: Configuration): Facts {
  const phases = facts.isTurnOpen ? facts.phases : []
  const over = { ...facts, phases, isTimeOver: true, wasTimeOver: true, isTimed: false }
  const place = JSON.stringify(value)
  const { action, code } = reachedLimit(over, configuration) ?? { action: '', code: '' }
  const stopped = { reason: 'stopped', code } as const
  // An input that was not accepted has no final answer.
  if (isLettingIn.test(place)) return action === 'finish' ? { ...over, askedOutcome: stopped } : over
  const isOpen = facts.askedOutcome === null || facts.askedOutcome.reason === 'natural_end'
  if (!isLookedAt.test(place) || !isOpen || facts.verdict !== null) return over
  if (action === 'stop') return { ...over, askedOutcome: stopped }
  if (action === 'error') return { ...over, askedOutcome: null }
  return facts.askedOutcome === null
    ? over
    : { ...over, askedOutcome: stopped, isFinishing: true, hasFinalAnswer: true }
}

/** States in which hook beforeRun, the filters, the memory or the builder examine the input. */
const isLettingIn = /"opening":"(askingBeforeRun|filteringInput|recalling|buildingContext)"/

/** States in which plugins examine an answer. */
const isLookedAt = /"after":"(reviewingAnswer|endingStep)"/

/** Counts the result that a plugin or a decision supplies; the supplier writes the record. */
function withResult(facts: Facts, { owner, outcome }: Completion): Facts {
  const results = (facts.calls[owner]?.results ?? 0) + 1
  return outcome.startsWith('supplied') ? patched(facts, owner, { results }) : facts
}

function performed(facts: Facts, { owner, outcome }: Completion): Facts {
  const { results = 0, failures = 0 } = facts.calls[owner] ?? {}
  if (outcome === 'retried') return patched(facts, owner, { failures: failures + 1, isBackingOff: true })
  if (outcome === 'suspended') return patched(facts, owner, { failures: 0 })
  return patched(facts, owner, { results: results + 1, hasPatch: outcome === 'patched' })
}

function answered(facts: Facts, outcome: string, configuration: Configuration): Facts {
  const { maxRetries, fallbacks } = configuration.options
  switch (outcome) {
    case 'truncated':
      return { ...facts, continuations: facts.continuations + 1 }
    case 'busy':
      if (facts.failures < maxRetries) return { ...facts, failures: facts.failures + 1 }
      if (facts.modelIndex < fallbacks) {
        return { ...facts, failures: 0, continuations: 0, modelIndex: facts.modelIndex + 1 }
      }
      return unanswered(facts, configuration)
    case 'refused':
      return refused(facts, configuration)
    case 'asking':
      return facts
    case 'exhausted':
      return { ...facts, turn: facts.turn - 1, isExhausted: true }
    case 'unauthorized':
      return facts.refreshes === 0 ? facts : unanswered(facts, configuration)
    case 'overflowed':
      return facts.recoveries === 0 ? facts : failedTurn(facts)
    case 'mediaRefused':
      return facts.omissions === 0 ? { ...facts, omissions: 1 } : failedTurn(facts)
    case 'outgrown':
      return facts
    case 'broken':
      return failedTurn(facts)
    case 'unfit':
    case 'spoiled':
      return {
        ...facts,
        owesTurn: true,
        hasFinalAnswer: facts.isFinishing,
        said: { ...facts.said, answer: stillUnfit(outcome, facts, configuration), isCorrecting: false },
        hooks: { ...facts.hooks, isTurnAnswered: true },
      }
    default:
      return asked(facts, outcome === 'calls' ? callsOfTurn(configuration, facts.turn) : [], configuration)
  }
}

/** A refused answer takes no turn. It ends the run if no correction is left (PH-05). */
function refused(facts: Facts, { options }: Configuration): Facts {
  const { said, isFinishing } = facts
  const isLast = isFinishing || said.corrections >= options.outputRetries
  const counted = { ...said, owesRefusal: !isLast, isCorrecting: true, corrections: said.corrections + 1 }
  const given = {
    ...facts,
    turn: facts.turn - 1,
    hasFinalAnswer: isFinishing,
    said: { ...counted, refusals: said.refusals + 1 },
  }
  return isLast && !isFinishing ? { ...given, askedOutcome: { reason: 'stopped', code: 'answer_refused' } } : given
}

/** Returns the state of an answer that still does not fit after the last allowed correction (AGT-08). */
function stillUnfit(outcome: 'unfit' | 'spoiled', { said }: Facts, { options }: Configuration): SaidFacts['answer'] {
  return outcome === 'unfit' && said.corrections >= options.outputRetries ? 'stillUnfit' : outcome
}

function asked(facts: Facts, plans: readonly CallPlan[], configuration: Configuration): Facts {
  const repeats = plans.map((_, at) => isRepeated(plans, at, facts, configuration))
  const isLoop = repeats.includes(true)
  const loop: Facts['askedOutcome'] = isLoop ? { reason: 'stopped', code: 'loop_detected' } : null
  const askedOutcome = facts.askedOutcome ?? loop ?? (plans.length === 0 ? { reason: 'natural_end' as const } : null)
  const calls = Object.fromEntries(
    plans.map((plan, at) => [plan.callId, { ...callOf(plan, configuration), isRepeated: repeats[at] === true }]),
  )
  const round = plans.map(({ callId }) => callId)
  return {
    ...facts,
    owesTurn: true,
    said: { ...facts.said, isCorrecting: false, ...(plans.length === 0 ? { corrections: 0 } : {}) },
    hooks: { ...facts.hooks, isTurnAnswered: true },
    hasFinalAnswer: facts.isFinishing,
    askedOutcome,
    calls: { ...facts.calls, ...calls },
    round: plans.length === 0 ? facts.round : round,
  }
}

function callOf(plan: CallPlan, { options }: Configuration): ReturnType<typeof newCall> {
  const { verdict } = plan
  const isGranted = verdict.kind === 'allowed' && verdict.isGranted === true
  if (isGranted || (verdict.kind !== 'skipped' && options.watched.includes('gateCall'))) return newCall(plan)
  const name =
    verdict.kind === 'supplied' ? (verdict.status === 'succeeded' ? 'supplied' : 'suppliedBadly') : verdict.kind
  return { ...newCall(plan), verdict: name }
}

function phaseHeard(facts: Facts, { outcome }: Completion, before: Standing, configuration: Configuration): Facts {
  const phase = before.effects.find(({ src }) => src === 'ask')?.input as { phase: string } | undefined
  const name = phase?.phase ?? ''
  const heard = outsidePhases.includes(name) ? facts : { ...facts, phases: [...facts.phases, name] }
  if (outcome === 'held') return held(heard, configuration)
  if (name === 'runStart' && facts.askedOutcome !== null) return heard
  if (outcome === 'terminated') return { ...heard, askedOutcome: { reason: 'plugin_requested' } }
  if (outcome === 'stopped') return { ...heard, askedOutcome: { reason: 'stopped', code: 'enough' } }
  return heard
}

/** Hooks outside the phases of a step. */
const outsidePhases = ['beforeRun', 'afterTurn', 'afterRun', 'onError']

function held(facts: Facts, configuration: Configuration): Facts {
  const plan = holdPlan({ configuration, suspensions: () => 0 })
  const calls = { ...facts.calls, [plan.callId]: { ...newCall(plan), verdict: 'suspended', isHold: true } }
  if (configuration.options.onModelFailure !== 'wait' && configuration.reason !== 'limit') return { ...facts, calls }
  // A model call without an answer does not count as a turn.
  const given = { ...facts, calls, turn: facts.turn - 1 }
  return facts.isFinishing ? { ...given, isFinishing: false, isFinalAsked: false, askedOutcome: null } : given
}

/** A request holds the run; a failed manager ends it. */
function askedManager(facts: Facts, { outcome }: Completion, before: Standing, configuration: Configuration): Facts {
  if (outcome === 'failed') return { ...facts, verdict: 'error', askedOutcome: null }
  const effect = before.effects.find(({ src }) => src === 'askManager')
  if (effect === undefined || !isRequest(effect.input)) return facts
  return { ...held(facts, configuration), owesRequest: false }
}

/** Returns the facts after no model answered; the run may wait for another key, another model or a later time. */
function unanswered(facts: Facts, { options }: Configuration): Facts {
  return options.onModelFailure === 'wait' ? facts : failedTurn(facts)
}

/** Ends the turn and the run in error. */
function failedTurn(facts: Facts): Facts {
  return { ...facts, verdict: 'error', owesFailure: true, hooks: { ...facts.hooks, hasTurnFailed: true } }
}

/** A message after the announcement of the end is not delivered; a message before it defers the end. */
function heardSaid(facts: Facts, { kind, count }: Extract<Move, { type: 'say' }>): Facts {
  const { said, hooks } = facts
  const counts = { ...said.counts, [kind]: count }
  if (kind === 'extension') return { ...facts, said: { ...said, counts, owesExtension: true } }
  const waiting = [...said.waiting, { kind, text: saidText(kind, count), isLate: hooks.isEndTold }]
  const mayPutOff = facts.leaving === 'end' && facts.verdict === null && !hooks.isEndTold
  const heard = { ...facts, said: { ...said, counts, waiting } }
  return mayPutOff && isPutOff(heard) ? { ...heard, leaving: null } : heard
}

/** A rejected prompt ends the run; a rejected message is dropped alone. */
function filtered(facts: Facts, { outcome, owner }: Completion, before: Standing): Facts {
  const effect = before.effects.find((open) => open.src === 'filterInput' && open.owner === owner)
  if (effect === undefined) return facts
  const head = effect.input as FilterAsked
  const { kind } = head
  const { said } = facts
  const text = head.kind === 'prompt' ? 'prompt' : textAt(head)
  if (outcome !== 'rejected') return { ...facts, said: { ...said, passed: [...said.passed, text] } }
  if (kind === 'prompt') return { ...facts, askedOutcome: { reason: 'stopped', code: 'input_rejected' } }
  return { ...facts, said: { ...said, waiting: said.waiting.filter((other) => other.text !== text) } }
}

/** A decision counts if it answers the current suspension or arrives before the first one. */
function decided(
  facts: Facts,
  { callId, action, answers }: Extract<Move, { type: 'decide' }>,
  before: Standing,
): Facts {
  const call = facts.calls[callId]
  if (call === undefined || isTerminal(call.status) || isEnded(facts)) return facts
  const isOpen = call.status === 'suspended' && call.answer === null
  if (answers === 'current' && isOpen) return patched(facts, callId, { answer: action })
  if (answers !== 'first') return facts
  if (call.suspensions === 0) return patched(facts, callId, { kept: action })
  const mayKeep = isOpen && call.suspensions === 1 && !call.isInterrupted
  if (!mayKeep) return facts
  return patched(facts, callId, isReviewed(before, callId) ? { kept: action } : { answer: action })
}

function isReviewed({ calls }: Standing, callId: string): boolean {
  return JSON.stringify(calls[callId]) === '{"suspended":"reviewing"}'
}

/** A cancel changes nothing when the end is certain, and ends a planned wait. */
function cancelled(facts: Facts, before: Standing): Facts {
  if (facts.verdict !== null || isEnded(facts) || facts.leaving === 'end') return facts
  return { ...facts, leaving: null, verdict: 'cancelled', cancelNote: noteOf(before), askedOutcome: null }
}

function noteOf({ value }: Standing): string | null {
  const phase = JSON.stringify(value)
  if (phase === '{"running":{"turn":"callingModel"}}') return '[Run cancelled while the model was answering.]'
  // The manager of permissions is asked between rounds.
  return /^{"running":{"(toolRound|resumeGate)"(?!:"askingManager")/.test(phase)
    ? '[Run cancelled while tools were running.]'
    : null
}

function isEnded({ top }: Facts): boolean {
  return top === 'done'
}
