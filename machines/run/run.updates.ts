import type { CallPlan } from '../../src/domain/call-plan.ts'
import type { Write } from '../../src/domain/log.ts'
import type { RunError } from '../../src/domain/outcome.ts'
import type { ModelCallInput, ModelCallOutcome } from '../model-call/model-call.types.ts'
import type { DecisionHead, ToolCallEvent, ToolCallInput, ToolCallReport } from '../tool-call/tool-call.types.ts'
import type {
  CallEntry,
  Ending,
  Limit,
  Phase,
  PhaseVerdict,
  RunAnnouncement,
  RunContext,
  RunInput,
  RunOutput,
  Streak,
} from './run.types.ts'

type Patch = Partial<RunContext>
type Settled = Extract<ToolCallReport, { type: 'toolCall.settled' }>
type Suspended = Extract<ToolCallReport, { type: 'toolCall.suspended' }>

const unfinishedText = '[Tool execution was interrupted before producing a result.]'
const sequenceText = '[Not executed: an earlier call is waiting for a decision.]'
const repeatedText = '[Not executed: repeated call.]'

export function initialContext({ options, messages }: RunInput): RunContext {
  return {
    options,
    turn: 0,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
    cost: 0,
    elapsedMs: 0,
    since: 0,
    calls: {},
    decisions: [],
    round: { batches: [], batch: 0, firsts: {} },
    answer: null,
    streak: null,
    ending: null,
    isUnheard: false,
    isResumed: false,
    input: messages,
    isFinishing: false,
    cancelNote: null,
    outcome: null,
  }
}

// Readings

export function entriesOf(context: RunContext): readonly CallEntry[] {
  return Object.values(context.calls)
}

export function isWatched({ options }: RunContext, phase: Phase): boolean {
  return options.watched.includes(phase)
}

export function hasOpenCalls(context: RunContext): boolean {
  return entriesOf(context).some((entry) => entry.status !== 'settled')
}

function isSuspended(context: RunContext): boolean {
  return entriesOf(context).some((entry) => entry.status === 'suspended')
}

function isActive(context: RunContext): boolean {
  return entriesOf(context).some((entry) => entry.status === 'active')
}

function entriesOfRound({ round, calls }: RunContext): readonly CallEntry[] {
  return round.batches.flat().flatMap((callId) => calls[callId] ?? [])
}

/** The batch in hand is over when each of its calls has come out once and none runs beside it. */
export function isBatchOver(context: RunContext): boolean {
  const { round, calls } = context
  const batch = round.batches[round.batch] ?? []
  const isOut = (callId: string) => round.firsts[callId] !== undefined || calls[callId]?.status === 'settled'
  return batch.every(isOut) && !isExecutorBusy(context)
}

/** Replays count as busy only where the executor would run nothing beside them. */
function isExecutorBusy(context: RunContext): boolean {
  const last = context.round.batch >= context.round.batches.length - 1
  return !last && isActive(context)
}

function isLastBatch({ round }: RunContext): boolean {
  return round.batch >= round.batches.length - 1
}

/** A suspension no decision has answered stops a sequential or batched round. */
function isRoundStopped(context: RunContext): boolean {
  if (!context.options.executor.stopsOnSuspension) return false
  return entriesOfRound(context).some((entry) => entry.status === 'suspended')
}

export function isRoundOver(context: RunContext): boolean {
  return isBatchOver(context) && isLastBatch(context)
}

export function mustSkipRest(context: RunContext): boolean {
  return isRoundStopped(context) && !isLastBatch(context)
}

interface Conflict {
  readonly path: string
  readonly calls: readonly [string, string]
}

/** Two calls that share one view of the state and ask to change one path of it; replays never conflict. */
function findConflict(context: RunContext): Conflict | undefined {
  const owned: { path: string; callId: string }[] = []
  for (const { callId, paths, isReplay } of entriesThatShareState(context)) {
    if (isReplay) continue
    for (const path of paths) {
      const other = owned.find((owner) => owner.callId !== callId && overlaps(path, owner.path))
      if (other !== undefined) return { path, calls: [other.callId, callId] }
      owned.push({ path, callId })
    }
  }
  return undefined
}

/** Parallel calls see the state of the round's start, others that of their batch's start. */
function entriesThatShareState(context: RunContext): readonly CallEntry[] {
  if (context.options.executor.batchSize === null) return entriesOfRound(context)
  const batch = context.round.batches[context.round.batch] ?? []
  return batch.flatMap((callId) => context.calls[callId] ?? [])
}

