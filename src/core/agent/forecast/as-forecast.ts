import type { InboxItem, InboxRow } from '../../domain/inbox.ts'
import { detailsIn } from '../../domain/run-details.ts'
import type { AgentCore } from '../../driving/agent-core.ts'
import type { Store, StoredRun } from '../../ports/store.ts'
import type { TriedRun } from '../../runtime/load-run.ts'
import type { ForecastRun } from './open-call.ts'
import { hasCostLimit } from './unpriced-model.ts'

/** The kinds of inbox rows that a forecast reads. */
export const forecastKinds = ['decision', 'cancel', 'cancelCall'] as const satisfies readonly InboxItem['kind'][]

interface Found extends Pick<StoredRun, 'record' | 'input'> {
  readonly tried: TriedRun
  readonly inbox: readonly InboxRow[]
}

/** Returns an open run as new code reads it. */
export async function asForecast(
  store: Store,
  core: AgentCore,
  { record, input, tried, inbox }: Found,
): Promise<ForecastRun> {
  const items = inbox.map(({ item }) => item)
  return {
    ...tried,
    details: detailsIn(record.id, input),
    hasCostLimit: await hasCostLimit(store, core, record.id, input),
    decisions: items.flatMap((item) => (item.kind === 'decision' ? item.decision : [])),
    cancelled: items.some(({ kind }) => kind === 'cancel')
      ? undefined
      : new Set(items.flatMap((item) => (item.kind === 'cancelCall' ? item.callId : []))),
    now: core.clock.now(),
  }
}
