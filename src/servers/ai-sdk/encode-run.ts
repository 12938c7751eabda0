import type { UIMessageChunk } from 'ai'
import { type AgentEvent, emptyRunView, foldEvents, type RunView, textOf } from '../../index.ts'
import type { CallRecord, SuspendedCall, ToolResultMessage } from '../../ports.ts'
import { AnswerParts, type PartMove } from '../chat/answer-parts.ts'
import { asksFor } from '../chat/suspension-kind.ts'
import { finishChunks } from './finish-chunks.ts'
import { approvalIdIn } from './held-id.ts'

/** The state of the run before its events. */
export interface EncodedRun {
  readonly runId: string
  /** The message that its events become. Default: that of the run's own id. */
  readonly messageId?: string
  /** The turns of the earlier runs: ids of calls continue from them. */
  readonly carriedTurns: number
}

/**
 * Encodes the events of one run as parts of one message of the AI SDK with the id of the run. Each turn is a step.
 * Repeated events change nothing.
 */
export class RunEncoder {
  readonly #run: EncodedRun
  #view: RunView = emptyRunView
  /** The answer in progress. */
  #answer: AnswerParts | undefined
  #isStepOpen = false
  /** The first chunks of the message. */
  #opening: readonly UIMessageChunk[] = []
  /** The ids of the calls that the client knows. */
  readonly #known = new Set<string>()
  /** The open suspension of each call, as emitted. */
  readonly #asked = new Map<string, { readonly id: string; readonly kind: 'approval' | 'value' }>()

  constructor(run: EncodedRun) {
    this.#run = run
  }