function overlaps(left: string, right: string): boolean {
  return left === right || left.startsWith(`${right}/`) || right.startsWith(`${left}/`)
}

export function hasConflict(context: RunContext): boolean {
  return isBatchOver(context) && findConflict(context) !== undefined
}

/** Decisions whose call is suspended and may start beside what runs now. */
export function applicable(context: RunContext): readonly DecisionHead[] {
  const order = Object.keys(context.calls)
  const ready = context.decisions
    .filter(({ callId, suspensionId }) => {
      const entry = context.calls[callId]
      return entry?.status === 'suspended' && entry.suspension?.id === suspensionId
    })
    .toSorted((left, right) => order.indexOf(left.callId) - order.indexOf(right.callId))
  const busy = entriesOf(context).filter((entry) => entry.status === 'active')
  return ready.filter(({ callId, action }) => {
    const entry = context.calls[callId]
    if (action === 'cancel' || entry === undefined) return true
    if (!mayRunBeside(context, [entry], busy)) return false
    busy.push(entry)
    return true
  })
}

/** Whether calls may start while others run, as the executor and exclusive tools have it. */
function mayRunBeside({ options }: RunContext, starting: readonly CallEntry[], busy: readonly CallEntry[]): boolean {
  if (busy.length === 0) return true
  return options.executor.batchSize === null && ![...starting, ...busy].some((entry) => entry.isExclusive)
}

export function hasApplicable(context: RunContext): boolean {
  return applicable(context).length > 0
}

/** Whether decisions go to their calls while inference or tools are in flight (SEMANTICS §2). */
export function appliesAtOnce(context: RunContext): boolean {
  return context.options.decisions === 'immediate' && hasApplicable(context)
}

/** The gate replays while a decision can be handed on or a call is on its way to its result. */
export function mustReplay(context: RunContext): boolean {
  return isActive(context) || hasApplicable(context)
}

export function isReplayOver(context: RunContext): boolean {
  return !mustReplay(context)
}

export function hasUnpublished(context: RunContext): boolean {
  return entriesOf(context).some((entry) => entry.status === 'settled')
}

const blockingReasons = ['interrupted', 'service', 'permission', 'subAgent']

/** The waiting rule (requirement RUN-03; SEMANTICS §2, cases a to c). */
export function mustWait(context: RunContext): boolean {
  if (!isSuspended(context)) return false
  const { options, ending, isResumed } = context
  if (ending !== null || isResumed || options.onPartialSuspension === 'wait') return true
  if (reachesLimit(context, 'finish')) return true
  return hasBlockingCall(context) || isRoundSuspended(context)
}

function hasBlockingCall(context: RunContext): boolean {
  return entriesOf(context).some(({ status, suspension, waits, isHold }) => {
    if (status === 'suspended' && isHold) return true
    if (status !== 'suspended' || suspension === null || !blockingReasons.includes(suspension.reason)) return false
    return suspension.reason === 'interrupted' || suspension.reason === 'permission' || waits
  })
}

/** Every call gated in the round suspended at its first outcome, whatever a decision made of it since. */
function isRoundSuspended({ round, calls }: RunContext): boolean {
  const firsts = Object.values(round.firsts)
  const isOneLeft = round.batches.flat().some((callId) => calls[callId]?.status === 'suspended')
  return isOneLeft && firsts.every((first) => first === 'suspended')
}

/** A cancelled or failed run ends once none of its calls is open. */
export function mustSettle(context: RunContext): boolean {
  const { outcome } = context
  return (outcome?.reason === 'cancelled' || outcome?.reason === 'error') && hasOpenCalls(context)
}

export function newEntries(context: RunContext): readonly CallEntry[] {
  return entriesOf(context).filter((entry) => entry.status === 'new')
}

/** False for every call of a round that has to wait for a replay before it starts. */
export function isInFirstBatch({ round }: RunContext, callId: string): boolean {
  return round.batches[round.batch]?.includes(callId) === true
}

/** Calls of the batch in hand that nobody has cancelled before their turn. */
export function batchInHand({ round, calls }: RunContext): readonly string[] {
  return (round.batches[round.batch] ?? []).filter((callId) => calls[callId]?.status === 'new')
}

export function openCallIds(context: RunContext): readonly string[] {
  return entriesOf(context)
    .filter((entry) => entry.status !== 'settled')
    .map((entry) => entry.callId)
}

