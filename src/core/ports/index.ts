/** Types for those who implement a store: the kinds of records that a store keeps, their reads and their changes. */
export { FoundRecords, type FoundRow, type RecordRun, type StoredRecord } from '../domain/records/found-records.ts'
export type { Judgement, RecordChange, RecordWrite } from '../domain/records/record-change.ts'
export type { RecordFields, RecordKind, RecordPut, RecordTable } from '../domain/records/record-kind.ts'
export type { RecordRead, RowRead, RowsRead, RunRead } from '../domain/records/record-read.ts'
export type { Records } from './records.ts'
export type { ReturnOf } from './tool.ts'
