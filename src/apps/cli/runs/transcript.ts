import { stripVTControlCharacters } from 'node:util'
import { type Message, textOf } from '../../../index.ts'
import { mediaTitle, type ShownContent, toolCallsOf } from '../../../ports.ts'
import { cutToColumns } from '../terminal/columns.ts'
import { flow } from '../terminal/flowing-text.ts'
import { gutterLines } from '../terminal/gutter.ts'
import { oneLine, visibleText } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'

/** The maximum number of printed lines of each text; further lines are counted. */
const lineLimit = 40

const margin = '  '

/** Describes a transcript for a person. On a terminal, words are wrapped and results have a gutter. */
export function describeTranscript(messages: readonly Message[], session: TranscriptLook): readonly string[] {
  return messages.flatMap((message) => describeMessage(message, session))
}

/** The settings with which a transcript is printed. */
export type TranscriptLook = Pick<Session, 'io' | 'paint' | 'options' | 'isInteractive'>

function describeMessage(message: Message, look: TranscriptLook): readonly string[] {
  const { paint } = look
  switch (message.role) {
    case 'user':
      return [paint('bold', 'user'), ...describeText(textOf(message), look), ...mediaLines(message.content)]
    case 'assistant':
      return [
        paint('bold', `assistant (${oneLine(message.provider)}/${oneLine(message.model)})`),
        ...describeText(textOf(message), look),
        ...toolCallsOf(message).map((call) =>
          describeToolCall(oneLine(call.name), visibleText(JSON.stringify(call.arguments)), look),
        ),
        ...(message.errorMessage === undefined ? [] : [`  model error: ${oneLine(message.errorMessage, 500)}`]),
      ]
    case 'toolResult':
      return [
        paint('bold', `${oneLine(message.toolName)} (${message.callId}, ${message.status})`),
        ...describeResult(textOf(message), look),
        ...mediaLines(message.content),
      ]
    case 'extension':
      return [paint('bold', `extension ${oneLine(message.kind)}`)]
  }
}

function mediaLines(content: readonly ShownContent[]): readonly string[] {
  return content.flatMap((block) => (block.type === 'text' ? [] : [`  [${oneLine(mediaTitle(block), 300)}]`]))
}

/** Returns the line of a call, cut to one row on a terminal unless `--full` is given. */
function describeToolCall(name: string, given: string, look: TranscriptLook): string {
  const head = `  → ${name} `
  const room = look.isInteractive ? Math.max(10, columnsOfTerminal(look) - head.length) : 300
  return head + (look.options.full ? given : cutToColumns(oneLine(given, room), room))
}

/** Returns the lines of a person's or a model's text. */
function describeText(text: string, look: TranscriptLook): readonly string[] {
  const { shown, rest } = shorten(text, look)
  if (!look.isInteractive) return [...shown.map((line) => margin + line), ...rest]
  if (shown.length === 0) return []
  return [flow(shown.join('\n'), { width: columnsOfTerminal(look), margin, paint: look.paint }), ...rest]
}

/** Returns the lines of a result. The text is from outside, so it never begins a row in the first column. */
function describeResult(text: string, look: TranscriptLook): readonly string[] {
  const { shown, rest } = shorten(text, look)
  if (!look.isInteractive) return [...shown.map((line) => margin + line), ...rest]
  const rows = shown.flatMap((line) => gutterLines(line, columnsOfTerminal(look)))
  return [...rows.map((row) => row.gutter + row.text), ...rest]
}

function columnsOfTerminal({ io }: TranscriptLook): number {
  return Math.max(20, io.columns || 80) - 1
}

interface Shortened {
  readonly shown: readonly string[]
  /** The line with the number of hidden lines; empty if there are none. */
  readonly rest: readonly string[]
}

function shorten(text: string, { options }: TranscriptLook): Shortened {
  if (text === '') return { shown: [], rest: [] }
  const lines = visibleText(stripVTControlCharacters(text)).trimEnd().split('\n')
  const more = options.full ? 0 : lines.length - lineLimit
  if (more <= 0) return { shown: lines, rest: [] }
  return { shown: lines.slice(0, lineLimit), rest: [`  [… ${more} lines more: show them with --full]`] }
}
