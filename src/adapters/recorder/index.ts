export { sessionRecorder } from './session-recorder.ts'
export type { RecorderOptions, SessionRecorder } from './session-recorder.ts'
export type { KeptEventsOption } from './recorded-run.ts'
export { childrenOf, parallelSiblings, rootRuns, runOf, totalUsage } from './queries.ts'
export { mergeSessions } from './merge-sessions.ts'
export { pruneSessions } from './prune-sessions.ts'
export type { PruneSessionsOptions } from './prune-sessions.ts'
export { memorySessionStore } from './memory-session-store.ts'
export type { DamagedSession, SessionFilter, SessionStore } from './session-store.ts'
export { readTranscript } from '../../core/transcripts/read-transcript.ts'
export type { ReadTranscript, ReadTranscriptOptions } from '../../core/transcripts/read-transcript.ts'
export { TranscriptError } from '../../core/transcripts/transcript-error.ts'
export type { TranscriptErrorCode } from '../../core/transcripts/transcript-error.ts'
export type { TranscriptFormat } from '../../core/transcripts/transcript-format.ts'
export type { LeftOut } from '../../core/transcripts/reading.ts'
export type { RepairedCall } from '../../core/transcripts/join-pieces.ts'
export { SessionError } from './session-error.ts'
export type { SessionErrorCode } from './session-error.ts'
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
