import { checkOptions, number, optional, type OptionShape, text } from '../../core/domain/text/option-shape.ts'
import { newestFirst } from './list-sessions.ts'
import { SessionError } from './session-error.ts'
import type { SessionHead } from './session-record.ts'
import type { SessionStore } from './session-store.ts'

/** The sessions that `pruneSessions` deletes: those above an age, those beyond a number, or both. */
export interface PruneSessionsOptions {
  /** Unix milliseconds: sessions last active before it go. */
  readonly before?: number
  /** The maximum number of kept sessions, the last active ones. Default: all. */
  readonly keep?: number
  /** Default: the sessions of all agents. */
  readonly agentId?: string
  /** Sessions deleted at most, so that a large store is pruned in batches. Default 1,000. */
  readonly limit?: number
}

const count = number('a number of 0 or more', (value) => value >= 0)
const shape: OptionShape<PruneSessionsOptions> = {
  before: optional(number('finite Unix milliseconds', Number.isFinite)),
  keep: optional(count),
  agentId: optional(text),
  limit: optional(count),
}

const pageSize = 500

/** Deletes old sessions, the oldest first, and returns their ids. Active, unreadable and locked sessions stay. */
export async function pruneSessions(store: SessionStore, options: PruneSessionsOptions): Promise<readonly string[]> {
  checkOptions('pruneSessions', options, shape)
  const { before = Number.NEGATIVE_INFINITY, keep = Number.POSITIVE_INFINITY, limit = 1000 } = options
  const heads = (await allHeads(store, options)).toSorted(newestFirst)
  const old = heads.filter(({ lastActiveAt }, index) => index >= keep || lastActiveAt < before).toReversed()
  const pruned: string[] = []
  for (const { id } of old) {
    if (pruned.length >= limit) break
    if (await deleted(store, id)) pruned.push(id)
  }
  return pruned
}

async function allHeads(store: SessionStore, { agentId }: PruneSessionsOptions): Promise<readonly SessionHead[]> {
  const heads: SessionHead[] = []
  const filter = agentId === undefined ? { limit: pageSize } : { agentId, limit: pageSize }
  for (;;) {
    const last = heads.at(-1)
    const page = await store.list(last === undefined ? filter : { ...filter, after: last })
    const read = page.flatMap((head) => ('damaged' in head ? [] : [head]))
    heads.push(...read)
    if (read.length < pageSize) return heads
  }
}

async function deleted(store: SessionStore, id: string): Promise<boolean> {
  try {
    const { runs } = await store.load(id)
    if (runs.some(({ status }) => status === 'pending' || status === 'running' || status === 'waiting')) return false
    await store.delete(id)
    return true
  } catch (error) {
    if (error instanceof SessionError && error.code !== 'store_unavailable') return false
    throw error
  }
}
