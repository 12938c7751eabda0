import type { CallRecord } from '../domain/call.ts'
import { begunChild, childStep, type FamilyLink, mostLevels, rootIdOf, startedItem } from '../domain/family-link.ts'
import { arrivedItem, outgoingKey, outgoingKind } from '../domain/outgoing.ts'
import { ifReadable, isOfStore } from '../domain/store-error.ts'
import { rowOf } from '../domain/records/record-read.ts'
import { defined, type Json } from '../domain/text/json.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { contentOf } from '../driving/late-results.ts'
import { openDriving } from '../driving/run-driving.ts'
import type { RunStanding } from '../driving/run-result.ts'
import { standingIn } from '../driving/stored-standing.ts'
import { onAbort } from '../ports/clock.ts'
import type { Suspended, ToolContext, ToolResult } from '../ports/tool.ts'
import type { DriveRest } from '../runtime/drive-options.ts'
import { leftToOthers } from '../runtime/effect-runner.ts'
import type { TakenLease } from '../runtime/held-lease.ts'
import { beginHandover } from './begin-handover.ts'
import { cancelChild, childOnceOf, storedInput } from './deliver-ends.ts'
import { levelOf } from './lineage.ts'

/** The run that works for a call. */
export interface Child {
  readonly runId: string
  /** The name that the parent knows the child by. */
  readonly name: string
  readonly member: AgentCore
  readonly family: FamilyLink
}

/** Returns the link of a call's child to the family, from the parent's stored input. */
export function linkTo(member: AgentCore, { runId: parentRunId, callId }: ToolContext, input: Json) {
  const level = levelOf(member)
  if (level > mostLevels) throw new Error(`A family has at most ${mostLevels} levels of agents.`)
  return { parentRunId, callId, level, root: rootIdOf(parentRunId, input) }
}

/** Returns the result of a call whose child cannot work. */
export function failedChild(name: string, childRunId: string | undefined, code: string): ToolResult {
  const content = contentOf(name, { outcome: { reason: 'error', code }, text: '' })
  return { content, status: 'error', ...defined({ childRunId }) }
}

/** Returns the changes that are stored with a new child. They record its start, which later proves that it existed. */
export function startOf({ runId, family, member }: Child) {
  return [arrivedItem(family.parentRunId, startedItem(runId), member.clock.now())]
}

/** Returns true if the child of a call was stored and is gone. Its effects are unknown. */
export async function isGone({ store }: AgentCore, call: CallRecord, parentRunId: string, runId: string) {
  if (begunChild(call) !== runId && childOnceOf(call) !== runId) return false
  if ((await storedInput(store, runId)) !== undefined) return false
  const key = outgoingKey(parentRunId, startedItem(runId))
  return (await store.records([rowOf(outgoingKind, key)])).has(outgoingKind, key)
}

/** Stores the child of a call with `store`, or finds it. Returns the lease of a new run. */
export async function storeChild(
  { runId, member: { store, clock }, family }: Child,
  { step, signal }: ToolContext,
  storeRun: () => Promise<TakenLease | undefined>,
): Promise<TakenLease | undefined> {
  // The call that is cancelled from here on cancels this child.
  await step(childStep(runId), () => undefined)
  const taken = await storeRun()
  // A child that was stored while its call was cancelled missed the message.
  if (signal.aborted && signal.reason !== leftToOthers) await cancelChild(store, runId, family, clock.now())
  return taken
}

/** Drives a stored child. Returns its end, or a wait for it. */
export async function driveChild(
  child: Child,
  context: ToolContext,
  taken: TakenLease | undefined,
  { runId, member }: Pick<Child, 'runId' | 'member'> = child,
): Promise<RunStanding | Suspended> {
  const rest = await driveToRest(member, runId, context, taken)
  // The message of its end may have come before, and comes once: only a child that was seen open is waited for.
  const standing = await ifReadable(standingIn(member.store, runId, rest))
  if (standing?.status !== 'done') return waitFor(child, context)
  if (standing.outcome?.code !== 'handed_over') return standing
  const next = await beginHandover(member, runId).catch((error: unknown) => {
    if (isOfStore(error)) throw error
    return undefined
  })
  if (next === undefined) return waitFor(child, context)
  return driveChild(child, context, undefined, { runId: next.runId, member: next.core })
}

/**
 * Drives a run until it rests. Returns undefined if this process cannot drive it; then another process continues it.
 */
async function driveToRest(
  member: AgentCore,
  runId: string,
  { signal }: ToolContext,
  taken: TakenLease | undefined,
): Promise<DriveRest | undefined> {
  try {
    const driving = openDriving(member, runId, { taken })
    const forget = onAbort(signal, () => {
      if (signal.reason === leftToOthers) void member.openRuns.get(runId)?.detach()
    })
    return await driving.rest.finally(forget)
  } catch (error) {
    if (signal.aborted) throw error
    return undefined
  }
}

/**
 * Suspends the call until somebody has answered the child's question, or until another process has driven the child to
 * its end.
 */
export function waitFor({ name, runId }: Child, { suspend }: ToolContext): Suspended {
  return suspend({
    reason: 'subAgent',
    message: `The sub-agent "${name}" has not ended.`,
    parameters: { childRunId: runId },
    expiresAt: Infinity,
  })
}
