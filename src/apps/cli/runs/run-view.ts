import { type AgentEvent, type Message, textOf } from '../../../index.ts'
import { type AssistantMessage, type MessageDelta, toolCallsOf, type ToolResultMessage } from '../../../ports.ts'
import { previewResult, titleOf } from '../terminal/describe-result.ts'
import { flow, FlowingText, plain } from '../terminal/flowing-text.ts'
import { cutToColumns } from '../terminal/columns.ts'
import { ArrivingText, oneLine, plainText, safeJson } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'
import { StatusLine } from '../terminal/status-line.ts'

/** A display of a run while it is driven. */
export interface RunView {
  show(event: AgentEvent): void
  /** Shows a stored message, with its calls. */
  tell(message: Message): void
  /** Ends an open line, after which the same answer may go on. */
  pause(): void
  /** Ends an open line. */
  finish(): void
}

/** The display of the current activity. */
export type StatusSink = Pick<StatusLine, 'show' | 'add' | 'clear'>

/** The dependencies of a view. */
export type ViewParts = Pick<Session, 'io' | 'paint' | 'isInteractive'> & {
  /** Default: a separate line at the end of the output. */
  readonly status?: StatusSink
}

/** Creates a view with live text, a status line and results on a terminal, or with one line per event elsewhere. */
export function createRunView({ io, paint, isInteractive, status: shared }: ViewParts): RunView {
  const own = isInteractive && io.env['TERM'] !== 'dumb' ? new StatusLine(io, paint) : undefined
  const status = shared ?? own
  const write = (part: string) => {
    status?.clear()
    io.stdout.write(part)
  }
  // The terminal may be resized meanwhile.
  const look = {
    paint,
    write,
    get width() {
      return (io.isTTY ? Math.max(20, io.columns || 80) : 120) - 1
    },
  }
  const text = new OpenText(isInteractive ? new FlowingText(look) : bareText(write))
  let unbroken = new ArrivingText()
  const line = (shown: string) => {
    text.close()
    write(`${shown}\n`)
  }
  const note = (said: string) => {
    const rows = isInteractive ? flow(said, { width: look.width, paint: plain }).split('\n') : [said]
    for (const row of rows) line(paint('dim', row))
  }
  const showAnswer = (message: AssistantMessage) => {
    status?.clear()
    unbroken = new ArrivingText()
    text.complete(plainText(textOf(message)))
    for (const { id, arguments: given } of toolCallsOf(message)) titles.set(id, titleOf(given))
    if (message.errorMessage !== undefined) line(paint('red', `model error: ${oneLine(message.errorMessage, 500)}`))
  }
  const showDelta = (delta: MessageDelta) => {
    if (delta.type === 'toolCall') {
      text.add(unbroken.end())
      text.pause()
      return status?.show(`writing ${oneLine(delta.name, 40)}`)
    }
    return delta.type === 'text' ? text.add(unbroken.take(delta.delta)) : status?.add(delta.delta)
  }
  const titles = new Map<string, string>()
  const nameOf = (toolName: string, ...ids: readonly string[]) =>
    [oneLine(toolName), ids.map((id) => titles.get(id)).find((title) => title !== undefined) ?? ''].join(' ').trimEnd()
  const showResult = (result: ToolResultMessage) => {
    const name = nameOf(result.toolName, result.callId, result.toolCallId)
    if (result.isError) return line(`${paint('red', '✗')} ${name}: ${oneLine(textOf(result), 300)}`)
    line(`${result.status === 'warning' ? paint('yellow', '!') : paint('green', '✓')} ${name}`)
    for (const row of previewResult(result, look.width + 1)) line(paint('dim', row))
    return undefined
  }
  const showCall = (name: string, given: unknown, callId: string) => {
    titles.set(callId, titleOf(given))
    const room = Math.max(10, look.width - name.length - 3)
    const shown = cutToColumns(oneLine(safeJson(given), room), room)
    line(`${paint('cyan', '→')} ${paint('bold', oneLine(name))} ${shown}`.trimEnd())
  }
  const tell = (message: Message) => {
    switch (message.role) {
      case 'user':
        return note(`> ${oneLine(textOf(message), 500)}`)
      case 'assistant':
        showAnswer(message)
        for (const call of toolCallsOf(message)) showCall(call.name, call.arguments, call.callId ?? call.id)
        return undefined
      case 'toolResult':
        return showResult(message)
      case 'extension':
        return undefined
    }
  }
  const show = (event: AgentEvent) => {
    switch (event.type) {
      case 'message.started':
        text.startAgain()
        unbroken = new ArrivingText()
        return status?.show('thinking')
      case 'message.updated':
        return isInteractive ? showDelta(event.delta) : undefined
      case 'message.ended':
        if (event.message.role === 'assistant') return showAnswer(event.message)
        if (event.message.role !== 'toolResult') return undefined
        return isInteractive || event.message.isError ? showResult(event.message) : undefined
      case 'input.rejected':
        return line(`${paint('red', '✗')} ${event.filter} refused the message: ${oneLine(event.reason)}`)
      case 'toolExecution.started':
        return showCall(event.toolName, event.arguments, event.callId)
      case 'progress.reported':
        return isInteractive ? line(paint('dim', `  ${oneLine(event.text)}`)) : undefined
      case 'toolExecution.ended':
        if (event.retry !== undefined) {
          const seconds = Math.max(1, Math.ceil((event.retry.at - event.at) / 1000))
          return note(`${oneLine(event.retry.message, 300)} Trying again in ${seconds} s.`)
        }
        return event.status === 'succeeded' && !isInteractive
          ? line(`${paint('green', '✓')} ${nameOf(event.toolName, event.callId)}`)
          : undefined
      case 'model.failed': {
        if (event.retryAt === null) return undefined
        const seconds = Math.max(1, Math.ceil((event.retryAt - event.at) / 1000))
        return note(`${oneLine(event.error.message, 300)} Asking again in ${seconds} s.`)
      }
      case 'options.ignored': {
        const model = oneLine(`${event.provider}/${event.model}`, 200)
        return note(`${model} ignores these options: ${oneLine(event.options.join(', '), 200)}.`)
      }
      case 'commit.delayed':
        return note(`The store cannot be written; trying again: ${oneLine(event.message, 300)}`)
      case 'context.compacted': {
        const { tokensBefore, tokensAfter } = event
        const became =
          tokensAfter < tokensBefore
            ? `was shortened from ${tokensBefore} to ${tokensAfter} tokens.`
            : `cannot be shortened further: ${tokensAfter} tokens.`
        const problem = event.problem === undefined ? '' : ` ${oneLine(event.problem, 300)}`
        return note(`The conversation ${became}${problem}`)
      }
      case 'context.drifted': {
        const share = `${Math.round(100 * event.prefixShare)} %`
        return note(`Only ${share} of the last prompt is repeated, so the cache of the provider helps little.`)
      }
      case 'context.partFailed':
      case 'memory.failed':
      case 'toolset.failed':
      case 'tool.leftOut':
      case 'permission.failed':
      case 'policy.broken':
      case 'evaluation.failed':
      case 'listener.failed':
        return note(oneLine(event.message, 500))
      case 'hook.failed':
        return note(oneLine(event.error.message, 500))
      case 'decision.dropped':
        return line(`decision dropped: ${oneLine(event.message, 500)}`)
      case 'model.unpriced':
      case 'run.started':
      case 'run.resumed':
      case 'run.waiting':
      case 'run.ended':
      case 'turn.started':
      case 'turn.ended':
      case 'output.updated':
      case 'toolExecution.updated':
      case 'call.suspended':
      case 'call.decided':
      case 'call.settled':
      case 'calls.dropped':
      case 'state.changed':
      case 'plugin.conflict':
      case 'branches.started':
      case 'branches.ended':
        return undefined
    }
  }
  const finish = () => {
    status?.clear()
    text.close()
  }
  return { show, tell, pause: () => text.pause(), finish }
}

