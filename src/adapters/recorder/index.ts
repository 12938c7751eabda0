export { recordEvents, recordSessions, type RecordStoreOptions } from './record-sessions.ts'
export type { RecordOptions } from './session-fold.ts'
export type { KeptEventsOption } from './recorded-run.ts'
export { childrenOf, parallelSiblings, rootRuns, runOf, totalUsage } from './queries.ts'
export { mergeSessions } from './merge-sessions.ts'
export { pruneSessions, type PruneSessionsOptions } from './prune-sessions.ts'
export type { DamagedRecord, RecordFilter, SessionStore } from './session-store.ts'
export { readTranscript } from '../../core/transcripts/read-transcript.ts'
export type { ReadTranscriptOptions } from '../../core/transcripts/read-parts.ts'
export { SessionError, type SessionErrorCode } from './session-error.ts'
export type {
  ChildRun,
  ParallelGroup,
  RecordedConfiguration,
  RecordedRun,
  RecordedSession,
  RecordedStatus,
  SessionFormation,
  SessionHead,
  SpawnedFrom,
} from './session-record.ts'
