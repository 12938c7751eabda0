import type { SuspensionReason } from '../../core/domain/suspension.ts'
import type { Write } from '../../core/domain/log.ts'
import { type Message, textOf } from '../../core/domain/message.ts'
import { messagesOf } from './said-payloads.ts'
import type { Configuration, Happening } from './exploration-types.ts'
import { callsOf, type CallFacts, type Facts, patched } from './facts.ts'
import { hasConflict, mustWaitByRule, reachedLimit } from './waiting-rule.ts'

/** The result of a call that a stopped round skips (contract text). */
export const skippedText = '[Not executed: an earlier call is waiting for a decision.]'

/** The result of a call that steering skips (contract text). */
export const steeredText = 'Skipped due to queued user message.'

/** Returns the facts after one happening. */
export function watchHappening(facts: Facts, happening: Happening, configuration: Configuration): Facts {
  switch (happening.kind) {
    case 'hop':
      return hopped(facts, happening, configuration)
    case 'top':
      return topped(facts, happening)
    case 'write':
      return written(facts, happening.write)
    case 'name':
      return named(facts, happening.name)
    case 'announcement':
      return announcement(facts, happening.announcement.type, configuration)
    case 'effect':
      return requested(facts, happening.effect, configuration)
  }
}

/** A wait clears a natural end; leaving the wait is remembered until the model is asked again. */
function topped(facts: Facts, { from, to }: Extract<Happening, { kind: 'top' }>): Facts {
  const askedOutcome = to === 'waiting' && facts.askedOutcome?.reason === 'natural_end' ? null : facts.askedOutcome
  const isTimed = to === 'running'
  return { ...facts, top: to, askedOutcome, isTimed, isResumed: facts.isResumed || from === 'waiting' }
}

type Hop = Extract<Happening, { kind: 'hop' }>

/** The codes with which a run stops if its hold for this reason is denied. */
const stopCodes: { readonly [reason in SuspensionReason]?: string } = {
  model_unavailable: 'model_unavailable',
  limit: 'max_cost',
}

function hopped(facts: Facts, { callId, from, to }: Hop, configuration: Configuration): Facts {
  const call = facts.calls[callId]
  if (call === undefined) return facts
  if (call.isReplay && !facts.owesReplay)
    return hopped({ ...facts, owesReplay: true }, { kind: 'hop', callId, from, to }, configuration)
  // A denied hold for permissions does not end the run.
  const mayEnd = call.isHold && configuration.reason !== 'permission'
  if (mayEnd && to === 'cancelled' && facts.askedOutcome === null && facts.verdict === null) {
    const code = stopCodes[configuration.reason]
    const askedOutcome: Facts['askedOutcome'] =
      code === undefined ? { reason: 'plugin_requested' } : { reason: 'stopped', code }
    return hopped({ ...facts, askedOutcome }, { kind: 'hop', callId, from, to }, configuration)
  }
  const isGated = call.isGated || (from === 'new' && to !== 'cancelled' && call.verdict !== 'skipped')
  if (to === 'suspended') {
    return patched(facts, callId, {
      status: to,
      isGated,
      suspensions: call.suspensions + 1,
      isFirstSuspended: call.isFirstSuspended || call.suspensions === 0,
      isInterrupted: configuration.reason === 'interrupted',
      answer: null,
    })
  }
  if (to === 'resuming')
    return { ...patched(facts, callId, { status: to, isReplay: true, answer: null, kept: null }), owesReplay: true }
  const { verdict } = call.plan
  const isRequested = from === 'new' && to === 'failed' && verdict.kind === 'refused' && verdict.isRequested === true
  const moved = patched(isRequested ? { ...facts, owesRequest: true } : facts, callId, { status: to, isGated })
  return moved.verdict === null && hasConflict(moved) ? { ...moved, verdict: 'error' } : moved
}

