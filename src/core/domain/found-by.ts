import { isRecord, type Json, textsIn } from './text/json.ts'
import type { LogEntry } from './log.ts'

import type { RunRecord } from './run-record.ts'

const mostCharacters = 200

/** The searchable fields of a run. */
export type FoundBy = Pick<RunRecord, 'subject' | 'labels' | 'prompt'>

/** Returns the searchable fields from a run's stored input; the default subject is the run's id. */
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
 * Returns the searchable prompt line after the commit that accepts the prompt, so that a line that a filter rejected,
 * or that a context builder removed, is not kept. Returns undefined if the line is unchanged, and null if nothing was
 * accepted.
 */
export function keptPrompt(stored: Json, append: readonly LogEntry[]): string | null | undefined {
  const given = promptLineIn(stored)
  if (given === undefined) return undefined
  // The last message of a long prompt provides the line, so the lines of other messages are not computed.
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

/** Returns the first line of the last user message with text, at most 200 characters. */
function promptLine(messages: readonly unknown[]): string | undefined {
  for (const message of messages.toReversed()) {
    const line = isRecord(message) && message['role'] === 'user' ? firstLine(message['content']) : undefined
    if (line !== undefined) return line
  }
  return undefined
}

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

/** Cuts to twice as many code units first, which contain the wanted characters even if all are surrogate pairs. */
function lineOf(text: string): string {
  const begun = text.trimStart()
  const [line = ''] = begun.slice(0, 2 * mostCharacters + 1).split(/[\r\n]/, 1)
  return [...line].slice(0, mostCharacters).join('').trimEnd()
}
