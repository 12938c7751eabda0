import { shownResult } from './call.ts'
import { freezeDeep, isRecord, type Json } from './text/json.ts'
import type { LogEntry } from './log.ts'
import { toolCallsOf } from './message.ts'

/**
 * Returns the number of the last log entry that comes from the continued run, by the stored input; 0 for other runs.
 * The entries up to it are part of the model's prompt, but not of the run's own report. A store returns them as the
 * other runs wrote them.
 */
export function carriedIn(input: Json): number {
  return countIn(input, 'carried')
}

/** Returns the number of carried entries that the run was stored with, as a transcript that a session took over. */
export function givenIn(input: Json): number {
  return Math.min(countIn(input, 'given'), carriedIn(input))
}

function countIn(input: Json, field: string): number {
  const count = isRecord(input) ? input[field] : undefined
  return Number.isSafeInteger(count) ? Math.max(count as number, 0) : 0
}

/** Returns the log entries that the run itself has written. */
export function ownEntries(log: readonly LogEntry[], input: Json): readonly LogEntry[] {
  const carried = carriedIn(input)
  return carried === 0 ? log : log.filter(({ seq }) => seq > carried)
}

/**
 * Returns the entries of a log as the run reads them. Of the carried entries it keeps the displayed messages, with each
 * result in its call's place, the last state document, and the compaction of the prompt. Calls and other values stay
 * with the runs that had them.
 */
export function asCarried(log: readonly LogEntry[], carried: number): readonly LogEntry[] {
  if (carried === 0) return log
  const own = log.filter(({ seq }) => seq > carried)
  const before = log.filter(({ seq }) => seq <= carried)
  const state = before.findLast((entry) => entry.kind === 'state')
  const cut = before.findLast((entry) => entry.kind === 'value' && entry.name === 'compaction')
  const shown = before.flatMap((entry): readonly LogEntry[] => {
    if (entry.kind === 'message') return entry.place === undefined ? [entry] : []
    if (entry.kind !== 'call') return entry === state || entry === cut ? [entry] : []
    const result = shownResult(entry.call)
    return result === undefined ? [] : [Object.freeze({ kind: 'message', seq: entry.seq, message: freezeDeep(result) })]
  })
  return [...shown, ...own]
}

/** Returns the highest turn in the call ids of these entries, so that later calls get other ids; 0 without calls. */
export function lastNamedTurn(log: readonly LogEntry[]): number {
  return log.reduce((highest, entry) => {
    if (entry.kind !== 'message' || entry.message.role !== 'assistant') return highest
    const turns = toolCallsOf(entry.message).map(({ callId = '' }) => Number.parseInt(callId, 10))
    return turns.reduce((most, turn) => (turn > most ? turn : most), highest)
  }, 0)
}