function written(facts: Facts, write: Write): Facts {
  const messages = messagesOf(write)
  if (messages.length > 0) return messages.reduce(appended, facts)
  if (write.kind === 'note' && write.text.startsWith('[The answer does not fit')) {
    const corrections = facts.said.corrections + 1
    return { ...facts, said: { ...facts.said, owesCorrection: false, isCorrecting: true, corrections } }
  }
  if (write.kind === 'note' && write.text === '[The answer was refused: No. Answer again.]') {
    return { ...facts, said: { ...facts.said, owesRefusal: false } }
  }
  if (write.kind === 'result') {
    const isSkip = [skippedText, steeredText].includes(write.text) || facts.calls[write.callId]?.verdict === 'skipped'
    return counted(isSkip ? patched(facts, write.callId, { verdict: 'skipped' }) : facts, write.callId, 'results')
  }
  if (write.kind === 'tellLateResult') return counted(facts, write.callId, 'lateResults')
  if (write.kind === 'applyPatch') return counted(facts, write.callId, 'patches')
  if (write.kind === 'failure') return { ...facts, owesFailure: false }
  if (write.kind !== 'call') return facts
  if (write.patch.placeholder === true) return patched(facts, write.callId, { hasPlaceholder: true })
  return write.patch.status === undefined ? facts : counted(facts, write.callId, 'statusWrites')
}

/** Removes the message from the queue and drops the end that it defers. */
function appended(facts: Facts, message: Message): Facts {
  const { said, askedOutcome } = facts
  if (message.role === 'extension') return { ...facts, said: { ...said, owesExtension: false } }
  if (message.role !== 'user') return facts
  const taken = said.waiting.find(({ text }) => textOf(message).startsWith(text))
  if (taken === undefined) return { ...facts, hasInput: true }
  const waiting = said.waiting.filter((other) => other !== taken)
  const isKept = askedOutcome === null || askedOutcome.reason === 'stopped'
  return { ...facts, said: { ...said, waiting, isTaking: true }, ...(isKept ? {} : { askedOutcome: null }) }
}

function counted(facts: Facts, callId: string, key: 'results' | 'lateResults' | 'patches' | 'statusWrites'): Facts {
  return patched(facts, callId, { [key]: (facts.calls[callId]?.[key] ?? 0) + 1 })
}

function named(facts: Facts, name: string): Facts {
  const base = { ...facts, lastName: name }
  switch (name) {
    case 'UserMessage':
      return { ...base, phases: [], said: { ...facts.said, isTaking: false } }
    case 'AssistantTurnCommitted':
      return judgedAnswer({ ...base, owesTurn: false, owesResults: hasCallsOfRound(facts), phases: [] })
    case 'RunFinished':
      return { ...published(base), phases: [], leaving: null }
    default:
      return published(base)
  }
}

/**
 * Judges the answer when it is committed. An answer that does not fit is corrected if nothing else ends the run. One
 * correction too many, or a broken contract, ends the run.
 */
function judgedAnswer(facts: Facts): Facts {
  const { said, hooks, askedOutcome } = facts
  if (said.answer === 'fits') return facts
  const known = { ...facts, said: { ...said, answer: 'fits' as const, owesCorrection: false } }
  if (said.answer === 'spoiled' || (said.answer === 'stillUnfit' && askedOutcome === null)) {
    return { ...known, verdict: 'error', askedOutcome: null, hooks: { ...hooks, hasTurnFailed: true } }
  }
  const isOwed = askedOutcome === null
  return { ...known, said: { ...known.said, owesCorrection: isOwed, corrections: isOwed ? said.corrections : 0 } }
}

function hasCallsOfRound({ round, calls }: Facts): boolean {
  return round.some((callId) => calls[callId]?.status === 'new')
}

/** A checkpoint of results includes every call that has settled. */
function published(facts: Facts): Facts {
  const fresh = callsOf(facts).filter(([, call]) => call.statusWrites > 0 && !call.isCheckpointed)
  const isOpen = (call: CallFacts) => call.statusWrites === 0
  const calls = Object.fromEntries(
    callsOf(facts).map(([id, call]): [string, CallFacts] => [
      id,
      isOpen(call) ? { ...call, isPassed: true } : { ...call, isCheckpointed: true },
    ]),
  )
  const between = callsOf(facts).filter(([, call]) => (isOpen(call) ? !call.isPassed : !call.isCheckpointed))
  const streak = between.reduce(
    (counts: Facts['streak'], [, call]) => (isOpen(call) ? null : nextStreak(counts, call)),
    facts.streak,
  )
  return {
    ...facts,
    owesResults: false,
    owesReplay: false,
    isUnheard: facts.isUnheard || fresh.length > 0,
    calls,
    streak,
  }
}

