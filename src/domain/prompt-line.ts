import { isRecord, type Json } from './json.ts'

const mostCharacters = 200

/** What a run is found by: the first line of the last user message among these that has text, at most 200 characters. */
export function promptLine(messages: readonly unknown[]): string | undefined {
  for (const message of messages.toReversed()) {
    const line = isRecord(message) && message['role'] === 'user' ? firstLine(message['content']) : undefined
    if (line !== undefined) return line
  }
  return undefined
}

/** The same of the messages that a run was stored with. */
export function promptLineIn(input: Json): string | undefined {
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
