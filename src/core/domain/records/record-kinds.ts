import { accountKind, chargeKind } from '../account.ts'
import { recordTables } from './record-kind.ts'

/** Every kind of record that a store keeps. A new kind is one name more. */
export const recordKinds = recordTables(accountKind, chargeKind)