/** The output of an answer's text, piece by piece. */
type TextEnd = Pick<FlowingText, 'add' | 'end'>

/** Returns an output for unformatted text. */
function bareText(write: (part: string) => void): TextEnd {
  let isOpen = false
  const add = (part: string) => {
    write(part)
    isOpen = !part.endsWith('\n')
  }
  return { add, end: () => (isOpen ? add('\n') : undefined) }
}

/** The part of an answer that is on the screen; deltas may have been dropped or repeated. */
class OpenText {
  private shown = ''
  private isAgain = false
  private readonly output: TextEnd
  constructor(output: TextEnd) {
    this.output = output
  }

  /** Begins another attempt, which may first repeat the text of the attempt before. */
  startAgain(): void {
    this.pause()
    this.isAgain = true
  }

  add(text: string): void {
    const isGoingOn = this.isAgain && text.startsWith(this.shown)
    const added = isGoingOn ? text.slice(this.shown.length) : text
    if (this.isAgain && !isGoingOn) this.close()
    this.isAgain = false
    this.shown += added
    this.output.add(added)
  }

  /** Ends the line for other output; more of the same answer may follow. */
  pause(): void {
    this.output.end()
  }

  /** Writes the missing rest of the whole text, or all of it if the screen shows a different text. */
  complete(text: string): void {
    if (!text.startsWith(this.shown)) this.close()
    this.isAgain = false
    const missing = text.slice(this.shown.length)
    if (missing !== '') this.add(missing)
    this.close()
  }

  close(): void {
    this.output.end()
    this.shown = ''
    this.isAgain = false
  }
}
