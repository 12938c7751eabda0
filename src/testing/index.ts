export { walkCrashes } from './crash-walk.ts'
export type { CrashPoint } from './crash-life.ts'
export type {
  CrashFinding,
  CrashProblem,
  CrashProblemKind,
  CrashReport,
  CrashScenario,
  CrashStorage,
  CrashWalkOptions,
} from './crash-scenario.ts'
export type { CrashWorld, ManualClock, PerformedEffect } from './crash-world.ts'
export type { Completion } from './turnstile.ts'
export { describePaths } from './describe-paths.ts'
export type { TestRunner } from './describe-paths.ts'
export type { AgentSource, AgentUnderTest } from './agent-under-test.ts'
export { modelSuite } from './model-suite.ts'
export { storeSuite } from './store-suite.ts'
export type { StoreUnderTest } from './store-suite.ts'