/** The calls an ending takes with it; a wait or a natural end takes none. */
export function callIdsToCancel(context: RunContext): readonly string[] {
  return mustSettle(context) ? openCallIds(context) : []
}

export function isUnheardAtEnd({ ending, isUnheard }: RunContext): boolean {
  return ending?.reason === 'natural_end' && isUnheard
}

/** The first limit reached, in the order given. */
export function reachedLimit(context: RunContext): Limit | undefined {
  return context.options.limits.find((limit) => consumed(context, limit) >= limit.max)
}

function consumed(context: RunContext, { code }: Limit): number {
  switch (code) {
    case 'max_turns':
    case 'max_tool_interactions':
      return context.turn
    case 'max_tokens':
      return context.usage.totalTokens
    case 'max_duration':
      return context.elapsedMs
    case 'max_cost':
      return context.cost
  }
}

export function reachesLimit(context: RunContext, action: Limit['action']): boolean {
  return reachedLimit(context)?.action === action
}

export function hasCalls({ answer }: RunContext): boolean {
  return answer !== null && answer.calls.length > 0
}

/** Any ending but `stopped` leaves the round out. */
export function skipsRound(context: RunContext): boolean {
  return hasCalls(context) && context.ending?.reason === 'plugin_requested'
}

export function isKnownCall(context: RunContext, callId: string): boolean {
  const entry = context.calls[callId]
  return entry !== undefined && entry.status !== 'settled'
}

// Updates

function patchCall(context: RunContext, callId: string, patch: Partial<CallEntry>): RunContext['calls'] {
  const entry = context.calls[callId]
  return entry === undefined ? context.calls : { ...context.calls, [callId]: { ...entry, ...patch } }
}

/** Counts running time; time spent waiting is left out by `stopClock`. */
function tick({ elapsedMs, since }: RunContext, at: number): Patch {
  if (at <= since) return {}
  return { elapsedMs: elapsedMs + (since === 0 ? 0 : at - since), since: at }
}

export function stopClock(): Patch {
  return { since: 0 }
}

export function takeInput(): Patch {
  return { input: [] }
}

export function takeTurnStart(context: RunContext): Patch {
  return { turn: context.turn + 1, isUnheard: false, isResumed: false }
}

export function takeAnswer(context: RunContext, outcome: ModelCallOutcome): Patch {
  if (outcome.status === 'failed') return { outcome: { reason: 'error', error: outcome.error } }
  const { answer } = outcome
  return {
    ...tick({ ...context, ...tick(context, answer.startedAt ?? answer.at) }, answer.at),
    answer,
    cost: context.cost + answer.cost,
    usage: {
      input: context.usage.input + answer.usage.input,
      output: context.usage.output + answer.usage.output,
      cacheRead: context.usage.cacheRead + answer.usage.cacheRead,
      cacheWrite: context.usage.cacheWrite + answer.usage.cacheWrite,
      totalTokens: context.usage.totalTokens + answer.usage.totalTokens,
    },
  }
}

export function takePhase(context: RunContext, { terminate, at }: PhaseVerdict): Patch {
  const time = tick(context, at)
  if (terminate === undefined) return time
  const { code } = terminate
  return { ...time, ending: code === undefined ? { reason: 'plugin_requested' } : { reason: 'stopped', code } }
}

/** Enters the calls of the answer, cut into batches. */
export function openRound(context: RunContext): Patch {
  const plans = plansOf(context)
  const entries = plans.map((plan): [string, CallEntry] => [plan.callId, newEntry(plan, 'new')])
  const batches = cutBatches(plans, context.options.executor.batchSize)
  const isRepeated = plans.some((plan, index) => plan !== context.answer?.calls[index])
  return {
    calls: { ...context.calls, ...Object.fromEntries(entries) },
    round: { batches, batch: mayStartFirst(context, batches[0] ?? [], entries) ? 0 : -1, firsts: {} },
    ...(isRepeated ? { ending: { reason: 'stopped', code: 'loop_detected' } } : {}),
  }
}

/** Calls of an answer the run ends before it got to; they are cancelled like any others. */
export function openLeftAnswer(context: RunContext): Patch {
  return context.answer === null ? {} : openRound(context)
}

/** A replay that still runs may keep the first batch from starting beside it. */
function mayStartFirst(
  context: RunContext,
  batch: readonly string[],
  entries: readonly (readonly [string, CallEntry])[],
): boolean {
  const starting = entries.filter(([callId]) => batch.includes(callId)).map(([, entry]) => entry)
  const busy = entriesOf(context).filter((entry) => entry.status === 'active')
  return mayRunBeside(context, starting, busy)
}

