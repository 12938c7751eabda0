import { ifReadable } from '../domain/store-error.ts'
import { carriedIn } from '../domain/carried.ts'
import { defined, type Json } from '../domain/text/json.ts'
import { evaluationsIn, refusalsIn, summariesIn } from '../domain/paid-requests.ts'
import { detailsIn } from '../domain/run-details.ts'
import { originOf } from '../domain/run-origin.ts'
import { messagesIn } from '../domain/transcript-message.ts'
import { addUsage, noUsage } from '../domain/usage.ts'
import type { Store } from '../ports/store.ts'
import type { SessionUsage } from './session.ts'

const pageSize = 500

/**
 * Returns the usage of the runs of a session. Runs that continue one another are read once, through the transcript of
 * the last one.
 */
export async function usageOf(store: Store, sessionId: string): Promise<SessionUsage> {
  let total: SessionUsage = { usage: noUsage, cost: 0, turns: 0 }
  /** The last counted own entry of each run. */
  const counted = new Map<string, number>()

  /** Adds the answers of a run, and of the runs that it continues, that are not counted yet. */
  async function add(tip: string): Promise<void> {
    if (counted.get(tip) === Infinity) return
    const stored = await ifReadable(store.read(tip))
    if (stored === undefined) return
    const answers = messagesIn(stored.log).filter((message) => message.role === 'assistant')
    const others = [...summariesIn(stored.log), ...refusalsIn(stored.log), ...evaluationsIn(stored.log)]
    const paid = [
      ...answers.map(({ place, usage, cost }) => ({ place, usage, cost, turns: 1 })),
      ...others.map((request) => ({ ...request, turns: 0 })),
    ]
    let { input } = stored
    let [runId, last, end] = [tip, Infinity, Infinity]
    for (;;) {
      const carried = carriedIn(input)
      const first = Math.max(carried, counted.get(runId) ?? 0)
      for (const { place, usage, cost = 0, turns } of paid) {
        if (place <= first || place > last) continue
        total = { usage: addUsage(total.usage, usage), cost: total.cost + cost, turns: total.turns + turns }
      }
      if (end > first) counted.set(runId, end)
      const { parentRunId, continuation } = originOf(runId, '', input)
      if (carried === 0 || parentRunId === undefined) return
      last = Math.min(last, carried)
      // A run that continues without new messages starts at the end of the other one.
      end = continuation?.kind === 'default' && last === carried ? Infinity : last
      if ((counted.get(parentRunId) ?? 0) >= end) return
      const before: Json | undefined = await ifReadable(store.input(parentRunId))
      if (before === undefined || detailsIn(parentRunId, before).session?.id !== sessionId) return
      runId = parentRunId
      input = before
    }
  }

  for (let before: string | undefined; ;) {
    const page = await store.list({ session: sessionId, limit: pageSize, ...defined({ before }) })
    for (const run of page) if (!('damaged' in run)) await add(run.id)
    before = page.at(-1)?.cursor
    if (page.length < pageSize) return total
  }
}
