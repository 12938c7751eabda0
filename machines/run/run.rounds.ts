import type { CallPlan } from '../../src/domain/call-plan.ts'
import type { DecisionHead, ToolCallReport } from '../tool-call/tool-call.types.ts'
import type { CallEntry, PhaseVerdict, RunContext, Streak } from './run.types.ts'
import { applicable, currentBatch, entriesOf, hasUnpublished, mayRunBeside } from './run.facts.ts'
import { tickRunning } from './run.updates.ts'

type Patch = Partial<RunContext>
type Settled = Extract<ToolCallReport, { type: 'toolCall.settled' }>
type Suspended = Extract<ToolCallReport, { type: 'toolCall.suspended' }>

const repeatedText = '[Not executed: repeated call.]'

function patchCall(context: RunContext, callId: string, patch: Partial<CallEntry>): RunContext['calls'] {
  const entry = context.calls[callId]
  return entry === undefined ? context.calls : { ...context.calls, [callId]: { ...entry, ...patch } }
}

/** Enters the calls of the answer, cut into batches. */
function openRound(context: RunContext): Patch {
  const plans = plansOf(context)
  const entries = plans.map((plan): [string, CallEntry] => [plan.callId, newEntry(plan, 'new')])
  const batches = cutBatches(plans, context.options.executor.batchSize)
  const isRepeated = plans.some((plan, index) => plan !== context.answer?.calls[index])
  return {
    calls: { ...context.calls, ...Object.fromEntries(entries) },
    round: { batches, batch: mayStartFirst(context, batches[0] ?? [], entries) ? 0 : -1, firsts: {} },
    ...(isRepeated && context.ending === null
      ? { ending: { reason: 'stopped', code: 'loop_detected', note: '[Agent stopped: repeated call]' } }
      : {}),
  }
}

/** Opens the round, starts its first batch and is done with the answer, whose calls have their actors. */
export function enterRound(context: RunContext): Patch {
  const opened = openRound(context)
  return { ...opened, ...startBatch({ ...context, ...opened }), ...closeAnswer() }
}

/** Enters the calls of an answer the run ends before it got to; they are cancelled like any others. */
export function leaveRound(context: RunContext): Patch {
  return context.answer === null ? {} : { ...openRound(context), ...closeAnswer() }
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
    isPassed: false,
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
function closeAnswer(): Patch {
  return { answer: null }
}

/** Marks the current batch as started. */
export function startBatch(context: RunContext): Patch {
  let calls = context.calls
  for (const callId of currentBatch(context)) calls = patchCall({ ...context, calls }, callId, { status: 'active' })
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
    ...tickRunning(context, at),
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
    ...tickRunning(context, at),
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

/** A waiting run's clock starts with the decision it goes on by, and with no other. */
export function queueDecision(context: RunContext, decision: DecisionHead, at: number): Patch {
  const decisions = [...context.decisions, decision]
  const goesOn = context.since === 0 && applicable({ ...context, decisions }).includes(decision)
  return { decisions, since: goesOn ? at : context.since }
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
  const open = entriesOf(context).filter((entry) => entry.status !== 'settled')
  const calls = Object.fromEntries(open.map((entry) => [entry.callId, { ...entry, isPassed: true }]))
  const isUnheard = context.isUnheard || hasUnpublished(context)
  return { calls, isUnheard, streak: streakAfter(context).streak }
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
