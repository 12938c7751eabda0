import { usageCounts } from '../domain/usage.ts'
import { isRecord, type Json } from '../domain/text/json.ts'
import type { AssistantMessage, ShownContent } from '../domain/message.ts'
import { shownTypes } from '../domain/media.ts'
import { keptBlocks } from './foreign-media.ts'
import type { Piece, Reading, ReadMessage } from './reading.ts'

type Given = Readonly<Record<string, unknown>>

/** Reads one of our messages, as returned by `run.messages()`; a prompt's message may have a text as its content. */
export const fromOwn: ReadMessage = (message, reading) => {
  const { at } = reading
  const { role, kind, data, timestamp } = message
  const time = typeof timestamp === 'number' ? { timestamp } : {}
  switch (role) {
    case 'user':
      return [{ kind: 'user', at, content: shownOf(message, reading), ...time }]
    case 'assistant':
      return [answer(message, reading)]
    case 'toolResult': {
      const id = typeof message['callId'] === 'string' ? message['callId'] : reading.text(message, 'toolCallId')
      const isError = message['isError'] === true
      const { status, details, childRunId } = message
      const known = {
        ...time,
        ...(status === 'warning' ? { status: 'warning' as const } : {}),
        ...(details === undefined ? {} : { details: details as Json }),
        ...(typeof childRunId === 'string' ? { childRunId } : {}),
      }
      return [
        {
          kind: 'result',
          at,
          id,
          content: shownOf(message, reading),
          isError,
          known,
        },
      ]
    }
    case 'extension':
      if (typeof kind !== 'string' || data === undefined) throw reading.refuse('has no kind or no data')
      return [{ kind: 'extension', at, message: { role, kind, data: data as Json, ...time } }]
    default:
      throw reading.refuse(`has the role ${JSON.stringify(role)}. Expected user, assistant, toolResult or extension`)
  }
}

function answer(message: Given, reading: Reading): Piece {
  const blocks = reading.blocks(message['content'])
  const bad = blocks.find((block) => !isAnswerBlock(block))
  if (bad !== undefined) throw reading.refuse(`has a block of type ${JSON.stringify(bad['type'])} that no answer has`)
  const content = blocks as unknown as AssistantMessage['content']
  return { kind: 'assistant', at: reading.at, content, known: knownOf(message) }
}

const texts = ['model', 'provider', 'errorMessage']
const numbers = ['cost', 'executionUnits', 'timestamp']
const stopReasons: readonly unknown[] = ['stop', 'length', 'toolUse', 'error', 'aborted']

function knownOf(message: Given): Partial<AssistantMessage> {
  const { usage, stopReason } = message
  const isUsage = isRecord(usage) && usageCounts.every((field) => Number.isFinite(usage[field]))
  const fields = Object.entries(message).filter(
    ([field, value]) =>
      (texts.includes(field) && typeof value === 'string') ||
      (numbers.includes(field) && Number.isFinite(value)) ||
      (field === 'usage' && isUsage) ||
      (field === 'stopReason' && stopReasons.includes(stopReason)),
  )
  return Object.fromEntries(fields)
}

function shownOf({ content }: Given, reading: Reading): readonly ShownContent[] {
  const blocks = reading.blocks(content)
  const bad = blocks.find((block) => !shownTypes.has(block['type']))
  if (bad !== undefined) throw reading.refuse(`has a block of type ${JSON.stringify(bad['type'])} that is not readable`)
  return blocks.flatMap((block) => keptBlocks(block, reading))
}

function isAnswerBlock(block: Given): boolean {
  const { type, thinking, id, name, arguments: given } = block
  if (type === 'text') return typeof block['text'] === 'string'
  if (type === 'thinking') return typeof thinking === 'string'
  return (
    type === 'toolCall' && typeof id === 'string' && typeof name === 'string' && isRecord(block) && given !== undefined
  )
}
