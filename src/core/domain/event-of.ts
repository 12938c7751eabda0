import type { DroppedPart, PlaceRange } from './compacted-prompt.ts'
import type { StoredEvent } from './event.ts'
import type { EmittingEntry, ValueEntry } from './log.ts'
import { defined } from './text/json.ts'

/** The run that an event is about. */
export interface EventSource {
  readonly runId: string
  readonly subject: string
}

/** Returns the event of a log entry, or undefined for an entry that emits none. Each event is derived from one entry. */
export function eventOf(entry: EmittingEntry, { runId, subject }: EventSource): StoredEvent | undefined {
  const { kind, seq } = entry
  switch (kind) {
    case 'message': {
      const { at, turn, place = seq, message } = entry
      if (at === undefined || turn === undefined) return undefined
      return { type: 'message.ended', runId, subject, at, seq, turn, place, message }
    }
    case 'state': {
      const { at, state } = entry
      return at === undefined ? undefined : { type: 'state.changed', runId, subject, at, seq, state }
    }
    case 'value':
      return compactionOf(entry, { runId, subject })
    case 'mark': {
      const { at, event } = entry
      return event === undefined ? undefined : { ...event, runId, subject, at, seq }
    }
    case 'call':
    case 'checkpoint':
      return undefined
  }
}

/** Only the value `compaction` has a time. */
function compactionOf({ seq, at, turn, value }: ValueEntry, source: EventSource): StoredEvent | undefined {
  if (at === undefined || turn === undefined) return undefined
  const { tokensBefore, tokensAfter, tier, problem, summary, left } = value as unknown as StoredCut
  return {
    type: 'context.compacted',
    ...source,
    at,
    seq,
    turn,
    tokensBefore,
    tokensAfter,
    tier,
    ...listed('dropped', left?.dropped),
    ...listed('shortened', left?.shortened),
    ...defined({ problem, summary }),
  }
}

function listed(name: keyof DroppedPart, ranges: readonly PlaceRange[] = []): Partial<DroppedPart> {
  return ranges.length === 0 ? {} : { [name]: ranges }
}

interface StoredCut extends Extract<StoredEvent, { readonly type: 'context.compacted' }> {
  readonly left?: DroppedPart
}
