import { isTerminal } from '../../core/domain/call.ts'
import type { Happening, Move } from './exploration-types.ts'
import { type CallFacts, callsOf } from './facts.ts'
import { type Invariant, pathOf, type Observed } from './invariant.ts'
import { retriedAt } from './move-outcomes.ts'
import { hasConflict, reachedLimit } from './waiting-rule.ts'
import { skippedText, steeredText } from './watch-happening.ts'

/** The only allowed transitions of a call (requirement TC-01). */
const allowedEdges = [
  'new→running',
  'new→suspended',
  'new→failed',
  'new→cancelled',
  'running→succeeded',
  'running→failed',
  'running→suspended',
  'running→cancelled',
  'suspended→resuming',
  'suspended→cancelled',
  'resuming→running',
  'resuming→succeeded',
  'resuming→failed',
  'resuming→suspended',
  'resuming→cancelled',
]

type Hop = Extract<Happening, { kind: 'hop' }>

/** Returns true if an observed cause allows the call's transition. */
function hasCause({ from, to, callId }: Hop, observed: Observed): boolean {
  const { move, facts } = observed
  const call = facts.calls[callId]
  if (call === undefined) return false
  const outcome = outcomeFor(move, callId)
  switch (`${from}→${to}`) {
    case 'new→running':
      return ['allowed', 'supplied', 'suppliedBadly'].includes(call.verdict ?? '')
    case 'new→suspended':
      return call.verdict === 'suspended'
    case 'new→failed':
      return call.verdict === 'refused' || call.verdict === 'skipped' || call.isRepeated
    case 'running→succeeded':
      return outcome === 'runTool:succeeded' || outcome === 'runTool:patched' || call.verdict === 'supplied'
    case 'running→failed':
      return outcome === 'runTool:failed' || call.verdict === 'suppliedBadly'
    case 'running→suspended':
      return outcome === 'runTool:suspended'
    case 'suspended→resuming':
      return call.answer === 'resume' || (call.kept === 'resume' && mayUseKept(call))
    case 'resuming→running':
      return outcome === 'gateReplay:allowed' || outcome === 'gateReplay:edited'
    case 'resuming→succeeded':
      return outcome === 'gateReplay:supplied'
    case 'resuming→failed':
      return outcome === 'gateReplay:refused' || outcome === 'gateReplay:suppliedBadly'
    case 'resuming→suspended':
      return outcome === 'gateReplay:suspended'
    default:
      return mayCancel(call, callId, observed)
  }
}

function outcomeFor(move: Move | undefined, callId: string): string {
  return move?.type === 'complete' && move.owner === callId ? `${move.src}:${move.outcome}` : ''
}

function mayUseKept(call: CallFacts): boolean {
  return call.suspensions === 1 && !call.isInterrupted
}

function mayCancel(call: CallFacts, callId: string, observed: Observed): boolean {
  const { move, facts } = observed
  if (isRunEnding(observed) || facts.askedOutcome?.reason === 'plugin_requested') return true
  if (move?.type === 'cancelCall' && move.callId === callId) return true
  if (call.status !== 'suspended') return false
  const isRefused = call.answer === 'cancel' || (call.kept === 'cancel' && mayUseKept(call))
  return isRefused || outcomeFor(move, callId) === 'sleep:done'
}

/** Returns true if the run ends and settles its calls: cancelled, failed, in conflict, or at a limit with an error. */
function isRunEnding({ facts, configuration }: Observed): boolean {
  const isAtLimit = reachedLimit(facts, configuration)?.action === 'error'
  return facts.verdict !== null || isAtLimit || facts.isTimeOver || hasConflict(facts)
}

