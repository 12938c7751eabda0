import * as is from '../../core/domain/text/option-shape.ts'
import { isShaped, isText } from '../../core/domain/text/shape.ts'
import type { SessionHead } from './session-record.ts'
import type { DamagedRecord, RecordFilter } from './session-store.ts'

const shape: is.OptionShape<RecordFilter> = {
  agentId: is.optional(is.text),
  after: is.optional(is.expecting('the head of a session', isShaped({ id: isText, lastActiveAt: Number.isFinite }))),
  limit: is.optional(is.number('a number of 0 or more', (value) => value >= 0)),
}

/** Throws a `UsageError` for an invalid filter. */
export function checkFilter(filter: RecordFilter): void {
  is.checkOptions('list', filter, shape)
}

/** Returns the heads that match a filter, in order. The first page for all agents also has the unreadable sessions. */
export function listed(
  heads: readonly SessionHead[],
  damaged: readonly DamagedRecord[],
  { agentId, after, limit = 100 }: RecordFilter,
): readonly (SessionHead | DamagedRecord)[] {
  const wanted = heads.filter((head) => agentId === undefined || head.agentId === agentId).toSorted(newestFirst)
  const rest = after === undefined ? wanted : wanted.filter((head) => newestFirst(after, head) < 0)
  const broken = agentId === undefined && after === undefined ? damaged : []
  return [...rest.slice(0, limit), ...broken]
}

type Place = Pick<SessionHead, 'id' | 'lastActiveAt'>

/** Compares by last activity, then by id. */
export function newestFirst(left: Place, right: Place): number {
  return right.lastActiveAt - left.lastActiveAt || (left.id < right.id ? -1 : left.id > right.id ? 1 : 0)
}