  begin(): readonly UIMessageChunk[] {
    const { runId, messageId = runId } = this.#run
    return [{ type: 'start', messageId, messageMetadata: { runId } }, ...this.#opening]
  }

  /**
   * Begins another message of the run, with an optional text for people and the open questions: a client answers only
   * questions in its last message, and ignores results of calls that are not in it.
   */
  restate(note: string): void {
    const { runId, messageId: id = runId } = this.#run
    this.#known.clear()
    this.#asked.clear()
    this.#answer = undefined
    this.#isStepOpen = false
    const text: readonly UIMessageChunk[] = [
      { type: 'text-start', id },
      { type: 'text-delta', id, delta: note },
      { type: 'text-end', id },
    ]
    const open = this.#view.suspended.flatMap((call) => this.#suspended(call))
    this.#opening = [...this.#newStep(), ...(note === '' ? [] : text), ...open]
  }

  encode(event: AgentEvent): readonly UIMessageChunk[] {
    const before = this.#view
    this.#view = foldEvents([event], before)
    return this.#view === before ? [] : this.#chunksOf(event)
  }

  /** Once the run rests and everything is encoded. */
  finish(): readonly UIMessageChunk[] {
    const open = this.#moved(this.#answer?.close() ?? [])
    return [...open, ...this.#endStep(), ...finishChunks(this.#view)]
  }

  #chunksOf(event: AgentEvent): readonly UIMessageChunk[] {
    const { type } = event
    if (type === 'message.started') {
      return this.#answer === undefined ? this.#step(event.turn) : this.#moved(this.#answer.begin())
    }
    if (type === 'message.updated') {
      return [...this.#step(event.turn), ...this.#moved(this.#answer?.grow(event.delta) ?? [])]
    }
    if (type === 'message.ended') {
      const { message, turn } = event
      if (message.role === 'toolResult') return this.#result(message)
      if (message.role !== 'assistant') return []
      const chunks = [...this.#step(turn), ...this.#moved(this.#answer?.settle(message) ?? [])]
      this.#answer = undefined
      return chunks
    }
    if (type === 'run.waiting') return event.suspended.flatMap((call) => this.#suspended(call))
    if (type === 'call.suspended') return this.#suspended(event.call)
    if (type === 'call.settled') {
      const edited = event.editedArguments === undefined ? [] : this.#called(event)
      return [...edited, ...(event.result === undefined ? [] : this.#result(event.result))]
    }
    if (type === 'toolExecution.started') return this.#answered(event.callId, true)
    if (type === 'toolExecution.updated') {
      const { callId: toolCallId, partial } = event
      if (!this.#known.has(toolCallId)) return []
      return [{ type: 'tool-output-available', toolCallId, output: partial, preliminary: true, dynamic: true }]
    }
    if (type !== 'progress.reported') return []
    const { callId, toolName, text } = event
    return [{ type: 'data-progress', data: { callId, toolName, text }, transient: true }]
  }

  /** The step of a turn; undefined while a step is open. */
  #step(turn: number): readonly UIMessageChunk[] {
    if (this.#answer !== undefined) return []
    const { runId, carriedTurns } = this.#run
    this.#answer = new AnswerParts({
      idOf: (_, before) => `${runId}.${turn}.${before.length}`,
      callIdOf: (id) => `${carriedTurns + turn}.${id}`,
    })
    return this.#newStep()
  }

  #newStep(): readonly UIMessageChunk[] {
    const ended = this.#endStep()
    this.#isStepOpen = true
    return [...ended, { type: 'start-step' }]
  }

  #endStep(): readonly UIMessageChunk[] {
    if (!this.#isStepOpen) return []
    this.#isStepOpen = false
    return [{ type: 'finish-step' }]
  }

  #moved(moves: readonly PartMove[]): readonly UIMessageChunk[] {
    return moves.flatMap((move) => {
      if (move.type === 'ended' && move.part.kind === 'toolCall') this.#known.add(move.part.id)
      return chunkOf(move) ?? []
    })
  }

  #suspended(call: SuspendedCall): readonly UIMessageChunk[] {
    const { suspension, callId, toolName } = call
    if (suspension === undefined) return []
    const { runId, messageId = runId } = this.#run
    const approvalId = approvalIdIn(messageId, runId, suspension.id)
    if (this.#asked.get(callId)?.id === approvalId) return []
    const kind = asksFor(call)
    const shown = call.isHold === true ? this.#hold() : []
    const known = this.#called(call, call.arguments)
    this.#asked.set(callId, { id: approvalId, kind })
    const { id, message: reason, definition: _, ...rest } = suspension
    const descriptor = { ...rest, callId, toolName }
    if (kind === 'value') {
      const data = { ...descriptor, ...(reason && { message: reason }) }
      return [...shown, ...known, { type: 'data-suspension', id, data }]
    }
    const asked = { approvalId, toolCallId: callId, approvalDescriptor: descriptor }
    const why = reason === undefined ? {} : { reason }
    return [...shown, ...known, { type: 'tool-approval-request', ...asked, ...why }]
  }

  /** Emits a hold of the run in its own step, so that a retried answer does not remove it. */
  #hold(): readonly UIMessageChunk[] {
    const dropped = this.#moved(this.#answer?.begin() ?? [])
    this.#answer = undefined
    return [...dropped, ...this.#newStep()]
  }

  /** Emits a call with its arguments, unless the client knows both. */
  #called(
    { callId, toolName, editedArguments }: Pick<CallRecord, 'callId' | 'toolName' | 'editedArguments'>,
    given?: unknown,
  ): readonly UIMessageChunk[] {
    if (this.#known.has(callId) && editedArguments === undefined) return []
    this.#known.add(callId)
    const input = editedArguments ?? given ?? {}
    return [{ type: 'tool-input-available', toolCallId: callId, toolName, input, dynamic: true }]
  }

  #result(result: ToolResultMessage): readonly UIMessageChunk[] {
    const { callId: toolCallId, toolName } = result
    const call = this.#view.calls.findLast(({ callId }) => callId === toolCallId)
    const isCancelled = call?.status === 'cancelled'
    const known = this.#called({ callId: toolCallId, toolName }, call?.arguments)
    const wasAsked = this.#asked.get(toolCallId)?.kind === 'approval'
    const answered = this.#answered(toolCallId, !isCancelled, textOf(result))
    if (wasAsked && isCancelled) return [...known, ...answered, { type: 'tool-output-denied', toolCallId }]
    return [...known, ...answered, ...outputOf(result)]
  }

  #answered(callId: string, approved: boolean, reason = ''): readonly UIMessageChunk[] {
    const asked = this.#asked.get(callId)
    this.#asked.delete(callId)
    if (asked?.kind !== 'approval') return []
    const why = approved || reason === '' ? {} : { reason }
    return [{ type: 'tool-approval-response', approvalId: asked.id, approved, ...why }]
  }
}

/** Returns the text of a result that is only text, else its blocks. */
function outputOf(result: ToolResultMessage): readonly UIMessageChunk[] {
  const { callId: toolCallId, isError, content } = result
  if (isError) return [{ type: 'tool-output-error', toolCallId, errorText: textOf(result), dynamic: true }]
  const output = content.every(({ type }) => type === 'text') ? textOf(result) : content
  return [{ type: 'tool-output-available', toolCallId, output, dynamic: true }]
}

/** Returns the chunk for a part of an answer; undefined if there is none. */
function chunkOf(move: PartMove): UIMessageChunk | undefined {
  if (move.type === 'dropped') return { type: 'reset-step' }
  const { kind, id, name } = move.part
  if (kind === 'toolCall') {
    const call = { toolCallId: id, toolName: name, dynamic: true }
    if (move.type === 'begun') return { type: 'tool-input-start', ...call }
    if (move.type === 'grown') return { type: 'tool-input-delta', toolCallId: id, inputTextDelta: move.delta }
    return { type: 'tool-input-available', ...call, input: move.given }
  }
  const part = kind === 'text' ? 'text' : 'reasoning'
  if (move.type === 'begun') return { type: `${part}-start`, id }
  if (move.type === 'grown') return { type: `${part}-delta`, id, delta: move.delta }
  return { type: `${part}-end`, id }
}
