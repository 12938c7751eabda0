import { shownResult } from './call.ts'
import { freezeDeep, isRecord, type Json } from './text/json.ts'
import type { LogEntry } from './log.ts'
import { toolCallsOf } from './message.ts'

/**
 * The last entry of the log of a run that is of the run it goes on from, by the input the run was stored with; 0 for other
 * runs. The entries up to it are part of what its model reads, and no part of what is told of the run itself. A store has
 * them as the other runs wrote them, or, of runs stored by earlier versions, as copies that `asCarried` gives back.
 */
export function carriedIn(input: Json): number {
  return countIn(input, 'carried')
}

/** Returns how many of the carried entries a run was stored with itself, as a transcript that a session took over. */
export function givenIn(input: Json): number {
  return Math.min(countIn(input, 'given'), carriedIn(input))
}

function countIn(input: Json, field: string): number {
  const count = isRecord(input) ? input[field] : undefined
  return Number.isSafeInteger(count) ? Math.max(count as number, 0) : 0
}

/** The entries of a log that the run has written itself. */
export function ownEntries(log: readonly LogEntry[], input: Json): readonly LogEntry[] {
  const carried = carriedIn(input)
  return carried === 0 ? log : log.filter(({ seq }) => seq > carried)
}

/**
 * The entries of a log as the run reads them: of those it goes on from the messages as they are shown, each result in its
 * call's place, the last state document, and how the prompt was cut; calls and other values stay with the runs that had
 * them.
 */
export function asCarried(log: readonly LogEntry[], carried: number): readonly LogEntry[] {
  if (carried === 0) return log
  const own = log.filter(({ seq }) => seq > carried)
  const before = log.filter(({ seq }) => seq <= carried)
  const state = before.findLast((entry) => entry.kind === 'state')
  const cut = before.findLast((entry) => entry.kind === 'value' && entry.name === 'compaction')
  const shown = before.flatMap((entry): readonly LogEntry[] => {
    if (entry.kind === 'message') return entry.replaces === undefined ? [entry] : []
    if (entry.kind !== 'call') return entry === state || entry === cut ? [entry] : []
    const result = shownResult(entry.call)
    return result === undefined ? [] : [Object.freeze({ kind: 'message', seq: entry.seq, message: freezeDeep(result) })]
  })
  return [...shown, ...own]
}

/** The highest turn that calls in these entries are named by, so that later calls get other names; 0 where there is none. */
export function lastNamedTurn(log: readonly LogEntry[]): number {
  return log.reduce((highest, entry) => {
    if (entry.kind !== 'message' || entry.message.role !== 'assistant') return highest
    const turns = toolCallsOf(entry.message).map(({ callId = '' }) => Number.parseInt(callId, 10))
    return turns.reduce((most, turn) => (turn > most ? turn : most), highest)
  }, 0)
}
