export { walkCrashes } from './walk-crashes.ts'
export type { CrashPoint } from './mortal-process.ts'
export type {
  CrashFinding,
  CrashProblem,
  CrashProblemKind,
  CrashReport,
  CrashScenario,
  CrashStorage,
  CrashWalkOptions,
} from './crash-scenario.ts'
export type { CrashEnvironment, ManualClock, PerformedEffect } from './crash-environment.ts'
export type { Interleaving } from './interleaving.ts'
