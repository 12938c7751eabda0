import type { MessageDelta } from '../../domain/event.ts'
import { isRecord } from '../../domain/text/json.ts'
import type { LiveAnswer } from '../../ports/live-answers.ts'

/** Milliseconds for which a reader's mark stands. */
export const markMs = 10_000

/** A mark that is younger, in milliseconds, is not written anew. */
export const freshMs = 3_000

/** An answer under way as it was put; undefined for what cannot be read: the next one is put in its place. */
export function decodeLive(body: string): LiveAnswer | undefined {
  try {
    const value: unknown = JSON.parse(body)
    if (!isRecord(value) || typeof value['turn'] !== 'number' || !Array.isArray(value['deltas'])) return undefined
    const deltas: readonly unknown[] = value['deltas']
    return deltas.every(isDelta) ? { turn: value['turn'], deltas } : undefined
  } catch {
    return undefined
  }
}

function isDelta(value: unknown): value is MessageDelta {
  if (!isRecord(value) || typeof value['delta'] !== 'string') return false
  if (value['type'] === 'text' || value['type'] === 'thinking') return true
  return value['type'] === 'toolCall' && typeof value['id'] === 'string' && typeof value['name'] === 'string'
}
