import { hashText, isRecord, type Json } from './text/json.ts'
import { type CallRecord, isTerminal, stepsOf } from './call.ts'
import { isReceipt } from './background.ts'
import type { Outcome } from './outcome.ts'
import { markSent, type OutgoingItem, outgoingKey } from './outgoing.ts'
import type { RecordChange } from './records/record-change.ts'

/** The call that a sub-agent's run works for; stored in the input of that run. */
export interface FamilyLink {
  readonly parentRunId: string
  /** The call of the parent. */
  readonly callId: string
  /** The level of the run in its family. The root is level 1. */
  readonly level: number
  readonly root: string
  /** True if the call has its result already and the run works in the background. */
  readonly background?: true
  /** The idempotency key of the call, if the run performs the call itself. */
  readonly idempotencyKey?: string
  /** The account of the family; absent if nothing limits its tokens and cost. */
  readonly account?: string
  /** The child of the call, if the conversation was handed over from there to this run. */
  readonly child?: string
}

/** The maximum number of levels of a family. */
export const mostLevels = 5

/** The maximum number of open children of one run. */
export const mostChildren = 64

/** The prefix of the ids of decisions that make a call look at its child again. No client's decision has it. */
export const familyDecision = 'family:'

/** The kind of the outgoing item that notifies a parent of the end of its child. */
export const childEnded = 'child.ended'

/** The kind of the item that a child is stored with. It names each child of a run, and is deleted with the run. */
export const childStart = 'child.start'

/** The kind of the outgoing item that cancels a child. */
const childCancel = 'child.cancel'

/** The kind of the outgoing item that continues the conversation after a hand-over. */
export const runHandedOver = 'run.handedOver'

/** The kinds of the messages between the runs of a family. */
export const familyKinds: readonly string[] = [childEnded, childCancel, runHandedOver]

/** Returns the link of a stored run to its parent, or undefined for a run without one. */
export function familyIn(input: Json | undefined): FamilyLink | undefined {
  const link = isRecord(input) ? input['family'] : undefined
  if (!isRecord(link)) return undefined
  const { parentRunId, callId, level, root, background, idempotencyKey, account, child } = link
  if (typeof parentRunId !== 'string' || typeof callId !== 'string' || typeof level !== 'number') return undefined
  return {
    ...{ parentRunId, callId, level, root: typeof root === 'string' ? root : parentRunId },
    ...(background === true ? { background } : {}),
    ...(typeof idempotencyKey === 'string' ? { idempotencyKey } : {}),
    ...(typeof account === 'string' ? { account } : {}),
    ...(typeof child === 'string' ? { child } : {}),
  }
}

/** The family of a run, also of a run that is no child but continues one of the family's runs. */
type FamilyPlace = Pick<FamilyLink, 'root' | 'account'>

/** Returns the family of a stored run: its own, if the run is not a child and does not continue another run's work. */
export function familyPlaceIn(runId: string, input: Json | undefined): FamilyPlace {
  const link = isRecord(input) && isRecord(input['family']) ? input['family'] : {}
  const { root = link['parentRunId'], account } = link
  return {
    root: typeof root === 'string' ? root : runId,
    ...(typeof account === 'string' ? { account } : {}),
  }
}

/** Returns the root of the family of a stored run. */
export function rootIdOf(runId: string, input: Json | undefined): string {
  return familyPlaceIn(runId, input).root
}

const longestId = 128

/**
 * Returns the id of the child of a call, which stays the same until the call's arguments are edited. If it would be too
 * long for an id, a hash replaces the end of the parent's id.
 */
export function childIdOf(
  parentRunId: string,
  { seq, revision }: { readonly seq: number; readonly revision: number },
): string {
  return shortened(parentRunId, `.${seq}.sub.${revision + 1}`)
}

