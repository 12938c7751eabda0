import type { Json } from './text/json.ts'
import type { LogEntry, ValueName } from './log.ts'

/** Returns the latest value of a name, or undefined. An `output` counts only if it belongs to the last answer. */
export function valueIn(log: readonly LogEntry[], name: ValueName): Json | undefined {
  const entry = log.findLast((candidate) => isBy(candidate, name) || (name === 'output' && isAnswer(candidate)))
  return entry?.kind === 'value' ? entry.value : undefined
}

function isBy(entry: LogEntry, name: ValueName): boolean {
  return entry.kind === 'value' && entry.name === name
}

function isAnswer(entry: LogEntry): boolean {
  return entry.kind === 'message' && entry.message.role === 'assistant'
}
