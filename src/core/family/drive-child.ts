import { childStep, type FamilyLink } from '../domain/family-link.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { openDriving } from '../driving/run-driving.ts'
import type { RunStanding } from '../driving/run-result.ts'
import { standingIn } from '../driving/stored-standing.ts'
import type { Suspended, ToolContext } from '../ports/tool.ts'
import { leftToOthers } from '../runtime/effect-runner.ts'
import type { TakenLease } from '../runtime/held-lease.ts'
import { beginHandover } from './begin-handover.ts'
import { cancelChild } from './deliver-ends.ts'

/** The run that works for a call. */
export interface Child {
  readonly runId: string
  /** The name that the parent knows the child by. */
  readonly name: string
  readonly member: AgentCore
  readonly family: FamilyLink
}

/** Stores the child of a call, or finds it, by `store`. Returns the lease of a new run. */
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

/** Drives a stored child. Returns how it ended, or a wait for it. */
export async function driveChild(
  child: Child,
  context: ToolContext,
  taken: TakenLease | undefined,
  { runId, member }: Pick<Child, 'runId' | 'member'> = child,
): Promise<RunStanding | Suspended> {
  const { signal } = context
  const leave = () => {
    if (signal.reason === leftToOthers) void member.openRuns.get(runId)?.detach()
  }
  signal.addEventListener('abort', leave, { once: true })
  try {
    const driving = openDriving(member, runId, { taken })
    if (signal.aborted) leave()
    const rest = await driving.rest
    const standing = await standingIn(member.store, runId, rest)
    if (standing.status !== 'done') return waitFor(child, context)
    if (standing.outcome?.code !== 'handed_over') return standing
    const next = await beginHandover(member, runId)
    if (next === undefined) return waitFor(child, context)
    return await driveChild(child, context, undefined, { runId: next.runId, member: next.core })
  } catch (error) {
    // Whatever keeps this process from driving the child, the child is stored and goes on with whoever can.
    if (signal.aborted) throw error
    return waitFor(child, context)
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

/** The call waits until somebody has answered the child's question, or until another process has driven it to its end. */
export function waitFor({ name, runId }: Child, { suspend }: ToolContext): Suspended {
  return suspend({
    reason: 'subAgent',
    message: `The sub-agent "${name}" has not ended.`,
    parameters: { childRunId: runId },
    expiresAt: Infinity,
  })
}