/** Returns the id of the run after a hand-over outside sessions. */
export function handoverIdOf(runId: string): string {
  const [, first = runId, count = '0'] = /^(.*)\.to\.(\d+)$/.exec(runId) ?? []
  return shortened(first, `.to.${Number(count) + 1}`)
}

function shortened(runId: string, end: string): string {
  const id = `${runId}${end}`
  if (id.length <= longestId) return id
  return `${runId.slice(0, 60)}.${hashText(runId)}${hashText(`child of ${runId}`)}${end}`
}

const stepPrefix = 'child:'

/** Returns the name of the step that a call stores before it stores its child. */
export function childStep(runId: string): string {
  return `${stepPrefix}${runId}`
}

/** Returns the child that an open call has stored or was about to store, or undefined for another call. */
export function begunChild(call: CallRecord): string | undefined {
  const name = stepsOf(call).find((step) => step.name.startsWith(stepPrefix))?.name
  return name?.slice(stepPrefix.length)
}

/** Returns the item that leaves with the commit that cancels a call, and cancels its child. */
export function cancelledItems(call: CallRecord): readonly OutgoingItem[] {
  const child = begunChild(call)
  return child === undefined ? [] : [cancelItem(child, call.callId)]
}

/**
 * Returns the items that leave with the end of a run and cancel the work that its calls have in the background, or none if
 * the work goes on after such an end.
 */
export function abandonedItems(outcome: Outcome | undefined, calls: readonly CallRecord[]): readonly OutgoingItem[] {
  if (!abandonsWork(outcome)) return []
  return calls.flatMap(({ callId, result }) =>
    result !== undefined && isReceipt(result) ? cancelItem(result.childRunId, callId) : [],
  )
}

/** Returns what a commit changes where calls have taken in the ends of their children: nobody needs to be told of these. */
export function heardEnds(runId: string, calls: readonly CallRecord[]): readonly RecordChange<undefined>[] {
  return calls.flatMap(({ status, result }) => {
    if (result?.childRunId === undefined || !isTerminal(status) || isReceipt(result)) return []
    const { childRunId: child } = result
    return markSent(outgoingKey(child, { id: `${child}.end`, kind: childEnded, destination: runId }))
  })
}

/** Returns true for a cancel, an error and the end of the running time, after which open background work is cancelled. */
export function abandonsWork(outcome: Pick<Outcome, 'reason' | 'code'> | undefined): boolean {
  return outcome?.reason === 'cancelled' || outcome?.reason === 'error' || outcome?.code === 'max_duration'
}

function cancelItem(child: string, callId: string): OutgoingItem {
  return { id: `${child}.cancel`, kind: childCancel, destination: child, body: { callId } }
}

/** Returns the address of a member's call from any run of its family. An address stays as it is. */
export function addressOf(runId: string, callId: string): string {
  return callId.includes('/') ? callId : `${runId}/${callId}`
}

/** Splits the address of a member's call at its first slash; returns undefined for the id of a call. */
export function splitAddress(target: string): { readonly runId: string; readonly target: string } | undefined {
  const at = target.indexOf('/')
  return at < 0 ? undefined : { runId: target.slice(0, at), target: target.slice(at + 1) }
}

/** Returns the message by which a parent starts a child. It is kept with the child, and longer than the child. */
export function startedItem(child: string): Omit<OutgoingItem, 'body'> {
  return { id: `${child}.start`, kind: childStart, destination: child }
}

/** Returns the item that leaves with the end of a run that hands its conversation over. */
export function handedOverItem(runId: string): OutgoingItem {
  return { id: `${runId}.handover`, kind: runHandedOver, destination: runId, body: null }
}

/** Returns the item that leaves with the end of a child. It resumes its parent's call, or brings its result. */
export function endedItem(runId: string, { parentRunId, callId, background, child = runId }: FamilyLink): OutgoingItem {
  const body = { callId, isBackground: background === true, child }
  return { id: `${runId}.end`, kind: childEnded, destination: parentRunId, body }
}
