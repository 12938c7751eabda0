import type { Outcome, RunError } from '../../src/core/domain/outcome.ts'
import type { SaidHead } from '../../src/core/domain/payload.ts'
import type { Message } from '../../src/core/domain/message.ts'
import type { StoredSelection } from '../../src/core/domain/branch-group.ts'
import type {
  DecisionHead,
  EndStatus,
  ToolCallEvent,
  ToolCallInput,
  ToolCallReport,
} from '../tool-call/tool-call.types.ts'

/** A branch at the start of its group: its call and its run. */
export interface BranchHead {
  readonly callId: string
  readonly runId: string
}

/** A branch of a group. The rest of its call is in the call's actor and record. */
export interface Branch extends BranchHead {
  /** `active`: its call works, or will report soon. */
  readonly status: 'active' | 'suspended' | EndStatus
  /** The id of the suspension that a decision may answer; null if the call is not suspended. */
  readonly suspensionId: string | null
}

/** The input of a group: its branches in their order, at least one. */
export interface BranchesInput {
  readonly branches: readonly BranchHead[]
}

/** The branch that a strategy selected, and the cost of the evaluation. */
export interface Evaluated extends Pick<StoredSelection, 'usage' | 'cost'> {
  readonly callId: string
  /** Unix milliseconds. */
  readonly at: number
}

/** The context of a group. */
export interface BranchesContext {
  /** The branches by the ids of their calls, in their order. */
  readonly branches: { readonly [callId: string]: Branch }
  /** Messages to the group. No model reads them. */
  readonly queue: readonly SaidHead[]
  /** The outcome of the group; null while it is open. */
  readonly ending: Outcome | null
  readonly selection: StoredSelection | null
}

/** The input of an evaluation: the calls of the branches that may win, in their order, at least one. */
export interface EvaluateInput {
  readonly candidates: readonly string[]
}

/** The events that a group receives from outside and from its calls. */
export type BranchesEvent =
  | { readonly type: 'decision.received'; readonly decision: DecisionHead; readonly at: number }
  | { readonly type: 'call.cancelRequested'; readonly callId: string; readonly text: string; readonly at: number }
  | { readonly type: 'run.cancelRequested'; readonly why?: string; readonly at: number }
  | { readonly type: 'run.woken'; readonly at: number }
  | { readonly type: 'run.failed'; readonly error: RunError; readonly at: number }
  | { readonly type: 'message.queued'; readonly queued: SaidHead; readonly at: number }
  | { readonly type: 'message.posted'; readonly message: Message; readonly at: number }
  | ToolCallReport

/** The part of XState's arguments that the functions of the chart read. */
export interface BranchesArgs {
  readonly context: BranchesContext
}

/** The change of the context by an action. */
export type BranchesPatch = Partial<BranchesContext>

/** XState's `spawn`, as far as a group uses it: one actor for each branch, under the id of its call. */
export type SpawnBranch = (src: 'toolCall', options: { readonly id: string; readonly input: ToolCallInput }) => unknown

/** XState's `enqueue`, as far as a group uses it: events to the calls of its branches. */
export interface BranchSender {
  sendTo(callId: string, event: ToolCallEvent): void
}

/** The announcements of a group. */
export interface BranchesAnnouncement {
  readonly type: 'run.started' | 'run.waiting' | 'run.resumed' | 'run.ended' | 'branches.started' | 'branches.ended'
}
