import { isTerminal } from '../../core/domain/call.ts'
import type { Happening } from './exploration-types.ts'
import { type CallFacts, callsOf, type Facts } from './facts.ts'
import { type Invariant, isStart, pathOf, type Observed } from './invariant.ts'

/** Returns the calls of a round that may run in parallel, in order: a second implementation of the executor. */
function batchesOf({ round, calls }: Facts, size: number | null): readonly (readonly string[])[] {
  const batches: string[][] = []
  let isOpen = false
  for (const callId of round) {
    const isAlone = calls[callId]?.plan.isExclusive === true
    const last = batches.at(-1)
    if (isOpen && !isAlone && last !== undefined && (size === null || last.length < size)) last.push(callId)
    else batches.push([callId])
    isOpen = !isAlone
  }
  return batches
}

function earlierCalls(observed: Observed, callId: string): readonly CallFacts[] {
  const { facts, configuration } = observed
  const batches = batchesOf(facts, configuration.options.executor.batchSize)
  const index = batches.findIndex((batch) => batch.includes(callId))
  return batches.slice(0, Math.max(index, 0)).flatMap((batch) => batch.flatMap((id) => facts.calls[id] ?? []))
}

function activeCalls({ facts }: Observed): readonly CallFacts[] {
  return callsOf(facts).flatMap(([, call]) => (['running', 'resuming'].includes(call.status) ? call : []))
}

/** Returns true if a delivered answer may still be queued. */
function mayBeQueued(observed: Observed, call: CallFacts): boolean {
  const { after, configuration } = observed
  const { decisions, executor } = configuration.options
  const path = pathOf(after.value)
  const inFlight = path.startsWith('running.turn.callingModel') || path.startsWith('running.toolRound')
  const isGate = path.startsWith('running.resumeGate')
  if (path === 'waiting') return false
  if (!inFlight && !isGate) return true
  if (inFlight && decisions === 'gate') return true
  const active = activeCalls(observed)
  const isCrowded = executor.batchSize !== null || call.plan.isExclusive || active.some(({ plan }) => plan.isExclusive)
  const isBusy =
    active.length > 0 || callsOf(observed.facts).some(([id, other]) => other.status === 'new' && isAtGate(observed, id))
  return call.answer === 'resume' && isCrowded && isBusy
}

function isAtGate({ after }: Observed, callId: string): boolean {
  return pathOf(after.calls[callId] ?? '') === 'new.gating'
}

type Hop = Extract<Happening, { kind: 'hop' }>

