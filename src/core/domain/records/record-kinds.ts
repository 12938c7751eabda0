import { accountKind, chargeKind } from '../account.ts'
import { auditKind, grantKind } from '../granted.ts'
import { outgoingKind } from '../outgoing.ts'
import { answerKind, readerKind } from '../live-answer.ts'
import { metadataKind, sessionKind } from '../session-record.ts'
import { workerKind } from '../worker-record.ts'
import { recordTables } from './record-kind.ts'

/** Every kind of record in a store. Add a new kind here. */
export const recordKinds = recordTables(
  workerKind,
  readerKind,
  answerKind,
  grantKind,
  auditKind,
  outgoingKind,
  sessionKind,
  metadataKind,
  accountKind,
  chargeKind,
)
