import { type Message, userMessage } from '../domain/message.ts'
import { callback, checkOptions, optional, wholeFrom } from '../domain/text/option-shape.ts'
import type { Plugin } from '../ports/plugin.ts'

/**
 * Options of `hintAfterFailures`: the number of failed results of one tool in a row, default 3, and the text for the
 * model.
 */
export interface HintOptions {
  readonly after?: number
  readonly text?: (toolName: string, failures: number) => string
}

const wholeNumber = wholeFrom(1)

/** Tells the model, in the next prompt only, that a tool keeps failing. Throws a `UsageError` for an invalid option. */
export function hintAfterFailures(options: HintOptions = {}): Plugin {
  checkOptions('hintAfterFailures', options, { after: optional(wholeNumber), text: optional(callback) })
  const { after = 3, text = (tool, n) => `[Tool "${tool}" has failed ${n} times in a row. Try another way.]` } = options
  return {
    name: 'hint-after-failures',
    beforeModel({ messages, addMessages }) {
      const hints = [...failuresInARow(messages())].filter(([, failures]) => failures >= after)
      addMessages(hints.map((hint) => userMessage(text(...hint), messages().at(-1)?.timestamp ?? 0)))
    },
  }
}

/** By tool, the number of failures since the model's last answer. */
function failuresInARow(transcript: readonly Message[]): ReadonlyMap<string, number> {
  const inARow = new Map<string, number>()
  let latest = new Set<string>()
  for (const message of transcript) {
    if (message.role === 'assistant') latest = new Set()
    if (message.role !== 'toolResult') continue
    latest.add(message.toolName)
    inARow.set(message.toolName, message.isError ? (inARow.get(message.toolName) ?? 0) + 1 : 0)
  }
  return new Map([...inARow].filter(([toolName]) => latest.has(toolName)))
}
