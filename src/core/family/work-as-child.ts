import { begunChild, childIdOf, type FamilyLink, mostChildren } from '../domain/family-link.ts'
import { type CallRecord, isTerminal } from '../domain/call.ts'
import { defined } from '../domain/text/json.ts'
import { receiptText } from '../domain/background.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { inputOf } from '../driving/read-prompt.ts'
import { contentOf, isWell } from '../driving/late-results.ts'
import type { RunStanding } from '../driving/run-result.ts'
import { storeRun } from '../driving/start-run.ts'
import type { Store } from '../ports/store.ts'
import { Suspended, type ToolContext, type ToolResult } from '../ports/tool.ts'
import { isChildTool } from './lineage.ts'
import { limitBefore } from './limit-before.ts'
import { accountIn } from './run-account.ts'
import { driveApart, openWork } from './open-work.ts'
import { storedInput } from './deliver-ends.ts'
import { type Child, driveChild, failedChild, isGone, linkTo, startOf, storeChild, waitFor } from './drive-child.ts'

/** A tool whose calls are runs of their own. */
export interface ChildWork {
  readonly name: string
  readonly host: AgentCore
  readonly member: AgentCore
  /** The part of the child's link about its work. */
  readonly how: Pick<FamilyLink, 'background' | 'idempotencyKey'>
  /** True if the work must not be done twice. */
  readonly isOnce?: boolean
  /** True if the run continues during the work. */
  readonly goesOn?: boolean
}

/**
 * Stores or finds the child of a call, drives it, and returns its result, or its receipt if it works in the background.
 */
export async function work(
  { name, host, member, how, isOnce = false, goesOn = false }: ChildWork,
  promptOf: (call: CallRecord) => string | Promise<string>,
  context: ToolContext,
): Promise<ToolResult | Suspended> {
  const { runId: parentRunId, callId, run } = context
  const parentInput = await storedInput(host.store, parentRunId)
  if (parentInput === undefined) {
    const wish = `Start agent "${host.name}" with run() or start(), and not as an actor of its machine`
    throw new Error(`A sub-agent works only for a stored run, and this run is not stored. ${wish}.`)
  }
  const calls = (await host.store.calls(parentRunId)).map(({ record }) => record)
  const call = calls.find((one) => one.callId === callId)
  if (call === undefined) throw new Error(`The store has no call "${callId}".`)
  const link = linkTo(member, context, parentInput)
  const open = calls.filter(({ toolName, status }) => isChildTool(host, toolName) && !isTerminal(status))
  if (open.findIndex((one) => one === call) + (await openWork(host.store, calls)).length >= mostChildren)
    throw new Error(`A run has at most ${mostChildren} open sub-agents.`)
  const runId = childIdOf(parentRunId, call)
  const account = accountIn(parentRunId, parentInput, true)
  // A run that performs the call itself asks no model.
  const isPaying = account !== undefined && how.idempotencyKey === undefined
  const family: FamilyLink = { ...link, ...how, ...(isPaying && { account: account.root }) }
  const prompt = await promptOf(call)
  const input = { options: member.runOptions(), ...inputOf(prompt, member), family, parentRunId }
  if (await isGone(host, call, parentRunId, runId)) return failedChild(name, runId, 'its run is missing')
  const isStored = account !== undefined && (await storedInput(host.store, runId)) !== undefined
  if (isOnce && context.decision === undefined && (await isBegunElsewhere(host.store, call, runId, context))) {
    const message = 'The tool works for the original of this fork. It may or may not have acted.'
    return context.suspend({ reason: 'interrupted', message, expiresAt: Infinity })
  }
  const limit = isPaying && !isStored ? await limitBefore(member, account, prompt) : undefined
  if (limit !== undefined) return failedChild(name, undefined, limit)
  const child: Child = { runId, name, member, family }
  const taken = await storeChild(child, context, () => {
    const details = defined({ subject: run.subject, userId: run.userId, accessControl: run.accessControl })
    return storeRun(member, input, { runId, ifExists: 'attach', ...details }, startOf(child)).stored
  })
  if (how.background === true) {
    void driveApart(member, runId, taken)
    return { content: [{ type: 'text', text: receiptText(name) }], childRunId: runId }
  }
  // A call that was woken waits for what its child does next.
  const isOpen = async () => taken !== undefined || (await host.store.record(runId)).status !== 'done'
  if (goesOn && context.decision === undefined && (await isOpen())) {
    host.openRuns.goOnBeside(parentRunId, driveApart(member, runId, taken))
    return waitFor(child, context)
  }
  const ended = await driveChild(child, context, taken)
  return ended instanceof Suspended ? ended : resultOf(name, runId, ended)
}

/** Returns true for a call of a fork that the original had begun when the fork was made. */
async function isBegunElsewhere(
  store: Store,
  { callId }: CallRecord,
  childRunId: string,
  { runId }: ToolContext,
): Promise<boolean> {
  const { forkedFrom } = await store.record(runId)
  if (forkedFrom === undefined || (await storedInput(store, childRunId)) !== undefined) return false
  const [first] = await store.checkpoints(runId)
  const { log } = first === undefined ? { log: [] } : await store.checkpoint(runId, first.version)
  const isCopied = log.some((entry) => entry.kind === 'call' && entry.call.callId === callId)
  if (!isCopied || (await storedInput(store, forkedFrom.runId)) === undefined) return isCopied
  const calls = (await store.calls(forkedFrom.runId, [callId])).map(({ record }) => record)
  return calls.some((one) => one.callId === callId && (one.result?.childRunId ?? begunChild(one)) !== undefined)
}

function resultOf(name: string, childRunId: string, standing: RunStanding): ToolResult {
  const content = contentOf(name, standing)
  return { content, childRunId, ...(isWell(standing.outcome?.reason) ? {} : { status: 'error' as const }) }
}