/** Returns the status that the move's outcome leads the call to, or undefined if the move does not concern the call. */
function destination(call: CallFacts, outcome: string, callId: string, observed: Observed): string | undefined {
  const { was, configuration } = observed
  const isReview = outcome === 'reviewCall:done'
  const before = was.calls[callId]
  if (isReview && (before?.status !== 'suspended' || before.answer !== null)) return undefined
  const isFirst = before?.suspensions === (isReview ? 1 : 0) && !call.isInterrupted
  const kept = isFirst ? (call.kept ?? before?.kept) : null
  const isReviewed = configuration.options.watched.includes('reviewCall')
  switch (outcome) {
    case 'gateCall:allowed':
    case 'gateReplay:allowed':
    case 'gateReplay:edited':
      return 'running'
    case 'gateCall:supplied':
    case 'gateReplay:supplied':
    case 'runTool:succeeded':
    case 'runTool:patched':
      return 'succeeded'
    case 'gateCall:refused':
    case 'gateCall:suppliedBadly':
    case 'gateReplay:refused':
    case 'gateReplay:suppliedBadly':
    case 'runTool:failed':
      return 'failed'
    case 'gateCall:suspended':
    case 'runTool:suspended':
      return isReviewed ? 'suspended' : answeredBy(kept)
    case 'reviewCall:done':
      return answeredBy(kept)
    case 'gateReplay:suspended':
      return 'suspended'
    case 'runTool:retried':
      return 'running'
    case 'sleep:done':
      return before?.isBackingOff === true ? 'running' : 'cancelled'
    default:
      return undefined
  }
}

/** Returns the status of a call after the decision that was kept for its first suspension. */
function answeredBy(kept: 'resume' | 'cancel' | null | undefined): string {
  if (kept === 'resume') return 'resuming'
  return kept === 'cancel' ? 'cancelled' : 'suspended'
}

/** Rules of one call: its transitions and their causes, its effects, and its single result. */
export const invariantsOfCalls: readonly Invariant[] = [
  {
    name: 'only allowed edges',
    rule: 'A call moves along the fifteen edges and no others (TC-01).',
    atHappening: (_, seen) => {
      if (seen.kind !== 'hop') return undefined
      const edge = `${seen.from}→${seen.to}`
      return allowedEdges.includes(edge) ? undefined : `${seen.callId} moved ${edge}`
    },
  },
  {
    name: 'every move of a call has a cause',
    rule: 'A call moves for what its gate, its tool, a decision, an expiry or a cancel said (TC-02, TC-03).',
    atHappening: (observed, seen) => {
      if (seen.kind !== 'hop' || hasCause(seen, observed)) return undefined
      return `${seen.callId} moved ${seen.from}→${seen.to} for no reason`
    },
  },
  {
    name: 'every outcome takes effect',
    rule: 'What an effect of a call came to decides the state of that call (TC-02, TC-03, DEC-03).',
    atEnd: (observed) => {
      const { move, facts, was, after } = observed
      if (move?.type !== 'complete') return undefined
      const call = facts.calls[move.owner]
      if (call === undefined || was.calls[move.owner]?.verdict === 'skipped') return undefined
      const wanted = destination(call, `${move.src}:${move.outcome}`, move.owner, observed)
      const isEnding = call.status === 'cancelled' && (facts.verdict !== null || facts.isTimeOver || hasConflict(facts))
      if (wanted === undefined || call.status === wanted || isEnding) return undefined
      return `${move.owner} should be ${wanted} after ${move.src}:${move.outcome} and is ${call.status} (${pathOf(after.value)})`
    },
  },
  {
    name: 'a cancelled call is cancelled',
    rule: 'One call can be cancelled while the run goes on; a settled one stays as it is (DEC-09).',
    atEnd: ({ move, was, facts }) => {
      if (move?.type !== 'cancelCall') return undefined
      const before = was.calls[move.callId]
      const wanted = before === undefined || isTerminal(before.status) ? before?.status : 'cancelled'
      const status = facts.calls[move.callId]?.status
      return status === wanted || was.top === 'done' ? undefined : `${move.callId} is ${status} after cancelCall`
    },
  },
  {
    name: 'settled calls stay settled',
    rule: 'Terminal states accept nothing.',
    atHappening: ({ facts }, seen) => {
      if (seen.kind !== 'hop') return undefined
      const call = facts.calls[seen.callId]
      return call !== undefined && isTerminal(call.status) ? `${seen.callId} left ${call.status}` : undefined
    },
  },
  {
    name: 'a tool runs only in running',
    rule: 'A tool executes only in `running`, with its attempt, revision and decision (TC-01, TC-09).',
    atEnd: ({ after, facts }) => {
      for (const { src, owner, input } of after.effects) {
        if (src !== 'runTool') continue
        const call = facts.calls[owner]
        if (call?.status !== 'running') return `${owner} executes while ${call?.status}`
        const { attempt, revision, decisionId } = input as {
          attempt: number
          revision: number
          decisionId: string | null
        }
        if (attempt !== call.attempts) return `${owner} runs as attempt ${attempt}, not ${call.attempts}`
        if (revision !== call.revision) return `${owner} runs with revision ${revision}, not ${call.revision}`
        if ((decisionId !== null) !== call.isReplay) return `${owner} runs with decision ${decisionId}`
      }
      return undefined
    },
  },
  {
    name: 'a tool that failed is tried again once its wait is over',
    rule: 'Between two attempts a call only sleeps until the time that was said; one that must not run twice never does.',
    atEnd: ({ after, facts }) => {
      for (const [callId, { status, isBackingOff, failures, plan }] of callsOf(facts)) {
        const own = after.effects.filter(({ owner }) => owner === callId)
        if (status !== 'running') continue
        if (failures > 0 && plan.effects === 'once') return `${callId} is tried again, and must not run twice`
        const wanted = isBackingOff ? `sleep until ${retriedAt}` : `runTool after ${failures} failures`
        const found = own.map(({ src, input }) => waitOrAttempt(src, input)).join(', ')
        if (found !== wanted) return `${callId} has ${found} under way, not ${wanted}`
      }
      return undefined
    },
  },
  {
    name: 'exactly one result',
    rule: 'Every settled call has exactly one result, every other none.',
    atEnd: ({ facts }) => {
      for (const [callId, call] of callsOf(facts)) {
        const wanted = isTerminal(call.status) ? 1 : 0
        if (call.results !== wanted) return `${callId} is ${call.status} with ${call.results} results`
        if (facts.top === 'done' && wanted === 0) return `the run is done and ${callId} is ${call.status}`
      }
      return undefined
    },
  },
  {
    name: 'results say why',
    rule: 'The texts of results without a tool are contracts.',
    atHappening: (observed, seen) => {
      if (seen.kind !== 'write' || seen.write.kind !== 'result') return undefined
      const { callId, text } = seen.write
      const wanted = resultText(callId, text, observed)
      return wanted.includes(text) ? undefined : `${callId} answers "${text}", not "${wanted.join('" or "')}"`
    },
  },
]

