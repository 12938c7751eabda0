import { type CallRecord, isTerminal } from './call.ts'
import { type Decision, type DecisionReceipt, decisionPayload, goesBeyond } from './decision.ts'
import { defined, hashText } from './text/json.ts'
import type { StoredDecision } from './inbox.ts'
import { areOfOneAgent } from './service-event.ts'
import { supersedes, takesKept } from './kept-decision.ts'
import { unreadPayload } from './unread-payload.ts'

/** The facts for one decision, read from the store in the same transaction. */
export interface DecisionFacts {
  readonly calls: readonly CallRecord[]
  /** Every decision stored for the run, consumed or not, oldest first. */
  readonly decisions: readonly StoredDecision[]
  /** Ids of calls with a stored cancel that is not consumed yet. */
  readonly cancelled: readonly string[]
  /** Unix milliseconds. */
  readonly now: number
  /** Present for a service's answer, with the address in the answer. */
  readonly service?: { readonly to?: string }
}

/** The time of receipt, and the address in a service's answer. */
export type DecisionOccasion = Pick<DecisionFacts, 'now' | 'service'>

/** The result of one decision. */
export interface JudgedDecision {
  readonly receipt: DecisionReceipt
  /** The row to store, for `applied` and `kept`. */
  readonly row?: StoredDecision
}

/** Judges one decision (requirement DEC-06), for every store. `isGranting` is true if a grant is stored with it. */
export function judgeDecision(decision: Decision, facts: DecisionFacts, isGranting = false): JudgedDecision {
  const target = resolveTarget(decision.target, facts)
  if (target === undefined) return answered(decision, 'unknown', unknownMessage(decision, facts))
  const { call, suspensionId } = target
  const payload = decisionPayload(decision)
  const rows = facts.decisions.filter((row) => row.callId === call.callId)
  const standing = answerTo(call, suspensionId, rows)
  const decisionId = decision.decisionId ?? derivedId(call, suspensionId, payload, rows)
  const row: StoredDecision = { ...decision, decisionId, callId: call.callId, suspensionId, at: facts.now }
  const isSame = standing !== undefined && decisionPayload(standing) === payload
  if (isSame || rows.some((other) => other.decisionId === decisionId)) {
    return answered(decision, 'duplicate', undefined, decisionId)
  }
  if (isTerminal(call.status)) return answered(decision, 'stale', `Call "${call.callId}" has settled.`)
  if (facts.cancelled.includes(call.callId)) {
    return answered(decision, 'stale', `A cancel of call "${call.callId}" is stored.`)
  }
  const misdirected = facts.service && misdirectedMessage(call, facts.service)
  if (misdirected !== undefined) return answered(decision, 'refused', misdirected)
  const unread = unreadPayload(call.isHold === true ? 'use-as-result' : (decision.mode ?? call.resumeMode), decision)
  if (suspensionId === null) {
    if (goesBeyond(decision)) return answered(decision, 'refused', notAskedYet(call))
    if (unread !== undefined) return answered(decision, 'refused', unread)
    return { receipt: { target: decision.target, answer: 'kept', decisionId }, row }
  }
  if (standing !== undefined) return answered(decision, 'stale', 'This suspension has been answered already.')
  if (!isIn(call, suspensionId)) return answered(decision, 'stale', 'This suspension is over.')
  if (isExpired(call, facts.now)) return answered(decision, 'stale', 'This suspension has expired.')
  if (unread !== undefined) return answered(decision, 'refused', unread)
  if (goesBeyond(decision) && !isGranting) return answered(decision, 'refused', nothingGranted)
  return { receipt: { target: decision.target, answer: 'applied', decisionId }, row }
}

const nothingGranted =
  'The decision has a scope beyond its call, but no grant. Decide through the agent: run.approve(callId, { scope }).'

function notAskedYet({ callId }: CallRecord): string {
  return `Nobody has been asked about call "${callId}" yet, so it is unknown what a wider scope would grant. Use a scope once the call is suspended.`
}

function misdirectedMessage(
  { callId, isSent, suspension }: CallRecord,
  { to }: NonNullable<DecisionFacts['service']>,
): string | undefined {
  const { source } = suspension?.sends ?? {}
  if (isSent === true && (to === undefined || source === undefined || areOfOneAgent(to, source))) return undefined
  if (isSent === true) return `The event is for ${JSON.stringify(to)}, and not for ${source}.`
  const why = suspension === undefined ? '' : ` It waits for another reason: ${suspension.reason}.`
  return `No event of call "${callId}" was sent, so no service can answer it.${why}`
}