/** Rules of the calls of one turn: their order and concurrency, their answers, and their records. */
export const invariantsOfRounds: readonly Invariant[] = [
  {
    name: 'calls start in order',
    rule: 'A call starts when every call of the batches before it has come out, none suspended where that stops (TC-05).',
    atHappening: (observed, seen) => {
      if (seen.kind !== 'hop' || !isStart(seen, observed.facts.calls[seen.callId]?.verdict ?? null)) return undefined
      const earlier = earlierCalls(observed, seen.callId)
      if (earlier.some(({ status }) => ['new', 'running', 'resuming'].includes(status)))
        return `${seen.callId} started too early`
      const isStopped = earlier.some(({ status }) => status === 'suspended')
      const stops = observed.configuration.options.executor.stopsOnSuspension
      return isStopped && stops ? `${seen.callId} started in a stopped round` : undefined
    },
  },
  {
    name: 'no more run than may',
    rule: 'The executor bounds what runs side by side; an exclusive call runs alone (TC-05).',
    atEnd: (observed) => {
      const active = activeCalls(observed)
      if (active.length > 1 && active.some(({ plan }) => plan.isExclusive))
        return 'an exclusive call runs beside another'
      const { batchSize } = observed.configuration.options.executor
      return active.length > (batchSize ?? active.length)
        ? `${active.length} calls run in batches of ${batchSize}`
        : undefined
    },
  },
  {
    name: 'calls that may start have started',
    rule: 'Every call of a batch whose turn has come is on its way.',
    atEnd: (observed) => {
      const { facts, after } = observed
      for (const [callId, call] of callsOf(facts)) {
        if (call.status !== 'new' || pathOf(after.calls[callId] ?? '') !== 'new.queued') continue
        const earlier = earlierCalls(observed, callId)
        const isHeld = earlier.some((other) => ['new', 'running', 'resuming'].includes(other.status))
        if (!isHeld && activeCalls(observed).length === 0) return `${callId} is left in the queue`
      }
      return undefined
    },
  },
  {
    name: 'answers are handed on',
    rule: 'A decision reaches its call at once or at the next gate, by the option (RUN-08, DEC-04).',
    atEnd: (observed) => {
      for (const [callId, call] of callsOf(observed.facts)) {
        if (call.status !== 'suspended' || call.answer === null) continue
        const isReviewed = pathOf(observed.after.calls[callId] ?? '') === 'suspended.reviewing'
        if (!isReviewed && !mayBeQueued(observed, call))
          return `the answer to ${callId} lies in ${pathOf(observed.after.value)}`
      }
      return undefined
    },
    atHappening: ({ facts, configuration, before }, seen) => {
      if (seen.kind !== 'hop' || seen.from !== 'suspended' || configuration.options.decisions !== 'gate')
        return undefined
      const isInFlight = before !== undefined && /^running\.(turn\.callingModel|toolRound)/.test(pathOf(before.value))
      const call = facts.calls[seen.callId]
      const isEarly = isInFlight && call?.answer === 'resume' && call.kept === null && facts.owesResults
      return isEarly && !facts.round.includes(seen.callId) ? `${seen.callId} was replayed before the gate` : undefined
    },
  },
  {
    name: 'kept decisions answer the first suspension',
    rule: 'A kept decision is used at the first suspension and told to the store, never for an interrupted call (DEC-04).',
    atEnd: (observed) => {
      const { facts, happenings, after } = observed
      const told = happenings.flatMap((seen) =>
        seen.kind === 'write' && seen.write.kind === 'keptDecision' ? seen.write : [],
      )
      const used = happenings.filter((seen) => seen.kind === 'hop' && isUse(seen, observed))
      if (told.length !== used.length) return `${told.length} uses of kept decisions told, ${used.length} seen`
      const forgotten = callsOf(facts).find(
        ([callId, call]) =>
          pathOf(after.calls[callId] ?? '') === 'suspended.resting' &&
          call.suspensions === 1 &&
          call.kept !== null &&
          !call.isInterrupted,
      )
      return forgotten && `the decision kept for ${forgotten[0]} was not used`
    },
  },
  {
    name: 'suspensions are recorded',
    rule: 'A suspension a gate asked for is written with its id before anybody can answer it.',
    atEnd: ({ happenings }) => {
      const written = happenings.flatMap((seen) =>
        seen.kind === 'write' && seen.write.kind === 'suspension' ? seen.write : [],
      )
      const byGate = happenings.filter(
        (seen) => seen.kind === 'hop' && seen.to === 'suspended' && ['new', 'resuming'].includes(seen.from),
      )
      if (written.length !== byGate.length) return `${written.length} suspensions written, ${byGate.length} made`
      return written.some(({ suspension }) => suspension.id === '')
        ? 'a suspension was written without an id'
        : undefined
    },
  },
  {
    name: 'state changes are applied once',
    rule: 'The changes of settled calls are applied once, in order, before anybody reads them (RUN-11).',
    atHappening: ({ facts, configuration }, seen) => {
      if (seen.kind !== 'effect' || !['callModel', 'runTool'].includes(seen.effect.src)) return undefined
      const isBlind = seen.effect.src === 'runTool' && configuration.options.executor.batchSize === null
      const late = callsOf(facts).find(([, call]) => call.hasPatch && isTerminal(call.status) && call.patches === 0)
      if (isBlind || late === undefined) return undefined
      const isReplay = late[1].isReplay || facts.calls[seen.effect.owner]?.isReplay === true
      const isBeside =
        seen.effect.src === 'runTool' && (isReplay || isSameBatch(facts, configuration, late[0], seen.effect.owner))
      return isBeside ? undefined : `${seen.effect.owner} started before the changes of ${late[0]}`
    },
    atEnd: ({ facts }) => {
      const made = callsOf(facts).find(([, call]) => call.patches > 0 && !call.hasPatch)
      if (made !== undefined) return `changes of ${made[0]} were applied that it never asked for`
      const isLost = ([, call]: readonly [string, CallFacts]) =>
        call.isCheckpointed && call.hasPatch && call.patches === 0
      const lost = facts.top === 'done' ? undefined : callsOf(facts).find(isLost)
      return lost && `the changes of ${lost[0]} were never applied`
    },
  },
  {
    name: 'late results are published',
    rule: 'A result whose slot showed a placeholder is told again, once.',
    atEnd: ({ facts }) => {
      for (const [callId, call] of callsOf(facts)) {
        const wanted = call.isCheckpointed && call.hasPlaceholder ? 1 : 0
        if (call.lateResults !== wanted) return `${callId}: ${call.lateResults} late results, not ${wanted}`
        if (isTerminal(call.status) && facts.top === 'done' && !call.isCheckpointed)
          return `${callId} was never published`
      }
      return undefined
    },
    atHappening: ({ facts }, seen) => {
      if (seen.kind !== 'write' || seen.write.kind !== 'call' || seen.write.patch.placeholder !== true) return undefined
      const call = facts.calls[seen.write.callId]
      return call?.status === 'suspended' && !call.hasPlaceholder ? undefined : `${seen.write.callId} got a placeholder`
    },
  },
  {
    name: 'reviews follow every outcome',
    rule: 'Phase reviewCall runs for every gated call and every outcome, what a cancelled run or one out of time takes with it left out (TC-04).',
    atEnd: ({ facts, was, happenings, configuration, move }) => {
      const isTimeOver = was.isTimeOver || facts.isTimeOver || (move?.type === 'complete' && move.src === 'keepTime')
      const isEnding = facts.verdict !== null || isTimeOver
      const isWatched = configuration.options.watched.includes('reviewCall')
      for (const [callId, call] of callsOf(facts)) {
        const outcomes = happenings.filter((seen) => isOutcome(seen, callId, isEnding))
        const reviews = happenings.filter(
          (seen) => seen.kind === 'effect' && seen.effect.src === 'reviewCall' && seen.effect.owner === callId,
        )
        const wanted = isWatched && call.isGated && !call.isHold ? outcomes.length : 0
        if (reviews.length !== wanted) return `${callId}: ${reviews.length} reviews for ${wanted} outcomes`
      }
      return undefined
    },
  },
  {
    name: 'model calls follow the rules of retries',
    rule: 'Attempts, fallbacks and continuations are counted as told to the model (PRV-05, PRV-10).',
    atHappening: ({ facts }, seen) => {
      if (seen.kind !== 'effect' || seen.effect.src !== 'callModel') return undefined
      const { turn, isFinishing, failures, modelIndex, continuations } = facts
      const correcting = facts.said.isCorrecting ? { isCorrecting: true } : {}
      const summarised = facts.summaries > 0 ? { isSummarised: true } : {}
      const bare = facts.omissions > 0 ? { refusal: givenRefusal } : {}
      const wanted = { turn, isFinishing, ...correcting, modelIndex, failures, continuations, ...summarised, ...bare }
      const had = JSON.stringify(seen.effect.input)
      return had === JSON.stringify(wanted) ? undefined : `asked ${had}, not ${JSON.stringify(wanted)}`
    },
  },
  {
    name: 'credentials are refreshed once',
    rule: 'New credentials are asked for where they were refused, of that model, once a model call (PRV-05).',
    atHappening: ({ facts, move }, seen) => {
      if (seen.kind !== 'effect' || seen.effect.src !== 'refreshCredentials') return undefined
      const { modelIndex } = seen.effect.input as { modelIndex: number }
      if (modelIndex !== facts.modelIndex) return `model ${modelIndex} was refreshed, not ${facts.modelIndex}`
      if (move?.type !== 'complete' || move.outcome !== 'unauthorized') return 'no credentials were refused'
      return facts.refreshes === 0 ? undefined : 'the credentials were refreshed again'
    },
    atEnd: ({ move, was, happenings }) => {
      if (move?.type !== 'complete' || was.verdict !== null) return undefined
      const sources = happenings.flatMap((seen) => (seen.kind === 'effect' ? seen.effect.src : []))
      const mustRefresh = move.outcome === 'unauthorized' && was.refreshes === 0
      if (mustRefresh && !sources.includes('refreshCredentials')) return 'refused credentials were not refreshed'
      const mustAsk = move.src === 'refreshCredentials' && move.outcome === 'refreshed'
      return mustAsk && !sources.includes('callModel') ? 'the model was not asked with its new credentials' : undefined
    },
  },
  {
    name: 'a prompt is made smaller once',
    rule: 'A prompt is made smaller where it was refused as too long, once a model call, and is asked with again (PRV-06).',
    atHappening: ({ facts, move }, seen) => {
      if (seen.kind !== 'effect' || seen.effect.src !== 'compactPrompt') return undefined
      const { modelIndex, turn } = seen.effect.input as { modelIndex: number; turn: number }
      if (modelIndex !== facts.modelIndex || turn !== facts.turn) return 'the prompt of another call was made smaller'
      if (move?.type !== 'complete' || move.outcome !== 'overflowed') return 'no prompt was refused'
      return facts.recoveries === 0 ? undefined : 'the prompt was made smaller again'
    },
    atEnd: ({ move, was, happenings }) => {
      if (move?.type !== 'complete' || was.verdict !== null) return undefined
      const sources = happenings.flatMap((seen) => (seen.kind === 'effect' ? seen.effect.src : []))
      const mustShrink = move.outcome === 'overflowed' && was.recoveries === 0
      if (mustShrink && !sources.includes('compactPrompt')) return 'a prompt that was refused was not made smaller'
      const mustAsk = move.src === 'compactPrompt' && move.outcome === 'compacted'
      return mustAsk && !sources.includes('callModel') ? 'the model was not asked with the smaller prompt' : undefined
    },
  },
]

/** The reason of every refusal of media in an exploration. */
const givenRefusal = 'No picture.'

function isSameBatch(facts: Facts, { options }: Observed['configuration'], left: string, right: string): boolean {
  return batchesOf(facts, options.executor.batchSize).some((batch) => batch.includes(left) && batch.includes(right))
}

/** Returns true if the call left its suspension because of a kept decision. */
function isUse({ from, to, callId }: Hop, { was, move }: Observed): boolean {
  if (from !== 'suspended' || was.calls[callId]?.isInterrupted === true) return false
  const isNow = move?.type === 'decide' && move.callId === callId && move.answers === 'first'
  const kept = isNow ? move.action : (was.calls[callId]?.kept ?? null)
  if (kept === 'resume') return to === 'resuming'
  return kept === 'cancel' && to === 'cancelled' && (isNow || move?.type === 'complete')
}

function isOutcome(seen: Happening, callId: string, isEnding: boolean): boolean {
  if (seen.kind !== 'hop' || seen.callId !== callId) return false
  if (isTerminal(seen.to)) return !(seen.to === 'cancelled' && isEnding)
  return seen.to === 'suspended'
}