function newEntry(
  { callId, isExclusive, waits, callHash, isHold = false }: CallPlan,
  status: CallEntry['status'],
): CallEntry {
  return {
    callId,
    isExclusive,
    waits,
    callHash,
    isHold,
    status,
    suspension: null,
    hasPlaceholder: false,
    isReplay: false,
    resultHash: null,
    paths: [],
  }
}

/** Enters the suspensions of the run itself beside its calls. */
export function takeHolds(context: RunContext, { holds = [] }: PhaseVerdict): Patch {
  const entries = holds.map((plan): [string, CallEntry] => [plan.callId, newEntry(plan, 'active')])
  return { calls: { ...context.calls, ...Object.fromEntries(entries) } }
}

/** The calls of the answer, each with the verdict the streak leaves it. */
export function plansOf(context: RunContext): readonly CallPlan[] {
  const { options, streak, answer } = context
  const plans = answer?.calls ?? []
  if (!options.stopsOnRepeat || options.repeatLimit === 0) return plans
  if (streak === null || streak.count < options.repeatLimit) return plans
  const other = plans.findIndex((plan) => plan.callHash !== streak.callHash)
  return plans.map((plan, index) => (other < 0 || index < other ? refuseRepeated(plan) : plan))
}

function refuseRepeated(plan: CallPlan): CallPlan {
  return { ...plan, verdict: { kind: 'refused', text: repeatedText } }
}

function cutBatches(plans: readonly CallPlan[], size: number | null): readonly (readonly string[])[] {
  const batches: string[][] = []
  let open: string[] | undefined
  for (const { callId, isExclusive } of plans) {
    if (isExclusive) {
      batches.push([callId])
      open = undefined
    } else if (open === undefined || (size !== null && open.length >= size)) {
      open = [callId]
      batches.push(open)
    } else {
      open.push(callId)
    }
  }
  return batches
}

/** The calls have their actors; the answer has been read. */
export function closeAnswer(): Patch {
  return { answer: null }
}

/** Marks the batch in hand as started. */
export function startBatch(context: RunContext): Patch {
  let calls = context.calls
  for (const callId of batchInHand(context)) calls = patchCall({ ...context, calls }, callId, { status: 'active' })
  return { calls }
}

export function nextBatch({ round }: RunContext): Patch {
  return { round: { ...round, batch: round.batch + 1 } }
}

/** Calls of later batches, which a stopped round leaves out. */
export function restOfRound({ round, calls }: RunContext): readonly string[] {
  const rest = round.batches.slice(round.batch + 1).flat()
  return rest.filter((callId) => calls[callId]?.status === 'new')
}

export function closeBatches({ round }: RunContext): Patch {
  return { round: { ...round, batch: round.batches.length - 1 } }
}

export function takeSuspension(context: RunContext, report: Suspended): Patch {
  const { callId, suspension, isAnswered, at } = report
  return {
    ...tick(context, at),
    round: takeFirst(context, callId, 'suspended'),
    calls: patchCall(context, callId, {
      status: isAnswered ? 'active' : 'suspended',
      suspension,
      isReplay: isAnswered,
    }),
  }
}

function takeFirst({ round }: RunContext, callId: string, first: 'suspended' | 'settled'): RunContext['round'] {
  if (round.firsts[callId] !== undefined || !round.batches.flat().includes(callId)) return round
  return { ...round, firsts: { ...round.firsts, [callId]: first } }
}

export function takeSettlement(context: RunContext, report: Settled): Patch {
  const { callId, status, wasGated, resultHash, paths, at } = report
  return {
    ...tick(context, at),
    round: wasGated ? takeFirst(context, callId, 'settled') : context.round,
    calls: patchCall(context, callId, {
      status: 'settled',
      resultHash,
      paths,
    }),
    decisions: context.decisions.filter((decision) => decision.callId !== callId),
    ...(status === 'cancelled' && context.calls[callId]?.isHold ? { ending: { reason: 'plugin_requested' } } : {}),
  }
}

export function queueDecision(context: RunContext, decision: DecisionHead): Patch {
  return { decisions: [...context.decisions, decision] }
}

/** Marks the calls of applicable decisions as active and takes those decisions off the queue. */
export function markApplied(context: RunContext): Patch {
  const taken = applicable(context)
  let calls = context.calls
  for (const { callId } of taken) calls = patchCall({ ...context, calls }, callId, { status: 'active', isReplay: true })
  return { calls, decisions: context.decisions.filter((decision) => !taken.includes(decision)) }
}

