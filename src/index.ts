export { createAgent } from './agent/create-agent.ts'
export type { ToolTypeOf } from './agent/tool-types.ts'
export type {
  Agent,
  CloseOptions,
  ForkOptions,
  LoadOptions,
  ResumedRun,
  RevokeOptions,
  Session,
  OwnFilter,
} from './agent/agent.ts'
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
} from './sessions/session.ts'
export type { PlainStanding } from './agent/plain-standing.ts'
export type { MachineInputOptions } from './sessions/transcript-after.ts'
export { TranscriptError } from './transcripts/transcript-error.ts'
export type { TranscriptErrorCode } from './transcripts/transcript-error.ts'
export type { ReadTranscript } from './transcripts/read-transcript.ts'
export type { TranscriptFormat } from './transcripts/transcript-format.ts'
export type { LeftOut } from './transcripts/reading.ts'
export type { RepairedCall } from './transcripts/join-pieces.ts'
export type { Prompt } from './driving/read-prompt.ts'
export type { Said } from './domain/message.ts'
export type { NewRunOptions, PromptOptions, StartOptions } from './driving/start-run.ts'
export type { AgentOptions } from './agent/options.ts'
export type { ExecutorOption, LimitsOption, OnLimit } from './driving/run-options.ts'
export type { LimitAction, LimitCode } from '../machines/run/run.types.ts'
export type { RetryOptions } from './ports/retry-options.ts'
export type { Inspect, InspectedEvent, InspectObserver } from './ports/inspect.ts'
export type { TraceContext } from './domain/trace-context.ts'
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
  Tracer,
  WorkTrace,
} from './ports/tracer.ts'
export type {
  PlainActor,
  PlainImplementations,
  PlainInput,
  PlainMachine,
  PlainOutput,
  PlainRunInput,
  PlainSnapshot,
  ProvideOptions,
} from './hosts/plain/plain-machine.ts'
export type { PlainLog } from './hosts/plain/plain-log.ts'
export type { ProvidedActors, ProvidedAnswer, ProvidedCall } from './hosts/plain/plain-actors.ts'
export type { AnswerOptions, ApproveOptions, EventIterator, Run, SettledOptions } from './agent/run.ts'
export type { EventPlace, StoredEventIterator } from './driving/event-reader.ts'
export { checkRuns } from './driving/check-runs.ts'
export type { RunProblem, RunsReport } from './driving/check-runs.ts'
export type { RunLabels } from './driving/run-labels.ts'
export type { RunDetails } from './domain/run-details.ts'
export type { StartDetails } from './driving/start-details.ts'
export type { RunResult, RunStanding } from './driving/run-result.ts'
export type { CallDecision, StoredStanding } from './driving/stored-standing.ts'
export { readDurablePath } from './driving/run-state.ts'
export type { DurablePaths, RunState } from './driving/run-state.ts'
export { pruneRuns } from './driving/prune-runs.ts'
export type { PruneOptions } from './driving/prune-runs.ts'
export { randomIds, systemClock } from './agent/system-clock.ts'
export { UsageError } from './domain/usage-error.ts'
export type { UsageErrorCode } from './domain/usage-error.ts'
export { StoreError } from './domain/store-error.ts'
export type { FoundLease, StoreErrorCode } from './domain/store-error.ts'
export { ModelError } from './domain/model-error.ts'
export type { ModelErrorKind } from './domain/model-error.ts'
export { SnapshotError } from './domain/snapshot-error.ts'
export type { SnapshotErrorCode } from './domain/snapshot-error.ts'
export { ToolsetError } from './domain/toolset-error.ts'
export type { ToolsetErrorCode } from './domain/toolset-error.ts'
export { EngineError } from './domain/engine-error.ts'
export { parseAnswer } from './domain/parse-answer.ts'
export type { ParsedAnswer } from './domain/parse-answer.ts'
export { tool } from './ports/define-tool.ts'
export type {
  JsonLike,
  PreviewContext,
  Suspended,
  Tool,
  ToolContext,
  ToolNeeds,
  NamedTool,
  ToolOptions,
  ToolResult,
  ToolRetry,
  ToolReturn,
} from './ports/tool.ts'
export type { Toolset } from './ports/toolset.ts'
export type { InputOf, OutputOf, Schema, SchemaIssue, SchemaResult, StandardSchema } from './ports/schema.ts'
export type { HookAnswer, Hooks } from './ports/hooks.ts'
export type { FilterAnswer, FilterContext, InputFilter } from './ports/input-filter.ts'
export type {
  AnsweredPermission,
  PermissionAnswer,
  PermissionAnswers,
  PermissionAsk,
  PermissionContext,
  PermissionManager,
  PermissionOptions,
  PermissionPolicy,
  PolicyTools,
} from './ports/permissions.ts'
export type { RuleField, RuleFields } from './domain/match-rules.ts'
export type { RuleEffect, RuleLists } from './domain/permission-rule.ts'
export type { ContextBuilder, ContextBuilderInput, RunInstructions } from './ports/context-builder.ts'
export type { AnswerContent, BuildPrompt, TakeAnswer } from './ports/loop-parts.ts'
export type {
  CompactionOptions,
  CountTokens,
  PromptStrategy,
  StrategyContext,
  SummaryOptions,
} from './ports/prompt-strategy.ts'
export type { OutputBuilder, OutputBuilderInput } from './ports/output-contract.ts'
export type { QueuedKind, QueueMode, Rejection } from '../machines/run/run.input-types.ts'
export type { ValueName } from './domain/log.ts'
export type {
  BeforeInferenceContext,
  CallPhaseContext,
  GateAnswer,
  EndingPhaseContext,
  LoopPhaseContext,
  PhaseContext,
  Plugin,
  RequestContext,
  ReviewContext,
  RunStartContext,
  ToolValue,
  ToolValues,
} from './ports/plugin.ts'
export type {
  CacheMarks,
  CacheStrategy,
  Model,
  ModelEvent,
  ModelRequest,
  OutputFormat,
  Prices,
  RequestLifecycle,
  PriceTable,
  RequestOption,
  ThinkingLevel,
  ToolDefinition,
} from './ports/model.ts'
export type {
  CallRow,
  CheckpointInfo,
  ClaimedRun,
  Commit,
  CommitReceipt,
  CommitRefused,
  DeleteReceipt,
  FirstCommit,
  Lease,
  NewRun,
  QueuedStart,
  Store,
  StoredRun,
  Timer,
} from './ports/store.ts'
export type { EventRows } from './ports/event-rows.ts'
export type { LiveAnswer, LiveAnswers } from './ports/live-answers.ts'
export type { InboxRows } from './ports/inbox-rows.ts'
export type { Leases } from './ports/leases.ts'
export type { RunRows } from './ports/run-rows.ts'
export type { DeletedSession, DeleteSessionOptions, SessionChange, SessionRows } from './ports/session-rows.ts'
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
} from './ports/store-lists.ts'
export { contract } from './ports/define-contract.ts'
export type { ServiceContract } from './ports/service-contract.ts'
export { answerTo } from './domain/service-event.ts'
export type { SentEvent, ServiceEvent } from './domain/service-event.ts'
export type { EventReceipt } from './driving/receive-event.ts'
export type { ServedRequest } from './domain/run-details.ts'
export type {
  OutboxStore,
  OutgoingFilter,
  OutgoingItem,
  OutgoingQuery,
  OutgoingRow,
  OutgoingState,
} from './ports/outbox.ts'
export type { AuditFilter, GrantFilter, GrantStore, Revoking, RunGrants } from './ports/grants.ts'
export type { AuditAction, AuditEntry, DecisionRecord, NewAuditEntry } from './domain/audit-entry.ts'
export type { Grant, NewGrant } from './domain/grant.ts'
export type { ClaimedWork, Postponement, PostponedFilter, PostponedRun, WorkQuery, WorkStore } from './ports/work.ts'
export type { WorkerBeat, WorkerRecord } from './domain/worker-record.ts'
export type { Clock } from './ports/clock.ts'
export type { Ids } from './ports/ids.ts'
export type { AgentEvent, AgentEventHead, MessageDelta, StoredEvent, ToolType } from './domain/event.ts'
export { foldEvent, foldEvents } from './domain/fold-events.ts'
export { emptyRunView } from './domain/run-view.ts'
export type { AnswerView, CallView, RunView } from './domain/run-view.ts'
export type { RunConfiguration } from './domain/run-configuration.ts'
export type { Continuation, TurnTrigger } from './domain/run-origin.ts'
export type {
  CallRecord,
  CallStatus,
  CallStep,
  CallSteps,
  ResumeMode,
  StateChange,
  SuspendedCall,
  ToolEffects,
} from './domain/call.ts'
export type { RequestField, RequestHead, RequestOverride, RequestPlan } from './domain/request-plan.ts'
export type { CallPlan, SuspensionHead, Verdict } from './domain/call-plan.ts'
export type { InputPlace, SaidHead, SaidPlace } from './domain/payload.ts'
export type { Decision, DecisionAction, DecisionAnswer, DecisionReceipt, DecisionScope } from './domain/decision.ts'
export { scopesFor } from './domain/scopes-for.ts'
export type { InboxItem, InboxRow, PostAnswer, PostedItem, PostReceipt, StoredDecision } from './domain/inbox.ts'
export { textOf, toolCallsOf, userMessage } from './domain/message.ts'
export type {
  AssistantMessage,
  ExtensionMessage,
  InputMessage,
  PromptMessage,
  ImageContent,
  Message,
  ModelMessage,
  ProviderData,
  StopReason,
  TextContent,
  ThinkingContent,
  ToolCallContent,
  ToolResultMessage,
  ToolErrorCode,
  ToolResultStatus,
  UserMessage,
} from './domain/message.ts'
export type { Json, JsonObject } from './domain/json.ts'
export { cacheHitRate } from './domain/usage.ts'
export type { Usage } from './domain/usage.ts'
export type { TranscriptMessage } from './domain/transcript-message.ts'
export type { EventsEntry, KeptEvents } from './domain/kept-events.ts'
export type { LogEntry } from './domain/log.ts'
export type { Owner } from './domain/owner.ts'
export type { RunRecord } from './domain/run-record.ts'
export type { QueuedItem, SessionState, StoredSession } from './domain/session-state.ts'
export type { SleepInput } from './domain/timer.ts'
export type { Suspension, SuspensionReason, SuspensionTicket } from './domain/suspension.ts'
export type { CheckpointName, Outcome, RunError, RunReason, RunStatus } from './domain/outcome.ts'
