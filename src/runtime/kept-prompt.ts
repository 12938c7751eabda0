import type { Json } from '../domain/json.ts'
import type { LogEntry } from '../domain/log.ts'
import { promptLine, promptLineIn } from '../domain/prompt-line.ts'

/**
 * The line that a run is found by from the commit on that takes its prompt in: what a filter has refused, or a context
 * builder has left out, is not kept there either. Undefined where it stays; null where nothing was taken in.
 */
export function keptPrompt(stored: Json, append: readonly LogEntry[]): string | null | undefined {
  const given = promptLineIn(stored)
  if (given === undefined) return undefined
  const said = append.flatMap((entry) => (entry.kind === 'message' ? (promptLine([entry.message]) ?? []) : []))
  return said.includes(given) ? undefined : (said[0] ?? null)
}