/** Forgets settled calls whose results are in the transcript and moves the streak on. */
export function publish(context: RunContext): Patch {
  const open = Object.entries(context.calls).filter(([, entry]) => entry.status !== 'settled')
  const isUnheard = context.isUnheard || hasUnpublished(context)
  return { calls: Object.fromEntries(open), isUnheard, streak: streakAfter(context).streak }
}

/** Walks the settled calls in the model's order; names those whose result ends a streak of the limit. */
function streakAfter(context: RunContext): { streak: Streak | null; repeated: readonly string[] } {
  let streak = context.streak
  const repeated: string[] = []
  for (const { callId, callHash, status, resultHash } of entriesOf(context)) {
    if (status !== 'settled') continue
    if (resultHash === null) {
      streak = null
      continue
    }
    const isSame = streak !== null && streak.callHash === callHash && streak.resultHash === resultHash
    streak = { callHash, resultHash, count: isSame && streak !== null ? streak.count + 1 : 1 }
    if (streak.count === context.options.repeatLimit) repeated.push(callId)
  }
  return { streak, repeated }
}

/** The slots of suspended calls show a placeholder to a model that goes on without their results. */
export function placeholders(context: RunContext): readonly CallEntry[] {
  return entriesOf(context).filter((entry) => entry.status === 'suspended' && !entry.hasPlaceholder)
}

export function markPlaceholders(context: RunContext): Patch {
  let calls = context.calls
  for (const { callId } of placeholders(context)) {
    calls = patchCall({ ...context, calls }, callId, { hasPlaceholder: true })
  }
  return { calls }
}

export function endNaturally({ ending }: RunContext): Patch {
  return { answer: null, ending: ending ?? { reason: 'natural_end' } }
}

export function forgetEnding(): Patch {
  return { ending: null }
}

const limitWords: { readonly [code in Limit['code']]: string } = {
  max_turns: 'maximum number of turns reached',
  max_tokens: 'maximum number of tokens reached',
  max_duration: 'maximum running time reached',
  max_tool_interactions: 'maximum number of tool interactions reached',
  max_cost: 'maximum cost reached',
}

export function stopAtLimit(context: RunContext): Patch {
  const code = reachedLimit(context)?.code ?? 'max_turns'
  const ending: Ending = { reason: 'stopped', code, note: `[Agent stopped: ${limitWords[code]}]` }
  return { ending }
}

export function finishAtLimit(context: RunContext): Patch {
  return { isFinishing: true, ending: { reason: 'stopped', code: reachedLimit(context)?.code ?? 'max_turns' } }
}

export function failAtLimit(context: RunContext): Patch {
  const code = reachedLimit(context)?.code ?? 'max_turns'
  const message = code === 'max_tool_interactions' ? 'Tool calls exhausted max quota' : limitWords[code]
  return { outcome: { reason: 'error', code, error: { code, message } } }
}

/** A wait forgets a natural end, since the model will hear the result; other endings are kept. */
export function suspendRun({ ending }: RunContext): Patch {
  return { outcome: { reason: 'suspended' }, ending: ending?.reason === 'natural_end' ? null : ending }
}

export function conclude({ ending }: RunContext): Patch {
  if (ending === null) return { outcome: { reason: 'natural_end' } }
  const { reason, code } = ending
  return { outcome: code === undefined ? { reason } : { reason, code } }
}

export function cancelRun(note: string | null): Patch {
  return { outcome: { reason: 'cancelled' }, cancelNote: note, ending: null }
}

export function failRun(error: RunError): Patch {
  return { outcome: { reason: 'error', error }, ending: null }
}

export function failOnConflict(context: RunContext): Patch {
  const { path, calls } = findConflict(context) ?? { path: '', calls: ['', ''] }
  const message = `Calls "${calls[0]}" and "${calls[1]}" both changed "${path}" of the state. Nothing was applied.`
  return failRun({ code: 'state_conflict', message })
}

export function resumeRun(): Patch {
  return { outcome: null, isResumed: true, since: 0 }
}

export function outputOf({ outcome }: RunContext): RunOutput {
  return { outcome: outcome ?? { reason: 'natural_end' } }
}

export function isWait({ outcome }: RunContext): boolean {
  return outcome?.reason === 'suspended'
}

// What children are given

