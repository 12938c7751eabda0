import type { EndedWith, DecisionHead, EndStatus, ToolCallReport } from '../tool-call/tool-call.types.ts'
import type {
  BranchesArgs,
  BranchesContext,
  BranchesEvent,
  BranchesInput,
  BranchesPatch,
  BranchSender,
  Branch,
  EvaluateInput,
  Evaluated,
  SpawnBranch,
} from './branches.types.ts'

interface SendArgs extends BranchesArgs {
  readonly enqueue: BranchSender
}

const cancelledText = '[Tool execution was interrupted before producing a result.]'

/** Returns the context of a new group. A stored document omits what equals it. */
export function initialContext({ input }: { readonly input: BranchesInput }): BranchesContext {
  const heads = input.branches.map(({ callId, runId }): Branch => ({
    callId,
    runId,
    status: 'active',
    suspensionId: null,
  }))
  return {
    branches: Object.fromEntries(heads.map((branch) => [branch.callId, branch])),
    queue: [],
    ending: null,
    selection: null,
  }
}

/** Spawns the call of each branch. A call that runs again finds its branch, so a crash interrupts no branch. */
export function spawnBranches({ context, spawn }: BranchesArgs & { readonly spawn: SpawnBranch }): BranchesPatch {
  for (const { callId } of branchesOf(context)) {
    const input = {
      callId,
      verdict: { kind: 'allowed' },
      effects: 'idempotent',
      resumeMode: 'replay',
      isQueued: false,
      isCallGateWatched: false,
      isReviewWatched: false,
    } as const
    spawn('toolCall', { id: callId, input })
  }
  return {}
}

/** Returns the branches in their order. */
export function branchesOf({ branches }: Pick<BranchesContext, 'branches'>): readonly Branch[] {
  return Object.values(branches)
}

/** Returns true if the call belongs to a branch that has not ended. */
export function isKnownBranch({ context }: BranchesArgs, { callId }: { readonly callId: string | undefined }): boolean {
  const branch = callId === undefined ? undefined : context.branches[callId]
  return branch !== undefined && isOpen(branch)
}

/** Returns true for a decision that arrived before the call was suspended. An event may have no decision. */
export function isKeptDecision(
  args: BranchesArgs,
  { decision }: { readonly decision: DecisionHead | undefined },
): boolean {
  return decision?.suspensionId === null && isKnownBranch(args, decision)
}

/** Returns true if a decision answers the suspension of its call. */
export function answersBranch(
  { context }: BranchesArgs,
  { decision }: { readonly decision: DecisionHead | undefined },
): boolean {
  const branch = decision && context.branches[decision.callId]
  return branch?.status === 'suspended' && branch.suspensionId === decision?.suspensionId
}

/** Hands a decision to the call, which uses it at its first suspension. */
export function keepDecision({ enqueue }: SendArgs, { decision }: { readonly decision: DecisionHead }): void {
  enqueue.sendTo(decision.callId, { type: 'call.keep', decision })
}

/** Hands a decision to the suspended call. */
export function applyDecision({ enqueue }: SendArgs, { decision }: { readonly decision: DecisionHead }): void {
  enqueue.sendTo(decision.callId, { type: 'call.decided' })
  enqueue.sendTo(decision.callId, { type: 'call.resume', decision })
}

/** Marks the call of a decision as active. */
export function markApplied(
  { context }: BranchesArgs,
  { decision }: { readonly decision: DecisionHead },
): BranchesPatch {
  return patch(context, decision.callId, { status: 'active', suspensionId: null })
}

/** Cancels the call of one branch. */
export function cancelBranch(
  { enqueue }: SendArgs,
  { callId, text }: { readonly callId: string; readonly text: string },
): void {
  enqueue.sendTo(callId, { type: 'call.cancel', text, byRun: false })
}

/** Cancels the call of each branch that has not ended. */
export function cancelBranches({ context, enqueue }: SendArgs): void {
  for (const branch of branchesOf(context)) {
    if (isOpen(branch)) enqueue.sendTo(branch.callId, { type: 'call.cancel', text: cancelledText, byRun: true })
  }
}

/** Takes the report of a suspended call. If a kept decision answers it at once, the call stays active. */
export function takeSuspension(
  { context }: BranchesArgs,
  { report }: { readonly report: Extract<ToolCallReport, { type: 'toolCall.suspended' }> },
): BranchesPatch {
  const { callId, suspension, isDecided } = report
  return isDecided
    ? patch(context, callId, { status: 'active', suspensionId: null })
    : patch(context, callId, { status: 'suspended', suspensionId: suspension.id })
}

/** Takes the end of a branch. */
export function takeSettlement(
  { context }: BranchesArgs,
  { callId, status }: { readonly callId: string; readonly status: EndStatus },
): BranchesPatch {
  return patch(context, callId, { status, suspensionId: null })
}

/** Returns the id of the actor of a settled call. */
export function settledChild(_: unknown, { callId }: { readonly callId: string }): string {
  return callId
}

/** Returns true if every branch has ended. */
export function isOver({ context }: BranchesArgs): boolean {
  return !branchesOf(context).some(isOpen)
}

/** Returns true if a branch waits, every other branch waits or has ended, and nobody has ended the group. */
export function mustWait({ context }: BranchesArgs): boolean {
  const statuses = branchesOf(context).map(({ status }) => status)
  return context.ending === null && statuses.includes('suspended') && !statuses.includes('active')
}

/** Returns true if the group has something to do. */
export function goesOn(args: BranchesArgs): boolean {
  return !mustWait(args)
}

/** Returns true if every branch has ended after a cancel or an error of the group. */
export function isEnded(args: BranchesArgs): boolean {
  return isOver(args) && args.context.ending !== null
}

/** Returns true if every branch has ended and none of them may win. */
export function isLost(args: BranchesArgs): boolean {
  return isOver(args) && candidatesOf(args.context).length === 0
}

/** Returns the input of the evaluation. */
export function evaluateInput({ context }: BranchesArgs): EvaluateInput {
  return { candidates: candidatesOf(context) }
}

/** Takes the selected branch. If that branch may not win, takes the first branch that may. */
export function takeSelection({ context }: BranchesArgs, event: EndedWith<Evaluated>): BranchesPatch {
  if (!('output' in event)) return {}
  const { callId: wanted, usage, cost } = event.output
  const candidates = candidatesOf(context)
  const callId = candidates.includes(wanted) ? wanted : candidates[0]
  const index = branchesOf(context).findIndex((branch) => branch.callId === callId)
  const winner = branchesOf(context)[index]
  return winner === undefined ? {} : { selection: { runId: winner.runId, index: index + 1, usage, cost } }
}

/** Keeps a message that no model reads. */
export function queueMessage(
  { context }: BranchesArgs,
  { queued }: { readonly queued: Extract<BranchesEvent, { type: 'message.queued' }>['queued'] },
): BranchesPatch {
  return { queue: [...context.queue, queued] }
}

function candidatesOf(context: BranchesContext): readonly string[] {
  return branchesOf(context).flatMap(({ callId, status }) => (status === 'succeeded' ? [callId] : []))
}

function isOpen({ status }: Branch): boolean {
  return status === 'active' || status === 'suspended'
}

function patch({ branches }: BranchesContext, callId: string, change: Partial<Branch>): BranchesPatch {
  const branch = branches[callId]
  return branch === undefined ? {} : { branches: { ...branches, [callId]: { ...branch, ...change } } }
}
