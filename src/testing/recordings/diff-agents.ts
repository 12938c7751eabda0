import { StoreError } from '../../core/domain/store-error.ts'
import { UsageError } from '../../core/domain/text/usage-error.ts'
import type { Store } from '../../core/ports/store.ts'
import type { AgentSource } from '../paths/agent-under-test.ts'
import { checkGiven } from './check-given.ts'
import { type WhatIf, whatIf } from './what-if.ts'

/** Options of `diffRuns`. */
export interface DiffOptions {
  /** The agent as it was, for a store whose runs other versions drove. Default: the runs as they are stored. */
  readonly from?: AgentSource
  /** The maximum number of runs, the newest first. Default 1,000. */
  readonly limit?: number
}

/** The differences that an agent would have caused in the stored runs. */
export interface RunsDiff {
  /** The number of runs that were stepped through the agent. */
  readonly runs: number
  /** Ids of runs with a new question, with a question that falls away, and with a call that ends otherwise. */
  readonly asks: readonly string[]
  readonly asksNoLonger: readonly string[]
  readonly ends: readonly string[]
  /** The runs that differ. */
  readonly found: readonly WhatIf[]
  /** The runs that could not be stepped, with the reason. */
  readonly left: readonly { readonly runId: string; readonly message: string }[]
}

/**
 * Steps the stored runs of the agent's name that wait or are done through an agent, as `whatIf` does, and counts the
 * differences. With `from`, a difference that this other agent also shows does not count.
 */
export async function diffRuns(
  source: AgentSource,
  store: Store,
  { from, limit = 1000 }: DiffOptions = {},
): Promise<RunsDiff> {
  checkGiven('diffRuns', source, store)
  const { name } = typeof source === 'function' ? source() : source
  const found: WhatIf[] = []
  const left: { readonly runId: string; readonly message: string }[] = []
  let runs = 0
  for (const record of await store.list({ agent: name, limit })) {
    const runId = record.id
    if ('status' in record && record.status === 'running') continue
    try {
      const now = await whatIf(source, store, runId)
      const before = from === undefined ? [] : (await whatIf(from, store, runId)).differences
      const known = new Set(before.map(({ text }) => text))
      const differences = now.differences.filter(({ text }) => !known.has(text))
      if (differences.length > 0) found.push({ ...now, differences })
      runs++
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof StoreError)) throw error
      left.push({ runId, message: error.message })
    }
  }
  const idsOf = (kind: string) =>
    found.flatMap(({ runId, differences }) => (differences.some((one) => one.kind === kind) ? [runId] : []))
  return { runs, asks: idsOf('asks'), asksNoLonger: idsOf('asksNoLonger'), ends: idsOf('ends'), found, left }
}
