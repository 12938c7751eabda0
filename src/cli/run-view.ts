import {
  type AgentEvent,
  type Message,
  type AssistantMessage,
  textOf,
  toolCallsOf,
  type ToolResultMessage,
} from '../index.ts'
import type { CliIo, Paint } from './cli-io.ts'
import { oneLine, plainText, safeJson } from './safe-text.ts'

/** Shows a run while it is driven. */
export interface RunView {
  show(event: AgentEvent): void
  /** Ends a line that was left open. */
  finish(): void
}

/** Live text and progress on a terminal; a line for each thing that is done elsewhere. */
export function createRunView(io: CliIo, paint: Paint): RunView {
  const text = new OpenText(io)
  const width = io.isTTY ? Math.max(40, io.columns || 80) : 120
  const argumentsOf = new Map<string, string>()
  const line = (shown: string) => {
    text.close()
    io.stdout.write(`${shown}\n`)
  }
  const showAnswer = (message: AssistantMessage) => {
    for (const call of toolCallsOf(message)) argumentsOf.set(call.callId ?? call.id, safeJson(call.arguments))
    text.complete(plainText(textOf(message)))
    if (message.errorMessage !== undefined) line(paint('red', `model error: ${oneLine(message.errorMessage, 500)}`))
  }
  const show = (event: AgentEvent) => {
    switch (event.type) {
      case 'message.started':
        return text.close()
      case 'message.updated':
        return io.isTTY && event.delta.type === 'text' ? text.add(plainText(event.delta.delta)) : undefined
      case 'message.ended':
        if (event.message.role === 'assistant') return showAnswer(event.message)
        return isFailure(event.message) ? line(describeFailure(event.message, paint)) : undefined
      case 'toolExecution.started': {
        const given = oneLine(argumentsOf.get(event.callId) ?? '', Math.max(20, width - event.toolName.length - 3))
        return line(`${paint('cyan', '→')} ${paint('bold', oneLine(event.toolName))} ${given}`.trimEnd())
      }
      case 'progress.reported':
        return io.isTTY ? line(paint('dim', `  ${oneLine(event.text)}`)) : undefined
      case 'toolExecution.ended':
        if (event.retry !== undefined) {
          const seconds = Math.max(1, Math.ceil((event.retry.at - event.at) / 1000))
          return line(paint('dim', `${oneLine(event.retry.message, 300)} Trying again in ${seconds} s.`))
        }
        return event.status === 'succeeded' ? line(`${paint('green', '✓')} ${oneLine(event.toolName)}`) : undefined
      case 'model.failed': {
        if (event.retryAt === null) return undefined
        const seconds = Math.max(1, Math.ceil((event.retryAt - event.at) / 1000))
        return line(paint('dim', `${oneLine(event.error.message, 300)} Asking again in ${seconds} s.`))
      }
      case 'options.ignored': {
        const model = oneLine(`${event.provider}/${event.model}`, 200)
        return line(paint('dim', `${model} has no place for ${oneLine(event.options.join(', '), 200)}.`))
      }
      case 'commit.delayed':
        return line(paint('dim', `The store takes nothing just now and is asked again: ${oneLine(event.message, 300)}`))
      case 'toolset.failed':
      case 'tool.leftOut':
        return line(paint('dim', oneLine(event.message, 500)))
      case 'decision.dropped':
        return line(`decision dropped: ${oneLine(event.message, 500)}`)
      case 'run.started':
      case 'run.resumed':
      case 'run.waiting':
      case 'run.ended':
      case 'turn.started':
      case 'turn.ended':
      case 'toolExecution.updated':
      case 'call.suspended':
      case 'call.settled':
      case 'calls.dropped':
      case 'state.changed':
      case 'plugin.conflict':
        return undefined
    }
  }
  return { show, finish: () => text.close() }
}

/** The answer as far as it is on the screen; deltas may have been dropped or sent again. */
class OpenText {
  private shown = ''
  private readonly io: CliIo
  constructor(io: CliIo) {
    this.io = io
  }

  add(text: string): void {
    this.shown += text
    this.io.stdout.write(text)
  }

  /** Writes what is still missing of the whole text, or all of it where something else stands there. */
  complete(text: string): void {
    if (!text.startsWith(this.shown)) this.close()
    this.add(text.slice(this.shown.length))
    this.close()
  }

  close(): void {
    if (this.shown !== '' && !this.shown.endsWith('\n')) this.io.stdout.write('\n')
    this.shown = ''
  }
}

function isFailure(message: Message): message is ToolResultMessage {
  return message.role === 'toolResult' && message.isError
}

function describeFailure(message: ToolResultMessage, paint: Paint): string {
  return `${paint('red', '✗')} ${oneLine(message.toolName)}: ${oneLine(textOf(message), 300)}`
}
