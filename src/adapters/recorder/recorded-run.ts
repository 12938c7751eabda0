import type { AgentEvent } from '../../core/domain/event.ts'
import { defined, isRecord, type Json, toPlainJson } from '../../core/domain/text/json.ts'
import { toolCallsOf } from '../../core/domain/message.ts'
import { isPassing } from '../../core/domain/passing-event.ts'
import { foldEvents } from '../../core/domain/fold-events.ts'
import { emptyRunView, type RunView } from '../../core/domain/run-view.ts'
import type { TranscriptMessage } from '../../core/domain/transcript-message.ts'
import type { ChildRun, RecordedConfiguration, RecordedRun, RecordedStatus } from './session-record.ts'

/** The events in a record: none, all except passing ones such as deltas, or all. */
export type KeptEventsOption = 'none' | 'lifecycle' | 'all'

type RunStarted = Extract<AgentEvent, { readonly type: 'run.started' }>

/** Folds the events of one run into its record. */
export class RunFold {
  readonly id: string
  sessionId = ''
  view: RunView = emptyRunView
  #started: RunStarted | undefined
  #firstAt: number
  #endedAt: number | undefined
  #isClosed = false
  #endedTurn = 0
  readonly #turns = new Map<number, number>()
  #events: AgentEvent[] = []

  constructor(id: string, at: number) {
    this.id = id
    this.#firstAt = at
  }

  get started(): RunStarted | undefined {
    return this.#started
  }

  /** The stable id of its agent: its name, if the events have no id. */
  get agentId(): string {
    return this.#started?.agentId ?? this.#started?.agent ?? ''
  }

  /** The run that delegated work to this one; undefined for a run that continues another. */
  get spawnedBy(): string | undefined {
    return this.#started?.continuation === undefined ? this.#started?.parentRunId : undefined
  }

  /** Adds one more event. Returns false if it was added before. */
  add(event: AgentEvent, kept: KeptEventsOption = 'lifecycle'): boolean {
    const view = foldEvents([event], this.view)
    if (view === this.view) return false
    this.view = view
    if (event.type === 'run.started') this.#started = event
    if (event.type === 'run.ended') this.#endedAt = event.at
    if (event.type === 'message.ended') this.#turns.set(event.place, event.turn)
    if (event.type === 'turn.ended') this.#endedTurn = Math.max(this.#endedTurn, event.turn)
    if (kept === 'all' || (kept === 'lifecycle' && !isPassing(event) && event.type !== 'message.started')) {
      this.#events.push(asJson(event))
    }
    return true
  }

  /** Closes a run that is open as aborted, at its last event. */
  close(): void {
    this.#isClosed = this.view.status !== 'done' && this.view.status !== 'waiting'
  }

  /** The calls whose work another run did. */
  get childRuns(): readonly ChildRun[] {
    return this.view.calls.flatMap(({ callId, toolName, childRunId }) =>
      childRunId === undefined ? [] : [{ callId, toolName, runId: childRunId }],
    )
  }

  record(): RecordedRun {
    const { view } = this
    const { outcome, rejection } = view
    const messages = this.#isClosed ? view.messages.filter((message) => this.#isOfWholeTurn(message)) : view.messages
    const answers = messages.filter((message) => message.role === 'assistant')
    const endedAt = this.#isClosed ? view.at : this.#endedAt
    return {
      id: this.id,
      sessionId: this.sessionId,
      agentId: this.agentId,
      agent: this.#started?.agent ?? '',
      subject: view.subject,
      ...parentOf(this.#started),
      startedAt: this.#started?.at ?? this.#firstAt,
      ...(endedAt === undefined ? {} : { endedAt }),
      lastActiveAt: view.at,
      status: this.#isClosed ? 'aborted' : statusOf(view),
      ...defined({ outcome, rejection }),
      ...configurationOf(messages, this.#started),
      messages,
      usage: view.usage,
      cost: view.cost,
      turns: answers.length,
      calls: answers.reduce((sum, answer) => sum + toolCallsOf(answer).length, 0),
      metadata: metadataOf(this.#started),
      events: [...this.#events],
      children: [],
      childRuns: this.childRuns,
      ...groupOf(this.#started),
      ...(this.#isClosed ? { isFlushed: true } : {}),
    }
  }

  /** Returns false for an answer or a result of an unfinished turn. */
  #isOfWholeTurn({ role, place }: TranscriptMessage): boolean {
    return role === 'user' || role === 'extension' || (this.#turns.get(place) ?? 0) <= this.#endedTurn
  }
}

function parentOf(started: RunStarted | undefined): Pick<RecordedRun, 'parentRunId' | 'continuation'> {
  const { parentRunId, continuation } = started ?? {}
  return {
    ...defined({ parentRunId, continuation }),
  }
}

function groupOf(started: RunStarted | undefined): Pick<RecordedRun, 'parallelGroup'> {
  const id = started?.parallelGroup
  return id === undefined ? {} : { parallelGroup: { id, runIds: [], isSelected: false } }
}

function statusOf({ status, outcome, rejection }: RunView): RecordedStatus {
  if (status !== 'done') return status
  if (rejection !== undefined) return 'rejected'
  if (outcome?.reason === 'cancelled') return 'aborted'
  return outcome?.reason === 'error' ? 'failed' : 'completed'
}

/** Returns the configuration of `run.started`, with provider and model of the first answer as defaults. */
function configurationOf(
  messages: readonly TranscriptMessage[],
  started: RunStarted | undefined,
): { readonly configuration?: RecordedConfiguration } {
  const answer = messages.find((message) => message.role === 'assistant' && message.model !== '')
  const { configId, configuration: told } = started ?? {}
  const configuration: RecordedConfiguration = {
    ...(answer?.role === 'assistant' ? { provider: answer.provider, model: answer.model } : {}),
    ...told,
    ...(configId === undefined ? {} : { configId }),
  }
  return Object.keys(configuration).length === 0 ? {} : { configuration }
}

/** Returns the application's metadata. An event of another program may hold anything. */
function metadataOf(started: RunStarted | undefined): { readonly [name: string]: Json } {
  const plain = toPlainJson(started?.metadata)
  return isRecord(plain) ? plain : {}
}

/** Returns the event as JSON, because tools may report any value. */
function asJson(event: AgentEvent): AgentEvent {
  if (event.type === 'toolExecution.updated') return { ...event, partial: toPlainJson(event.partial) ?? null }
  if (event.type === 'toolExecution.started') return { ...event, arguments: toPlainJson(event.arguments) ?? null }
  if (event.type !== 'toolExecution.ended' || event.output === undefined) return event
  const { output, ...rest } = event
  const plain = toPlainJson(output)
  return plain === undefined ? rest : { ...rest, output: plain }
}