/** Returns the call of a target's suspension if a decision may answer it now. */
export function findOpenCall(target: string, facts: DecisionFacts): CallRecord | undefined {
  const found = resolveTarget(target, facts)
  if (found === undefined) return undefined
  const { call, suspensionId } = found
  if (facts.cancelled.includes(call.callId)) return undefined
  const rows = facts.decisions.filter((row) => row.callId === call.callId)
  if (!isIn(call, suspensionId) || answerTo(call, suspensionId, rows) !== undefined) return undefined
  return isExpired(call, facts.now) ? undefined : call
}

/**
 * Derives a decision's id. A repeated decision has the same id. Among kept decisions only the last one counts, so deny,
 * approve, deny are three decisions.
 */
function derivedId(
  { callId }: CallRecord,
  suspensionId: string | null,
  payload: string,
  rows: readonly StoredDecision[],
): string {
  const id = `${suspensionId ?? callId}:${hashText(payload)}`
  if (suspensionId !== null) return id
  const last = rows.at(-1)
  if (last !== undefined && decisionPayload(last) === payload) return last.decisionId
  const earlier = rows.filter((row) => row.decisionId === id || row.decisionId.startsWith(`${id}:`)).length
  return earlier === 0 ? id : `${id}:${earlier + 1}`
}

function isIn({ status, suspension }: CallRecord, suspensionId: string | null): boolean {
  return status === 'suspended' && suspension?.id === suspensionId
}

function isExpired({ suspension }: CallRecord, now: number): boolean {
  return suspension?.expiresAt !== undefined && suspension.expiresAt <= now
}

/**
 * Returns the effective answer. The last decision kept before a first suspension answers it, used or not, if it may
 * (`takesKept`).
 */
function answerTo(
  { suspension }: CallRecord,
  suspensionId: string | null,
  rows: readonly StoredDecision[],
): StoredDecision | undefined {
  if (rows.every((row) => row.suspensionId === null)) {
    const kept = rows.reduce<StoredDecision | undefined>(
      (earlier, row) => (earlier === undefined || supersedes(row, earlier) ? row : earlier),
      undefined,
    )
    if (kept !== undefined && takesKept(suspension, kept)) return kept
  }
  return rows.find((row) => row.suspensionId === suspensionId)
}

/** Returns the target with contradictory items in one `decide`; two suspensions of a call are two targets. */
export function findContradiction(decisions: readonly Decision[], facts: DecisionFacts): string | undefined {
  const seen = new Map<string, string>()
  for (const decision of decisions) {
    const target = resolveTarget(decision.target, facts)
    const key = target?.suspensionId ?? target?.call.callId ?? decision.target
    const payload = decisionPayload(decision)
    const other = seen.get(key)
    if (other !== undefined && other !== payload) return decision.target
    seen.set(key, payload)
  }
  return undefined
}

function resolveTarget(target: string, { calls, decisions }: DecisionFacts) {
  const byCall = calls.find((call) => call.callId === target)
  if (byCall !== undefined) return { call: byCall, suspensionId: suspensionOf(byCall) }
  const bySuspension = calls.find((call) => call.suspension?.id === target)
  if (bySuspension !== undefined) return { call: bySuspension, suspensionId: target }
  const past = decisions.find((row) => row.suspensionId === target)
  const pastCall = past && calls.find((call) => call.callId === past.callId)
  if (pastCall !== undefined) return { call: pastCall, suspensionId: target }
  // Refuses an ambiguous provider id, so that a second click never approves a newer call with the same id.
  const [byProviderId, ...others] = calls.filter((call) => call.toolCallId === target)
  if (byProviderId === undefined || others.length > 0) return undefined
  return { call: byProviderId, suspensionId: suspensionOf(byProviderId) }
}

/** Returns the call's current or last suspension; a call before its gate has none. */
function suspensionOf({ status, suspension }: CallRecord): string | null {
  return status === 'new' ? null : (suspension?.id ?? null)
}

function answered(
  { target }: Decision,
  answer: DecisionReceipt['answer'],
  message?: string,
  decisionId?: string,
): JudgedDecision {
  return {
    receipt: {
      target,
      answer,
      ...defined({ message, decisionId }),
    },
  }
}

function unknownMessage({ target }: Decision, { calls }: DecisionFacts): string {
  const open = calls.filter((call) => call.status === 'suspended').map((call) => call.callId)
  const known = open.length === 0 ? 'No call of this run is suspended.' : `Suspended calls: ${open.join(', ')}.`
  return `No call or suspension "${target}" in this run. ${known}`
}
