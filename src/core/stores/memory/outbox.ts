import type { OutboxStore, OutgoingRow } from '../../ports/outbox.ts'
import type { EncodedCommit } from '../rows/encode-commit.ts'
import { readKept } from '../rows/json-text.ts'
import type { Watchers } from '../rows/watchers.ts'

/** What a store in memory keeps of what is to leave, and who tells it of commits. */
export interface MemoryOutbox {
  readonly methods: OutboxStore
  readonly add: (commit: EncodedCommit) => void
}

/** An empty outbox; `opened` throws where the store is closed, and has the runs that are there. */
export function createOutbox(opened: () => ReadonlyMap<string, unknown>, watchers: Watchers): MemoryOutbox {
  const rows = new Map<number, OutgoingRow>()
  let lastNumber = 0

  const change = (row: OutgoingRow, changes: Partial<OutgoingRow>) => rows.set(row.number, { ...row, ...changes })
  const all = () => {
    const runs = opened()
    for (const { number, runId, state } of rows.values()) if (state === 'sent' && !runs.has(runId)) rows.delete(number)
    return [...rows.values()]
  }
  /** The pending rows of these kinds that stand behind no other. */
  const first = (kinds: readonly string[]) => {
    const lanes = new Set<string>()
    return all().flatMap(({ due, ...row }) => {
      const lane = JSON.stringify([row.runId, row.kind, row.destination])
      if (due === undefined || !kinds.includes(row.kind) || lanes.has(lane)) return []
      lanes.add(lane)
      return { ...row, due }
    })
  }
  const one = (number: number) => {
    opened()
    return rows.get(number)
  }

  const methods: OutboxStore = {
    async takeOutgoing({ kinds, now, limit, holdMs }) {
      const due = first(kinds).filter((row) => row.due <= now)
      const taken = due.slice(0, Math.max(limit, 0))
      for (const row of taken) change(row, { attempts: row.attempts + 1, due: now + holdMs })
      return taken.flatMap(({ number }) => rows.get(number) ?? [])
    },

    async markSent(number) {
      const row = one(number)
      if (row === undefined || row.state === 'sent') return
      const { due: _, problem: __, ...rest } = row
      if (opened().has(row.runId)) rows.set(number, { ...rest, state: 'sent', body: null })
      else rows.delete(number)
    },

    async failOutgoing({ number, attempts }, { problem, until }) {
      const row = one(number)
      if (row?.due === undefined || row.attempts !== attempts) return
      const { due: _, ...rest } = row
      rows.set(number, until === undefined ? { ...rest, state: 'aside', problem } : { ...rest, due: until, problem })
    },

    async nextOutgoing(kinds) {
      const dues = first(kinds).map(({ due }) => due)
      return dues.length === 0 ? undefined : Math.min(...dues)
    },

    async outgoing({ runId, state, limit = 100 } = {}) {
      const isMeant = (row: OutgoingRow) =>
        (runId === undefined || row.runId === runId) && (state === undefined || row.state === state)
      return all().filter(isMeant).slice(0, limit)
    },

    async retryOutgoing(number) {
      const row = one(number)
      if (row === undefined || row.state === 'sent') return false
      change(row, { state: 'pending', attempts: 0, due: row.at })
      watchers.notifyOfWork()
      return true
    },

    async dropOutgoing(number) {
      opened()
      return rows.delete(number)
    },
  }

  return {
    methods,
    add({ runId, at, outgoing }) {
      for (const { body, ...item } of outgoing) {
        const number = ++lastNumber
        rows.set(number, { ...item, number, runId, body: readKept(body), state: 'pending', at, attempts: 0, due: at })
      }
      watchers.notifyOfWork()
    },
  }
}
