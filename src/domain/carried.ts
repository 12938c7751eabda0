import { isRecord, type Json } from './json.ts'
import type { LogEntry } from './log.ts'
import { toolCallsOf } from './message.ts'

/**
 * How many entries the log of a run was begun with, by the input the run was stored with: the transcript of the run it goes
 * on from. They are part of what its model reads, and no part of what is told of the run itself. 0 for other runs.
 */
export function carriedIn(input: Json): number {
  const carried = isRecord(input) ? input['carried'] : undefined
  return Number.isSafeInteger(carried) ? Math.max(carried as number, 0) : 0
}

/** The entries of a log that the run has written itself. */
export function ownEntries(log: readonly LogEntry[], input: Json): readonly LogEntry[] {
  const carried = carriedIn(input)
  return carried === 0 ? log : log.filter(({ seq }) => seq > carried)
}

/** The highest turn that calls in these entries are named by, so that later calls get other names; 0 where there is none. */
export function lastNamedTurn(log: readonly LogEntry[]): number {
  return log.reduce((highest, entry) => {
    if (entry.kind !== 'message' || entry.message.role !== 'assistant') return highest
    const turns = toolCallsOf(entry.message).map(({ callId = '' }) => Number.parseInt(callId, 10))
    return turns.reduce((most, turn) => (turn > most ? turn : most), highest)
  }, 0)
}