function waitOrAttempt(src: string, input: unknown): string {
  const { due, failures } = input as { readonly due?: number; readonly failures?: number }
  return src === 'sleep' ? `sleep until ${due}` : `${src} after ${failures} failures`
}

const interruptedText = '[Interrupted: the tool may or may not have run.]'
const unfinishedText = '[Tool execution was interrupted before producing a result.]'
const deniedText = 'User denied the action'

function isDenied({ status, answer, kept }: CallFacts): boolean {
  return status === 'suspended' && (answer ?? kept) === 'cancel'
}

function resultText(callId: string, text: string, observed: Observed): readonly string[] {
  const { facts, move } = observed
  const call = facts.calls[callId]
  if (call === undefined) return []
  const { verdict } = call.plan
  if (verdict.kind === 'skipped') return [verdict.text]
  const isHanging = call.status === 'suspended' && call.isInterrupted
  if (isHanging) return [interruptedText]
  if (move?.type === 'cancelCall' && move.callId === callId) return ['User cancelled the action']
  if (outcomeFor(move, callId) === 'sleep:done') return text.startsWith('[Cancelled:') ? [text] : ['an expiry text']
  if (isRunEnding(observed)) return [unfinishedText, ...(isDenied(call) ? [deniedText] : [])]
  if (isDenied(call)) return [deniedText]
  if (call.status === 'resuming') return ['Blocked.']
  if (facts.askedOutcome?.reason === 'plugin_requested') return [unfinishedText]
  if (call.isRepeated) return ['[Not executed: repeated call.]']
  if (text === skippedText)
    return call.status === 'new' && mayBeSkipped(observed) ? [text] : ['no text of a stopped round']
  if (text === steeredText) {
    const isSaid = facts.said.waiting.some(({ kind }) => kind === 'steer')
    return call.status === 'new' && isSaid ? [text] : ['no text of a round nobody steered']
  }
  return call.verdict === 'refused' ? ['Blocked.'] : []
}

/** Returns true if a call of the round has an unanswered suspension and the executor stops at suspensions. */
function mayBeSkipped({ facts, configuration }: Observed): boolean {
  const isStopped = facts.round.some((callId) => facts.calls[callId]?.status === 'suspended')
  return isStopped && configuration.options.executor.stopsOnSuspension
}
