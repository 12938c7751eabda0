import type { Json } from '../../domain/json.ts'
import type { ToolCallContent } from '../../domain/message.ts'

/** A tool call as its stream left it: the argument chunks joined, and whether the answer was cut off in it. */
export interface StreamedCall {
  readonly id: string
  readonly name: string
  readonly text: string
  readonly cutOff: boolean
}

/**
 * The tool call of a finished stream. No text is `{}`; text that is not JSON gives `malformed` with the parse
 * message; a call the answer was cut off in gives `truncated`. Arguments are `{}` in both cases.
 */
export function finishedCall({ id, name, text, cutOff }: StreamedCall): ToolCallContent {
  const call = { type: 'toolCall', id, name } as const
  if (text.trim() === '') return { ...call, arguments: {}, ...(cutOff ? { truncated: true } : {}) }
  try {
    return { ...call, arguments: parseArguments(text) }
  } catch (error) {
    if (cutOff) return { ...call, arguments: {}, truncated: true }
    return { ...call, arguments: {}, malformed: error instanceof Error ? error.message : String(error) }
  }
}

function parseArguments(text: string): Json {
  return JSON.parse(text, (key, value: Json) => {
    if (refusedKeys.has(key)) throw new SyntaxError(`The key "${key}" is not allowed in arguments.`)
    return value
  })
}

/** Own keys of these names turn into prototypes when a later copy assigns them. */
const refusedKeys = new Set(['__proto__', 'constructor', 'prototype'])