function nextStreak(streak: Facts['streak'], { plan, status, attempts }: CallFacts): Facts['streak'] {
  if (attempts === 0 || status === 'cancelled') return streak
  const isSame = streak !== null && streak.hash === plan.callHash && streak.result === status
  return { hash: plan.callHash, result: status, count: isSame && streak !== null ? streak.count + 1 : 1 }
}

function announcement(facts: Facts, type: string, configuration: Configuration): Facts {
  const base = { ...facts, lastAnnouncement: type }
  if (type === 'turn.ended')
    return { ...base, isTurnOpen: false, hooks: { ...facts.hooks, owesAfterTurn: owesAfterTurn(facts, configuration) } }
  if (type === 'run.ended') return { ...base, leaving: 'end', hooks: { ...facts.hooks, isEndTold: true } }
  if (type !== 'turn.started') return base
  const onward = onToModel(base, configuration)
  return {
    ...onward,
    ...(onward.askedOutcome?.reason === 'natural_end' ? { askedOutcome: null } : {}),
    isFinalAsked: onward.isFinishing,
    isTurnOpen: true,
    hooks: { ...onward.hooks, isTurnAnswered: false },
    turn: facts.turn + 1,
    phases: [],
    isResumed: false,
    isUnheard: false,
    failures: 0,
    modelIndex: 0,
    continuations: 0,
    refreshes: 0,
    recoveries: 0,
    omissions: 0,
    summaries: 0,
  }
}

/** Returns true if afterTurn is due; it is not due for a turn that a cancel or a defect has ended. */
function owesAfterTurn(facts: Facts, { options }: Configuration): boolean {
  if (!options.watched.includes('afterTurn') || hasConflict(facts)) return false
  return facts.verdict === null || (facts.verdict === 'error' && facts.hooks.hasTurnFailed)
}

/** Starts the final answer at a limit. The final answer has its own time if the running time is the limit. */
function onToModel(facts: Facts, configuration: Configuration): Facts {
  const limit = reachedLimit(facts, configuration)
  if (facts.isFinishing || limit?.action !== 'finish') return facts
  const { code } = limit
  const isTimeOver = code === 'max_duration' ? false : facts.isTimeOver
  return { ...facts, isFinishing: true, isTimed: true, isTimeOver, askedOutcome: { reason: 'stopped', code } }
}

const endHooks = ['afterTurn', 'onError', 'runEnd', 'afterRun']

type Requested = Extract<Happening, { kind: 'effect' }>['effect']

function requested(known: Facts, { src, owner, input }: Requested, configuration: Configuration): Facts {
  const { phase, kind } = input as { phase?: string; kind?: string }
  // A hook of the run's end has its own time after the running time is over.
  const facts = known.isTimeOver && endHooks.includes(phase ?? '') ? { ...known, isTimed: true } : known
  if (src === 'filterInput' && kind !== 'prompt') return onToModel(facts, configuration)
  const { hooks } = facts
  if (phase === 'beforeRun') return { ...facts, hooks: { ...hooks, isLoopAsked: true } }
  if (phase === 'afterTurn') return { ...facts, hooks: { ...hooks, owesAfterTurn: false } }
  if (phase === 'onError') return { ...facts, leaving: 'end', hooks: { ...hooks, isErrorTold: true } }
  if (phase === 'stepStart' || phase === 'beforeModel' || phase === 'beforeTurn') return onToModel(facts, configuration)
  if (phase === 'runEnd') {
    const isWait = facts.verdict === null && mustWaitByRule(facts, configuration)
    return { ...facts, leaving: isWait ? 'wait' : 'end' }
  }
  if (src === 'refreshCredentials') return { ...facts, refreshes: facts.refreshes + 1 }
  if (src === 'recall') return { ...facts, recalls: facts.recalls + 1 }
  if (src === 'summarise') return { ...facts, summaries: facts.summaries + 1 }
  if (src === 'compactPrompt') return { ...facts, recoveries: facts.recoveries + 1 }
  return src === 'runTool' ? patched(facts, owner, { attempts: (facts.calls[owner]?.attempts ?? 0) + 1 }) : facts
}
