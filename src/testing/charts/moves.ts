import { isTerminal } from '../../core/domain/call.ts'
import type { Configuration, Move, OpenEffect, SaidKind, Standing } from './exploration-types.ts'
import { callsOf, type CallFacts, type Facts } from './facts.ts'
import { callsOfTurn } from './move-outcomes.ts'

/** Returns every move that is possible in a run of a configuration. */
export function movesOf(standing: Standing, facts: Facts, configuration: Configuration): readonly Move[] {
  const { interference } = configuration
  const completions = standing.effects.flatMap((effect) =>
    outcomesOf(effect, facts, configuration).map((outcome): Move => {
      const { owner, src } = effect
      return { type: 'complete', owner, src, outcome }
    }),
  )
  const isKnown = (call: CallFacts) => !(facts.owesTurn && call.status === 'new')
  const stored = callsOf(facts).filter(([, call]) => isKnown(call))
  const ofCalls = stored.flatMap(([callId, call]) => movesOfCall(callId, call, configuration))
  return [
    ...completions,
    ...ofCalls.filter((move) => !isRepeat(move, standing)),
    ...sayings(facts, interference.says ?? []),
    ...(interference.cancelRun === true ? [{ type: 'cancelRun' as const }] : []),
    ...(interference.wake === true ? [{ type: 'wake' as const }] : []),
    ...(interference.fail === true ? [{ type: 'fail' as const }] : []),
    ...(interference.strays === true ? [{ type: 'cancelCall' as const, callId: 'nobody' }] : []),
  ]
}

function sayings({ top, said }: Facts, kinds: readonly SaidKind[]): readonly Move[] {
  if (top === 'done') return []
  return [...new Set(kinds)].flatMap((kind): readonly Move[] => {
    const count = said.counts[kind] + 1
    return count > kinds.filter((other) => other === kind).length ? [] : [{ type: 'say', kind, count }]
  })
}

/** Returns true if the late answer was already delivered; the run keeps it until the call has settled. */
function isRepeat(move: Move, { text }: Standing): boolean {
  return move.type === 'decide' && move.answers === 'past' && text.includes('"past')
}

function outcomesOf({ src, owner, input }: OpenEffect, facts: Facts, configuration: Configuration): readonly string[] {
  const { outcomes, maxSuspensions } = configuration
  const maySuspend = (facts.calls[owner]?.suspensions ?? 0) < maxSuspensions
  const trim = (names: readonly string[]) => names.filter((name) => name !== 'suspended' || maySuspend)
  switch (src) {
    case 'callModel':
      return modelOutcomes(input as ModelInput, configuration).filter(
        (name) => !['busy', 'unauthorized', 'asking'].includes(name) || mayHoldForModel(facts, configuration),
      )
    case 'refreshCredentials':
      return outcomes.refreshCredentials ?? ['refreshed']
    case 'compactPrompt':
      return (outcomes.compactPrompt ?? ['compacted']).filter((name) => name !== 'outgrown' || maySummarise(input))
    case 'summarise':
      return ['summarised']
    case 'gateCall':
      return trim(outcomes.gateCall ?? ['allowed'])
    case 'runTool':
      return trim(outcomes.runTool ?? ['succeeded']).filter((name) => name !== 'retried' || mayRetry(facts, owner))
    case 'gateReplay':
      return trim(outcomes.gateReplay ?? ['allowed'])
    case 'ask':
      return phaseOutcomes(input as PhaseInput, configuration)
    case 'filterInput':
      return outcomes.filterInput ?? ['passed']
    case 'buildContext':
      return outcomes.buildContext ?? ['kept']
    case 'askManager':
      return outcomes.askManager ?? ['asked']
    case 'keepTime':
      return (input as { forMs: number | null }).forMs === null ? [] : ['over']
    case 'sleep':
      return isTimed(input) ? ['done'] : []
    default:
      return ['done']
  }
}

