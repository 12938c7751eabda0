export { walkCrashes } from './crash/index.ts'
export type {
  Interleaving,
  CrashFinding,
  CrashPoint,
  CrashProblem,
  CrashProblemKind,
  CrashReport,
  CrashScenario,
  CrashStorage,
  CrashWalkOptions,
  CrashEnvironment,
  ManualClock,
  PerformedEffect,
} from './crash/index.ts'
export { modelSuite } from './models/index.ts'
export type { ModelScenario, ModelUnderTest } from './models/index.ts'
export { describePaths } from './paths/index.ts'
export type { AgentSource, AgentUnderTest, TestRunner } from './paths/index.ts'
export { sandboxSuite } from './sandboxes/index.ts'
export type { SandboxUnderTest } from './sandboxes/index.ts'
export { storeSuite } from './stores/index.ts'
export type { StoreUnderTest } from './stores/index.ts'
export { toolsetSuite } from './toolsets/index.ts'
export type { ToolsetUnderTest } from './toolsets/index.ts'
export { workerSuite } from './workers/index.ts'
