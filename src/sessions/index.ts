export { sessionRecorder } from './session-recorder.ts'
export type { RecorderOptions, SessionRecorder } from './session-recorder.ts'
export type { KeptEventsOption } from './recorded-run.ts'
export { childrenOf, parallelSiblings, rootRuns, runOf, totalUsage } from './queries.ts'
export { mergeSessions } from './merge-sessions.ts'
export { pruneSessions } from './prune-sessions.ts'
export type { PruneSessionsOptions } from './prune-sessions.ts'
export { memorySessionStore } from './memory-session-store.ts'
export type { DamagedSession, SessionFilter, SessionStore } from './session-store.ts'
export { SessionError } from './session-error.ts'
export type { SessionErrorCode } from './session-error.ts'
export type {
  ChildRun,
  ParallelGroup,
  RecordedRun,
  RecordedSession,
  RecordedStatus,
  RunConfiguration,
  SessionFormation,
  SessionHead,
  SpawnedFrom,
} from './session-record.ts'
