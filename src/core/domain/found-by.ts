import { isRecord, type Json } from './text/json.ts'
import type { LogEntry } from './log.ts'
import { textsIn } from './run-origin.ts'
import type { RunRecord } from './run-record.ts'

const mostCharacters = 200

/** What a run is found by in lists. */
export type FoundBy = Pick<RunRecord, 'subject' | 'labels' | 'prompt'>

/** What a run is found by, read of the input it is stored with; its subject is its own id where none was given. */
export function foundBy(runId: string, input: Json): FoundBy {
  const { subject, labels } = isRecord(input) ? input : {}
  const prompt = promptLineIn(input)
  return {
    subject: typeof subject === 'string' ? subject : runId,
    ...(labels === undefined ? {} : { labels: textsIn(labels) }),
    ...(prompt === undefined ? {} : { prompt }),
  }
}

/**
 * The line that a run is found by from the commit on that takes its prompt in: what a filter has refused, or a context
 * builder has left out, is not kept there either. Undefined where it stays; null where nothing was taken in.
 */
export function keptPrompt(stored: Json, append: readonly LogEntry[]): string | null | undefined {
  const given = promptLineIn(stored)
  if (given === undefined) return undefined
  // Of a long prompt the last message gives the line: no other one is made a line of.
  if (append.some((_, place) => lineOfEntry(append.at(-1 - place)) === given)) return undefined
  for (const entry of append) {
    const line = lineOfEntry(entry)
    if (line !== undefined) return line
  }
  return null
}

function lineOfEntry(entry: LogEntry | undefined): string | undefined {
  return entry?.kind === 'message' ? promptLine([entry.message]) : undefined
}

/** The first line of the last user message among these that has text, at most 200 characters. */
function promptLine(messages: readonly unknown[]): string | undefined {
  for (const message of messages.toReversed()) {
    const line = isRecord(message) && message['role'] === 'user' ? firstLine(message['content']) : undefined
    if (line !== undefined) return line
  }
  return undefined
}

/** The same of the messages that a run was stored with. */
function promptLineIn(input: Json): string | undefined {
  const messages: unknown = isRecord(input) ? input['messages'] : undefined
  return Array.isArray(messages) ? promptLine(messages) : undefined
}

function firstLine(content: unknown): string | undefined {
  for (const part of Array.isArray(content) ? content : []) {
    const text = isRecord(part) && part['type'] === 'text' ? part['text'] : undefined
    const line = typeof text === 'string' ? lineOf(text) : ''
    if (line !== '') return line
  }
  return undefined
}

/** Twice as many code units hold the characters that are wanted, pairs of halves included. */
function lineOf(text: string): string {
  const begun = text.trimStart()
  const [line = ''] = begun.slice(0, 2 * mostCharacters + 1).split(/[\r\n]/, 1)
  return [...line].slice(0, mostCharacters).join('').trimEnd()
}
