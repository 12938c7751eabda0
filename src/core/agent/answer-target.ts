import type { DecisionReceipt, Decision } from '../domain/decision.ts'
import { checkAnswerOptions, grantedNames } from './agent-shape.ts'
import type { ApproveOptions } from './run.ts'
import type { PostReceipt } from '../domain/inbox.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import type { CallRecord } from '../domain/call.ts'
import type { Store } from '../ports/store.ts'
import { hasBackground } from '../family/lineage.ts'
import { speaking } from '../family/speaking.ts'
import { UsageError } from '../domain/text/usage-error.ts'

/** Stores an answer to one call; without a target, to the only suspended call. */
export async function answerCall(
  given: AgentCore,
  givenId: string,
  target: string | undefined,
  decision: Omit<Decision, 'target'>,
): Promise<DecisionReceipt> {
  const { core, runId } = await speaking(given, givenId, target)
  const { askingCalls, decideInFamily, questionsOf } = await import('../family/route.ts')
  const mayWorkOn = hasBackground(core)
  const open = target === undefined ? await askingCalls(core.store, runId, mayWorkOn) : undefined
  const asked = target ?? onlySuspension(await questionsOf(core.store, open ?? [], mayWorkOn))
  if (asked === undefined) return { target: runId, answer: 'stale', message: `No call of run "${runId}" is suspended.` }
  const [receipt] = await decideInFamily(core, runId, [{ ...decision, target: asked }], open)
  return receipt ?? { target: asked, answer: 'unknown' }
}

/**
 * Returns the target of an answer without one: the suspension of the only question of the run and of its members.
 * The suspension's id prevents that the answer applies to a later suspension. Returns undefined if no call is
 * suspended; throws if several are.
 */
function onlySuspension(open: readonly CallRecord[]): string | undefined {
  const [only, ...others] = open
  if (others.length === 0) return only?.suspension?.id ?? only?.callId
  const ids = open.map((call) => call.callId).join(', ')
  throw new UsageError('ambiguous_call', `Several calls are suspended: ${ids}. Name one.`)
}

/** Cancels one call, or the work that goes on in the background for a call that has its receipt. */
export async function cancelOneCall(
  given: AgentCore,
  givenId: string,
  target: string,
  post: (runId: string, callId: string) => Promise<PostReceipt>,
): Promise<PostReceipt> {
  const { core, runId } = await speaking(given, givenId, target)
  const callId = await callIdOf(core.store, runId, target)
  const receipt = await post(runId, callId)
  if (receipt.answer !== 'stale' || !hasBackground(core)) return { ...receipt, target }
  const { cancelWork } = await import('../family/background-work.ts')
  return { ...((await cancelWork(core, runId, callId)) ?? receipt), target }
}

/** Returns the call id for a provider's id that only one call of the run ever had; returns any other text unchanged. */
async function callIdOf(store: Store, runId: string, target: string): Promise<string> {
  const calls = (await store.calls(runId, [target])).map(({ record }) => record)
  if (calls.some(({ callId }) => callId === target)) return target
  const [only, ...others] = calls.filter(({ toolCallId }) => toolCallId === target)
  return only === undefined || others.length > 0 ? target : only.callId
}

/** Returns the decision of an approval, with the names of the granted permissions. */
export function approvalOf(options: ApproveOptions): Omit<Decision, 'target'> {
  checkAnswerOptions(options, grantedNames)
  const { granted, ...others } = options
  return { ...others, ...(granted === undefined ? {} : { result: { granted } }), action: 'resume' }
}
