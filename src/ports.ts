/** The types of everything that can be plugged in, for those who implement a store, a model, a tool source or a tracer, and the functions they need. */
export type { ToolTypeOf } from './core/agent/tool-types.ts'
export type {
  AsToolOptions,
  CloseOptions,
  ForkOptions,
  LoadOptions,
  ResumedRun,
  RevokeOptions,
  OwnFilter,
} from './core/agent/agent.ts'
export type {
  BranchOptions,
  CheckpointPlace,
  MessagesOptions,
  RerunOptions,
  RestoredTranscript,
  RestoreOptions,
  SessionOf,
  SessionOptions,
  SessionPromptOptions,
  SessionRunOptions,
  SessionUsage,
  BranchAgent,
  ParallelOptions,
} from './core/sessions/session.ts'
export type { BranchesNews } from './core/domain/branches-news.ts'
export type { BranchCandidate, JudgeStrategy, Strategy, StrategyFunction } from './core/ports/strategy.ts'
export type { ErrorWithCode } from './core/domain/text/error-with-code.ts'
export type { CompactedPrompt, DroppedPart, PlaceRange } from './core/domain/compacted-prompt.ts'
export type { AccountLimit } from './core/domain/account.ts'
export type { BackgroundCall } from './core/family/background-work.ts'
export type { SubAgentOptions } from './core/family/child-tool.ts'
export type { PlainStanding } from './core/agent/plain-standing.ts'
export type { MachineInputOptions } from './core/sessions/transcript-after.ts'
export type { TranscriptErrorCode } from './core/transcripts/transcript-error.ts'
export type { ReadTranscript } from './core/transcripts/read-parts.ts'
export type { TranscriptFormat } from './core/transcripts/transcript-format.ts'
export type { LeftOut } from './core/transcripts/reading.ts'
export type { RepairedCall } from './core/transcripts/join-pieces.ts'
export type { Prompt } from './core/driving/read-prompt.ts'
export {
  type Said,
  toolCallsOf,
  type AssistantMessage,
  type FileContent,
  type GivenMedia,
  type InputMessage,
  type ImageContent,
  type ModelMessage,
  type ProviderData,
  type ShownContent,
  type StopReason,
  type TextContent,
  type ThinkingContent,
  type ToolCallContent,
  type ToolResultMessage,
  type ToolErrorCode,
  type ToolResultStatus,
  type UserMessage,
} from './core/domain/message.ts'
export type { NewRunOptions, PromptOptions, StartOptions } from './core/driving/start-run.ts'
export type { ExecutorOption, LimitsOption, OnLimit } from './core/driving/run-options.ts'
export type { LimitAction, LimitCode } from '../machines/run/run.types.ts'
export type { RetryOptions } from './core/ports/retry-options.ts'
export type { Inspect, InspectedEvent, InspectObserver } from './core/ports/inspect.ts'
export type { TraceContext } from './core/domain/trace-context.ts'
export type {
  EffectTrace,
  RunTrace,
  TracedAnswer,
  TracedAsk,
  TracedEffect,
  TracedEnd,
  TracedRest,
  TracedRun,
  TracedView,
  TracedWait,
  WorkTrace,
} from './core/ports/tracer.ts'
export type {
  PlainActor,
  PlainImplementations,
  PlainInput,
  PlainMachine,
  PlainOutput,
  PlainPair,
  PlainRunInput,
  PlainSnapshot,
  ProvideOptions,
} from './core/plain/plain-machine.ts'
export type { AnswerOptions, ApproveOptions, SettledOptions } from './core/agent/run.ts'
export type {
  FollowedEvents,
  FollowOptions,
  RunFollowOptions,
  RunInStore,
  ServedRun,
} from './core/driving/followed-events.ts'
export type { FollowableRun } from './core/driving/follow.ts'
export type { RunProblem, RunsReport } from './core/family/check-runs.ts'
export type { RunLabels } from './core/driving/run-labels.ts'
export type { RunDetails, ServedRequest } from './core/domain/run-details.ts'
export type { StartDetails } from './core/driving/start-details.ts'
export type { RunStanding } from './core/driving/run-result.ts'
export type { CallDecision, StoredStanding } from './core/driving/stored-standing.ts'
export { readDurablePath, type DurablePaths, type RunState } from './core/driving/run-state.ts'
export type { DeleteRunOptions, DeleteSessionOptions, PruneOptions } from './core/driving/delete-families.ts'
export { randomIds, systemClock } from './core/ports/system-clock.ts'
export type { UsageErrorCode } from './core/domain/text/usage-error.ts'
export type { FoundLease, StoreErrorCode } from './core/domain/store-error.ts'
export type { ModelErrorKind } from './core/domain/model-error.ts'
export type { SnapshotErrorCode } from './core/domain/snapshot-error.ts'
export type { ToolsetErrorCode } from './core/domain/toolset-error.ts'
export { parseAnswer, type ParsedAnswer } from './core/domain/parse-answer.ts'
export type {
  JsonLike,
  PreviewContext,
  ProbeAnswer,
  ProbeBy,
  ProbeQuestion,
  Suspended,
  ToolNeeds,
  NamedTool,
  ToolRetry,
  ReturnOf,
} from './core/ports/tool.ts'
export type { InputOf, OutputOf, SchemaIssue, SchemaResult, StandardSchema } from './core/ports/schema.ts'
export type { FilterAnswer, FilterContext } from './core/ports/input-filter.ts'
export type {
  AnsweredPermission,
  PermissionAnswer,
  PermissionAnswers,
  PermissionAsk,
  PermissionContext,
  PermissionManager,
  PermissionPolicy,
  PolicyTools,
} from './core/ports/permissions.ts'
export type { RuleField, RuleFields } from './core/domain/match-rules.ts'
export type { RuleEffect, RuleLists } from './core/domain/permission-rule.ts'
export type { ContextBuilderInput, RunInstructions } from './core/ports/run-instructions.ts'
export type {
  CompactionOptions,
  CountTokens,
  PromptStrategy,
  StrategyContext,
  SummaryOptions,
} from './core/ports/prompt-strategy.ts'
export type { OutputBuilder, OutputBuilderInput } from './core/ports/output-contract.ts'
export type {
  AnswerContext,
  AnswerVerdict,
  BeforeModelContext,
  CallPhaseContext,
  EndingPhaseContext,
  ErrorContext,
  GateAnswer,
  GateContext,
  HookAnswer,
  LoopPhaseContext,
  PatchContext,
  PhaseContext,
  RequestContext,
  ReviewContext,
  RunStartContext,
  ToolValue,
  ToolValues,
  UpdateContext,
  UsageContext,
} from './core/ports/plugin.ts'
export type {
  CacheMarks,
  CacheStrategy,
  ModelEvent,
  OutputFormat,
  RequestLifecycle,
  PriceTable,
  RequestOption,
  ThinkingLevel,
  ToolDefinition,
} from './core/ports/model.ts'
export type {
  CallRow,
  CheckpointInfo,
  ClaimedRun,
  Commit,
  CommitReceipt,
  CommitRefused,
  DeletedRuns,
  FirstCommit,
  Lease,
  NewRun,
  QueuedStart,
  StoredRun,
  Timer,
} from './core/ports/store.ts'
export type { EventRows } from './core/ports/event-rows.ts'
export type { LiveAnswer } from './core/domain/live-answer.ts'
export { readLiveAnswer } from './core/driving/store-live-answer.ts'
export { listWorkers } from './core/driving/list-workers.ts'
export type { InboxFilter, InboxRows } from './core/ports/inbox-rows.ts'
export type { Leases } from './core/ports/leases.ts'
export type { RunsToDelete } from './core/ports/commit.ts'
export type { RunRows } from './core/ports/run-rows.ts'
export { deleteRun, deleteSession } from './core/driving/delete-runs.ts'
export { findSession, listSessions } from './core/driving/find-sessions.ts'
export type {
  DamagedRun,
  DamagedSession,
  Listed,
  ListedRun,
  ListedSession,
  RunFilter,
  SessionFilter,
  SuspendedFilter,
  SuspendedRun,
} from './core/ports/store-lists.ts'
export type { SentEvent } from './core/domain/service-event.ts'
export type { EventReceipt } from './core/driving/receive-event.ts'
export { dropOutgoing, listOutgoing, retryOutgoing, type OutgoingFilter } from './core/driving/list-outgoing.ts'
export type { KeptItem, OutgoingItem, OutgoingRow, OutgoingState } from './core/domain/outgoing.ts'
export type { AuditFilter, GrantFilter, RunGrants } from './core/ports/grants.ts'
export type { Revoking } from './core/domain/granted.ts'
export { listAudit, listGrants, revokeGrant } from './core/driving/list-grants.ts'
export type { AuditAction, AuditEntry, DecisionRecord, NewAuditEntry } from './core/domain/audit-entry.ts'
export type { Grant, NewGrant } from './core/domain/grant.ts'
export type {
  ClaimedWork,
  Postponement,
  PostponedFilter,
  PostponedRun,
  WorkQuery,
  WorkStore,
} from './core/ports/work.ts'
export type { WorkerBeat, WorkerRecord } from './core/domain/worker-record.ts'
export type { AgentEventBody, AgentEventHead, MessageDelta, StoredEvent, ToolType } from './core/domain/event.ts'
export type { AnswerView, CallView } from './core/domain/run-view.ts'
export type { RunConfiguration } from './core/domain/run-configuration.ts'
export type { Continuation, TurnTrigger } from './core/domain/continuation.ts'
export type {
  CallRecord,
  CallStatus,
  CallStep,
  CallSteps,
  ResumeMode,
  StateChange,
  SuspendedCall,
} from './core/domain/call.ts'
export type { RequestField, RequestHead, RequestOverride, RequestPlan } from './core/domain/request-plan.ts'
export type { CallPlan, SuspensionHead, Verdict } from './core/domain/call-plan.ts'
export type { InputPlace, SaidHead, SaidPlace } from './core/domain/payload.ts'
export type { DecisionAction, DecisionAnswer, DecisionScope } from './core/domain/decision.ts'
export { decisionScopes } from './core/domain/decision-scope.ts'
export type { HandoverOptions } from './core/family/handover-tool.ts'
export { scopesFor } from './core/domain/scopes-for.ts'
export type { InboxItem, InboxRow, PostAnswer, PostedItem, PostReceipt, StoredDecision } from './core/domain/inbox.ts'
export { mediaTitle, type AcceptedMedia, type MediaRule } from './core/domain/media.ts'
export { cacheHitRate } from './core/domain/usage.ts'
export type { TranscriptMessage } from './core/domain/transcript-message.ts'
export type { EmittingEntry, LogEntry, MarkEntry, MessageEntry, ValueEntry, ValueName } from './core/domain/log.ts'
export type { MarkedEvent } from './core/domain/marked-event.ts'
export type { Interpreter } from './core/step/steps-of.ts'
export type { Owner } from './core/domain/owner.ts'
export type { RunRecord } from './core/domain/run-record.ts'
export type { QueuedItem, SessionState, StoredSession } from './core/domain/session-state.ts'
export type { SleepInput } from './core/domain/timer.ts'
export type { SuspensionReason, SuspensionTicket } from './core/domain/suspension.ts'
export type { CheckpointName, Outcome, RunError, RunReason, RunStatus } from './core/domain/outcome.ts'
export { FoundRecords, type FoundRow, type RecordRun, type StoredRecord } from './core/domain/records/found-records.ts'
export type { Judgement, RecordChange, RecordWrite } from './core/domain/records/record-change.ts'
export type { RecordFields, RecordKind, RecordPut, RecordTable } from './core/domain/records/record-kind.ts'
export type { RecordRead, RowRead, RowsRead, RunRead } from './core/domain/records/record-read.ts'
export type { Records } from './core/ports/records.ts'
export type { BuiltOutput, RequestSettings } from './core/agent/options.ts'
export type { ProvidedAsk, ProvidedVerdict } from './core/plain/plain-actors.ts'
