import { shownResult } from '../domain/call.ts'
import { ownEntries } from '../domain/carried.ts'
import type { LogEntry } from '../domain/log.ts'
import type { Message } from '../domain/message.ts'
import type { StoredRun } from '../ports/store.ts'
import { logAsOf, parseDocument } from './document.ts'
import type { Migrations } from './migration.ts'

/** A message that is stored and was not told. */
export interface UntoldMessage {
  readonly seq: number
  readonly message: Message
}

/**
 * Results are told with a checkpoint, and stored before it where calls settle one by one: those that commits since the last
 * checkpoint have written were told by nobody if their process has died.
 */
export function untoldResults(
  { record, input, checkpoint, document, log }: StoredRun,
  steps?: Migrations,
): readonly UntoldMessage[] {
  if (document === null) return []
  const before = shownAt(checkpoint === null ? [] : logAtCheckpoint(record.id, { checkpoint, log, steps }))
  return ownEntries(log, input).flatMap((entry): readonly UntoldMessage[] => {
    if (entry.kind !== 'call' || !isShown(entry) || before.has(entry.seq)) return []
    const message = shownResult(entry.call)
    return message === undefined ? [] : [{ seq: entry.seq, message }]
  })
}

/** The log up to the checkpoint, as it was then. */
function logAtCheckpoint(runId: string, { checkpoint, log, steps }: CheckpointParts): readonly LogEntry[] {
  const { root, calls = {} } = parseDocument(runId, checkpoint.document, steps)
  const then = log.filter(({ seq }) => seq < checkpoint.seq)
  return logAsOf(then, root, calls)
}

interface CheckpointParts {
  readonly checkpoint: NonNullable<StoredRun['checkpoint']>
  readonly log: readonly LogEntry[]
  readonly steps: Migrations | undefined
}

function shownAt(log: readonly LogEntry[]): ReadonlySet<number> {
  return new Set(log.filter(isShown).map(({ seq }) => seq))
}

function isShown(entry: LogEntry): boolean {
  return entry.kind === 'call' && entry.call.result !== undefined && entry.call.placeholder !== true
}