/** Returns true if the tool may be retried: never if it must run only once, and only a limited number of times. */
function mayRetry({ calls }: Facts, owner: string): boolean {
  const call = calls[owner]
  return call !== undefined && call.plan.effects !== 'once' && call.failures < 2
}

/** Returns true if the run may be held for an unreachable model or its account, which happens once in an exploration. */
function mayHoldForModel({ calls }: Facts, { options, reason }: Configuration): boolean {
  const isNeverHeld = options.onModelFailure === 'end' && reason !== 'limit'
  return isNeverHeld || Object.keys(calls).every((callId) => calls[callId]?.isHold !== true)
}

const endless = ['stepEnd', 'runEnd', 'afterTurn', 'afterRun', 'onError']

/** Returns the outcomes of a phase: none ends the run after an answer's commit, and only a run's start can hold it. */
function phaseOutcomes({ phase, isResumed }: PhaseInput, { outcomes }: Configuration): readonly string[] {
  const { ask = ['passed'] } = outcomes
  if (endless.includes(phase)) return ['passed']
  if (phase === 'beforeRun' || phase === 'beforeTurn') return ask.filter((name) => ['passed', 'stopped'].includes(name))
  const mayHold = phase === 'runStart' && isResumed !== true
  return mayHold ? ask : ask.filter((name) => name !== 'held')
}

interface PhaseInput {
  readonly phase: string
  readonly isResumed?: boolean
}

interface ModelInput {
  readonly turn: number
  readonly continuations: number
  readonly isFinishing: boolean
  readonly isSummarised?: boolean
}

/** Returns the outcomes of a model call: a finishing call has no tools, and the last continuation is complete. */
function modelOutcomes(
  { turn, continuations, isFinishing, isSummarised }: ModelInput,
  configuration: Configuration,
): readonly string[] {
  const hasCalls = callsOfTurn(configuration, turn).length > 0 && !isFinishing
  return (configuration.outcomes.callModel ?? ['calls', 'text']).filter(
    (name) =>
      (name !== 'calls' || hasCalls) &&
      (!['unfit', 'spoiled'].includes(name) || !hasCalls) &&
      (name !== 'text' || !hasCalls || configuration.outcomes.callModel?.includes('text') === true) &&
      (name !== 'truncated' || continuations < 3) &&
      (name !== 'outgrown' || isSummarised !== true),
  )
}

/** Returns true if the handler may ask for a summary, which it does once per model call. */
function maySummarise(input: unknown): boolean {
  return (input as { isSummarised?: boolean }).isSummarised !== true
}

function isTimed(input: unknown): boolean {
  return (input as { due: number | null }).due !== null
}

/** Returns true if a kept decision will answer this suspension before any other decision. */
function isForestalled({ kept, suspensions, isInterrupted }: CallFacts): boolean {
  return kept !== null && suspensions === 1 && !isInterrupted
}

function movesOfCall(callId: string, call: CallFacts, { interference }: Configuration): readonly Move[] {
  const { decisions = [], kept = [], cancelCall, strays } = interference
  const isOver = isTerminal(call.status)
  const isOpen = call.status === 'suspended' && call.answer === null && !isForestalled(call)
  const mayKeep = !isOver && call.kept === null && call.answer === null && call.suspensions <= 1 && !call.isReplay
  const moves: Move[] = []
  if (isOpen) for (const action of decisions) moves.push({ type: 'decide', callId, action, answers: 'current' })
  if (mayKeep) for (const action of kept) moves.push({ type: 'decide', callId, action, answers: 'first' })
  if (cancelCall === true && call.statusWrites === 0) moves.push({ type: 'cancelCall', callId })
  if (strays === true) {
    if (call.statusWrites > 0)
      moves.push({ type: 'decide', callId, action: 'resume', answers: 'current' }, { type: 'cancelCall', callId })
    if (call.suspensions > 1) moves.push({ type: 'decide', callId, action: 'resume', answers: 'past' })
  }
  return moves
}
