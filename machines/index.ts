export { modelCallMachine, type ModelCallMachine } from './model-call/model-call.machine.ts'
export type {
  Answer,
  Attempted,
  CallModelInput,
  Compacted,
  CompactPromptInput,
  Misfit,
  ModelCallContext,
  ModelCallInput,
  ModelCallOutcome,
  ModelCallReport,
  Refreshed,
  RefreshCredentialsInput,
  RefusedAnswer,
  SummariseInput,
  Summarised,
} from './model-call/model-call.types.ts'
export { runMachine, type RunMachine } from './run/run.machine.ts'
export type {
  BuildContextInput,
  BuiltContext,
  ContextAnswered,
  ContextAsked,
  FilterAsked,
  FilterInput,
  FilterVerdict,
  Queued,
  QueuedKind,
  QueueMode,
  Rejection,
} from './run/run.input-types.ts'
export type { AskVerdict, RunAsk } from './run/run.asks.ts'
export type { Line, LoopPhase, Phase, Right } from './run/run.phases.ts'
export type { AskManagerInput, ManagerVerdict } from './run/run.permissions.ts'
export type {
  CallEntry,
  Ending,
  Executor,
  HoldRunInput,
  KeepTimeInput,
  Limit,
  PhaseVerdict,
  PlannedOutcome,
  Round,
  RunContext,
  RunEvent,
  RunInput,
  RunOptions,
  RunOutput,
  LoopAsk,
  Streak,
  TimeOver,
} from './run/run.types.ts'
export { toolCallMachine, type ToolCallMachine } from './tool-call/tool-call.machine.ts'
export type {
  CallAsk,
  DecisionHead,
  EndedWith,
  EndStatus,
  GateCallInput,
  GateReplayInput,
  Performed,
  ReplayVerdict,
  ReviewCallInput,
  RunToolInput,
  ToolCallContext,
  ToolCallEvent,
  ToolCallInput,
  ToolCallReport,
} from './tool-call/tool-call.types.ts'
export type { Chart, ChartArrow, ChartMarks, ChartState } from '../src/core/charts/chart.ts'
export { drawMermaid } from '../src/core/charts/draw-mermaid.ts'
export { drawSvg, type SvgOptions } from '../src/core/charts/draw-svg.ts'
export { foldChart } from '../src/core/charts/fold-chart.ts'
export { machineConfig } from '../src/core/charts/machine-config.ts'
export { markStates } from '../src/core/charts/mark-states.ts'
export { readChart } from '../src/core/charts/read-chart.ts'