export function modelCallInput({ turn, isFinishing, options }: RunContext): ModelCallInput {
  return { turn, isFinishing, maxRetries: options.maxRetries, fallbacks: options.fallbacks }
}

export function toolCallInput(context: RunContext, plan: CallPlan, isDue: boolean): ToolCallInput {
  const { callId, verdict, effects, resumeMode } = plan
  return {
    callId,
    verdict,
    effects,
    resumeMode,
    isDue,
    isGateWatched: isWatched(context, 'beforeToolExecute'),
    isReviewWatched: isWatched(context, 'afterToolExecute'),
  }
}

/** A suspension of the run is a call no plugin is asked about. */
export function holdInput(context: RunContext, plan: CallPlan): ToolCallInput {
  return { ...toolCallInput(context, plan, true), isGateWatched: false, isReviewWatched: false }
}

/** Sends every call of the ending run, or of a round left out, to its end. */
export const cancelEvent: ToolCallEvent = { type: 'call.cancel', text: unfinishedText, byRun: true }

export const skipEvent: ToolCallEvent = { type: 'call.skip', text: sequenceText }

// What is written

/** What each `record…` action of the chart asks to have written. */
export const runRecords = {
  recordInput: ({ input }: RunContext): readonly Write[] => input.map((message) => ({ kind: 'append', message })),
  recordResults: (context: RunContext): readonly Write[] => {
    const { repeated } = streakAfter(context)
    const settled = entriesOf(context).filter((entry) => entry.status === 'settled')
    return [
      ...settled
        .filter(({ callId }) => repeated.includes(callId))
        .map(({ callId }) => repeatNote(callId, context.options.repeatLimit)),
      ...patchesOf(settled),
      ...lateResultsOf(settled),
    ]
  },
  /** Between batches, so that later calls see earlier effects. */
  recordPatches: (context: RunContext): readonly Write[] =>
    context.options.executor.batchSize === null ? [] : patchesOf(entriesThatShareState(context)),
  recordPlaceholders: (context: RunContext): readonly Write[] =>
    placeholders(context).map(({ callId }) => ({ kind: 'call', callId, patch: { placeholder: true } })),
  recordEnding: (context: RunContext): readonly Write[] => {
    const late = lateResultsOf(entriesOf(context).filter((entry) => entry.status === 'settled'))
    const note = endNote(context)
    return note === null ? late : [...late, { kind: 'note', text: note }]
  },
  recordFailure: ({ outcome }: RunContext): readonly Write[] =>
    outcome?.error === undefined ? [] : [{ kind: 'failure', error: outcome.error }],
}

function endNote({ outcome, cancelNote, ending }: RunContext): string | null {
  if (outcome?.reason === 'cancelled') return cancelNote
  return outcome?.reason === 'stopped' ? (ending?.note ?? null) : null
}

/** Changes of the round come first, those of replays after them (SEMANTICS §2). */
function patchesOf(entries: readonly CallEntry[]): readonly Write[] {
  const changing = entries.filter((entry) => entry.paths.length > 0)
  const inOrder = [...changing.filter((entry) => !entry.isReplay), ...changing.filter((entry) => entry.isReplay)]
  return inOrder.map(({ callId }) => ({ kind: 'applyPatch', callId }))
}

function lateResultsOf(settled: readonly CallEntry[]): readonly Write[] {
  return settled.filter((entry) => entry.hasPlaceholder).map(({ callId }) => ({ kind: 'publish', callId }))
}

function repeatNote(callId: string, times: number): Write {
  return { kind: 'amend', callId, text: `[This call has been repeated ${times} times with the same result.]` }
}

// What is told

/** What each `announce…` action of the chart tells whoever watches. */
export const runAnnouncements = {
  announceStart: (): RunAnnouncement => ({ type: 'run.started' }),
  announceResume: (): RunAnnouncement => ({ type: 'run.resumed' }),
  announceEnd: (context: RunContext): RunAnnouncement => ({ type: isWait(context) ? 'run.waiting' : 'run.ended' }),
  announceTurnStart: ({ turn }: RunContext): RunAnnouncement => ({ type: 'turn.started', turn }),
  announceDropped: ({ answer, turn }: RunContext): RunAnnouncement | null =>
    answer === null || answer.dropped.length === 0 ? null : { type: 'calls.dropped', turn, names: answer.dropped },
  announceTurnEnd: ({ turn }: RunContext): RunAnnouncement => ({ type: 'turn.ended', turn }),
}
