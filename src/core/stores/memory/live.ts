import type { LiveAnswer, LiveAnswers } from '../../ports/live-answers.ts'
import { isHeld } from '../rows/lease-rules.ts'
import { markMs } from '../rows/live-rows.ts'
import type { MemoryRun } from './commit.ts'
import type { WorkParts } from './work.ts'

interface LiveRow {
  readAt: number
  put?: { readonly fence: number; readonly answer: LiveAnswer } | undefined
}

/** The part of a store in memory that holds answers under way. */
export function createLive({ opened, runOf, clock }: WorkParts): LiveAnswers {
  // A run that was deleted takes its row with it.
  const rows = new WeakMap<MemoryRun, LiveRow>()

  return {
    async live(runId) {
      const run = runOf(runId)
      if (run.row.status === 'done') return undefined
      const row = rows.get(run) ?? { readAt: 0 }
      rows.set(run, row)
      row.readAt = clock.now()
      const isCurrent = run.lease.owner !== null && row.put?.fence === run.lease.fence
      return isCurrent ? row.put?.answer : undefined
    },

    async putLive(lease, answer) {
      const run = runOf(lease.runId)
      const row = rows.get(run)
      if (row === undefined || row.readAt < clock.now() - markMs) return false
      if (isHeld(lease, run.lease)) row.put = { fence: lease.fence, answer: structuredClone(answer) }
      return true
    },

    async endLive({ runId, fence }) {
      const run = opened().get(runId)
      const row = run && rows.get(run)
      if (row?.put?.fence === fence) row.put = undefined
    },
  }
}
