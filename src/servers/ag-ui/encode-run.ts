import type { Message as AgUiMessage } from '@ag-ui/core'
import { type AgentEvent, emptyRunView, foldEvents, type RunView, textOf } from '../../index.ts'
import type { ToolResultMessage, TranscriptMessage } from '../../ports.ts'
import { type AnswerPart, AnswerParts, type PartMove } from '../chat/answer-parts.ts'
import { clientIdIn } from '../chat/client-id.ts'
import { type AgUiEvent, partEvents } from './part-events.ts'
import { type AgUiRun, finishEvents } from './finish-events.ts'
import { agUiMessage, agUiMessages, answerIdOf, resultIdOf } from './messages.ts'

/** The state of the run before its events. */
export interface EncodedRun {
  /** The stored run. */
  readonly runId: string
  readonly carriedTurns: number
  /** Answers in the transcript before those of the run. */
  readonly carriedAnswers: number
  /** The client's name of this part of the run. */
  readonly as: AgUiRun
  /** The transcript, of which those before the run's own messages count. */
  readonly transcript: readonly TranscriptMessage[]
  /** True for a client that may have other messages. It then receives all messages before the run's answers. */
  readonly isWhole: boolean
  /** A first text for people; may be empty. */
  readonly note?: string
}

/**
 * Encodes the events of one run, or of its continuation after a wait, as a run of AG-UI. Each turn is a step. If sent
 * pieces of an answer are no longer valid, a snapshot of the messages replaces them.
 */
export class AgUiEncoder {
  readonly #run: EncodedRun
  #view: RunView = emptyRunView
  #answer: AnswerParts | undefined
  #answerId = ''
  #step: string | undefined
  /** The messages that the client has. */
  readonly #messages: AgUiMessage[] = []
  readonly #open = new Map<string, AnswerPart>()
  readonly #results = new Set<string>()
  /** The place of the run's own first message. */
  #firstPlace: number | undefined
  /** The client's id of its user's next message. */
  #clientId: string | undefined

  constructor(run: EncodedRun) {
    this.#run = run
  }

  begin(): readonly AgUiEvent[] {
    const { as, runId, note = '' } = this.#run
    const messageId = `note.${as.runId}`
    const told: readonly AgUiEvent[] = [
      { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: note },
      { type: 'TEXT_MESSAGE_END', messageId },
    ]
    return [{ type: 'RUN_STARTED', ...as, metadata: { runId } }, ...(note === '' ? [] : told)]
  }

  encode(event: AgentEvent): readonly AgUiEvent[] {
    const before = this.#view
    this.#view = foldEvents([event], before)
    return this.#view === before ? [] : this.#eventsOf(event)
  }

  /** Ends what is open: the wait is over for this run of AG-UI. */
  rest(): readonly AgUiEvent[] {
    this.#answer = undefined
    return [...this.#closed(), ...this.#endStep()]
  }

  finish(): readonly AgUiEvent[] {
    return [...this.rest(), ...finishEvents(this.#view, this.#run.as)]
  }

  #eventsOf(event: AgentEvent): readonly AgUiEvent[] {
    if (event.type === 'message.started') return this.#attempt(event.turn)
    if (event.type === 'message.updated') {
      return [...this.#begun(event.turn), ...this.#moved(this.#answer?.grow(event.delta) ?? [])]
    }
    if (event.type === 'message.ended') return this.#taken(event)
    if (event.type === 'call.settled') return event.result === undefined ? [] : this.#result(event.result)
    if (event.type === 'state.changed') return [{ type: 'STATE_SNAPSHOT', snapshot: event.state }]
    if (event.type === 'progress.reported') {
      const { callId: toolCallId, toolName, text } = event
      return [{ type: 'CUSTOM', name: 'progress', value: { toolCallId, toolName, text } }]
    }
    return []
  }

  #attempt(turn: number): readonly AgUiEvent[] {
    return this.#answer === undefined ? this.#begun(turn) : this.#moved(this.#answer.begin())
  }

  /** `next` is 0 if the answer is among the stored ones. */
  #begun(turn: number, next = 1): readonly AgUiEvent[] {
    if (this.#answer !== undefined) return []
    const { carriedTurns, carriedAnswers } = this.#run
    const answerId = answerIdOf(carriedAnswers + this.#view.turns + next)
    this.#answerId = answerId
    this.#answer = new AnswerParts({
      idOf: (kind, before) =>
        kind === 'text' && before.every((part) => part.kind !== 'text') ? answerId : `${answerId}.${before.length}`,
      callIdOf: (id) => `${carriedTurns + turn}.${id}`,
    })
    const ended = this.#endStep()
    this.#step = `turn ${turn}`
    return [...ended, { type: 'STEP_STARTED', stepName: this.#step }]
  }

  #endStep(): readonly AgUiEvent[] {
    const stepName = this.#step
    this.#step = undefined
    return stepName === undefined ? [] : [{ type: 'STEP_FINISHED', stepName }]
  }

  #taken({ message, turn, place }: Extract<AgentEvent, { type: 'message.ended' }>): readonly AgUiEvent[] {
    this.#firstPlace ??= place
    switch (message.role) {
      case 'toolResult':
        return this.#result(message)
      case 'extension':
        this.#clientId = clientIdIn([message])
        return []
      case 'user': {
        this.#keep(agUiMessage(message, this.#clientId ?? `message.${place}`))
        this.#clientId = undefined
        return this.#run.isWhole ? [this.#snapshot()] : []
      }
      case 'assistant': {
        const told = [...this.#begun(turn, 0), ...this.#moved(this.#answer?.settle(message) ?? [])]
        this.#answer = undefined
        this.#keep(agUiMessage(message, this.#answerId))
        return told
      }
    }
  }

  /** A dropped answer is removed by a snapshot of everything else. */
  #moved(moves: readonly PartMove[]): readonly AgUiEvent[] {
    return moves.flatMap((move) => {
      if (move.type === 'dropped') {
        return [...this.#closed(), this.#snapshot()]
      }
      if (move.type === 'begun') this.#open.set(move.part.id, move.part)
      if (move.type === 'ended') this.#open.delete(move.part.id)
      return partEvents(move, this.#answerId)
    })
  }

  #closed(): readonly AgUiEvent[] {
    const parts = [...this.#open.values()]
    this.#open.clear()
    return parts.flatMap((part) => partEvents({ type: 'ended', part }, this.#answerId))
  }

  #result(result: ToolResultMessage): readonly AgUiEvent[] {
    const { callId: toolCallId } = result
    if (this.#results.has(toolCallId) || this.#view.suspended.some(({ callId }) => callId === toolCallId)) return []
    this.#results.add(toolCallId)
    const messageId = resultIdOf(toolCallId)
    this.#keep(agUiMessage(result, messageId))
    return [{ type: 'TOOL_CALL_RESULT', messageId, toolCallId, content: textOf(result), role: 'tool' }]
  }

  #keep(message: AgUiMessage | undefined): void {
    if (message !== undefined) this.#messages.push(message)
  }

  #snapshot(): AgUiEvent {
    const first = this.#firstPlace ?? Infinity
    const before = agUiMessages(this.#run.transcript.filter(({ place }) => place < first))
    return { type: 'MESSAGES_SNAPSHOT', messages: [...before, ...this.#messages] }
  }
}
