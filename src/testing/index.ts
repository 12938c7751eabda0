export { brokerSuite } from './brokers/broker-suite.ts'
export type { CrashEnvironment, ManualClock, PerformedEffect } from './crash/crash-environment.ts'
export type { CrashProblem, CrashProblemKind } from './crash/crash-problem.ts'
export type {
  CrashFinding,
  CrashReport,
  CrashScenario,
  CrashStorage,
  CrashWalkOptions,
} from './crash/crash-scenario.ts'
export type { Interleaving } from './crash/interleaving.ts'
export type { CrashPoint } from './crash/mortal-process.ts'
export { walkCrashes } from './crash/walk-crashes.ts'
export { memorySuite, type MemoryUnderTest } from './memories/memory-suite.ts'
export { modelSuite, type ModelScenario, type ModelUnderTest } from './models/model-suite.ts'
export type { AgentSource } from './paths/agent-under-test.ts'
export { describePaths } from './paths/describe-paths.ts'
export {
  explorable,
  type Explorable,
  type ExplorableEvent,
  type ExplorableOptions,
  type ExplorableSnapshot,
} from './paths/explorable.ts'
export type { TestRunner } from './paths/test-runner.ts'
export type { AgentUnderTest } from './paths/tested-options.ts'
export { playPolicy, policyFile } from './policies/play-policy.ts'
export type { PolicyAnswer, PolicyCall, PolicyMove, PolicyScript } from './policies/policy-script.ts'
export { type PolicyProof, type ProofReport, prove, type ProveOptions } from './policies/prove.ts'
export { forecast, type Forecast, type ForecastGroup, type ForecastOptions } from '../core/agent/forecast/forecast.ts'
export type { AnswerPreview } from '../core/agent/forecast/preview-answer.ts'
export { previewAnswers, type CallPreview, type PreviewOptions } from '../core/agent/forecast/preview-answers.ts'
export type { Outlook, Saying } from '../core/agent/forecast/saying.ts'
export { coverage, type CoveredTransition, type RunsCoverage } from './recordings/coverage.ts'
export { diffRuns, type DiffOptions, type RunsDiff } from './recordings/diff-agents.ts'
export { recordingFile, type RecordingPlace } from './recordings/recording-file.ts'
export type {
  RecordedAnswer,
  RecordedCall,
  RecordedDecision,
  RecordedEnd,
  RecordedMessage,
  RecordedResult,
  Recording,
} from './recordings/recording.ts'
export { recordRun, type RunRecording, type RecordRunOptions } from './recordings/record-run.ts'
export { testRecording } from './recordings/test-recording.ts'
export { type CallDifference, type WhatIf, whatIf } from './recordings/what-if.ts'
export type { SandboxUnderTest } from './sandboxes/sandbox-suite-fixtures.ts'
export { sandboxSuite } from './sandboxes/sandbox-suite.ts'
export { sessionStoreSuite, type SessionStoreUnderTest } from './sessions/session-store-suite.ts'
export { defaultRates, type FaultKind, type FaultRates } from './simulation/faults.ts'
export type { Performance } from './simulation/ledger.ts'
export type {
  SimulatedAgents,
  SimulatedPlace,
  SimulatedView,
  SimulationInvariant,
  SimulationOptions,
} from './simulation/settings.ts'
export { simulate, type SimulationFinding, type SimulationReport } from './simulation/simulate.ts'
export { storeSuite, type StoreUnderTest } from './stores/store-suite.ts'
export { toolsetSuite, type ToolsetUnderTest } from './toolsets/toolset-suite.ts'
export { workerSuite } from './workers/worker-suite.ts'
