import type { AgentEvent, MessageDelta } from '../domain/event.ts'
import type { LiveAnswer } from '../domain/live-answer.ts'
import { isSameBlock } from '../domain/passing-event.ts'
import { thrownText } from '../domain/text/thrown-text.ts'

/** Receives the events of a run. No event is stored between the number `behind` and a numbered event. */
export interface Watcher {
  push(event: AgentEvent, behind?: number): void
}

/** The watchers of one agent's runs in this process, for all `Run` objects. */
export class RunWatchers {
  /**
   * The watchers by run, and under undefined those of all runs. A list is replaced and never changed, so that watchers
   * may leave during an iteration.
   */
  readonly #watchers = new Map<string | undefined, readonly Watcher[]>()
  readonly #answers = new Map<string, AnswerSoFar>()

  /** Adds a watcher, which receives this process's events from now on, and the current answer so far. */
  join(runId: string, watcher: Watcher): void {
    if (this.#of(runId).includes(watcher)) return
    this.#add(runId, watcher)
    for (const event of this.#answers.get(runId)?.events() ?? []) watcher.push(event)
  }

  /** Emits nothing more to a watcher. */
  leave(runId: string | undefined, watcher: Watcher): void {
    const others = this.#of(runId).filter((other) => other !== watcher)
    if (others.length === 0) this.#watchers.delete(runId)
    else this.#watchers.set(runId, others)
  }

  /** Calls a function for the events of one run, or of all runs, from now on. Returns a function that removes it. */
  listen(hear: (event: AgentEvent) => unknown, runId?: string): () => void {
    const listener: EventListener = new EventListener(hear, (text, { runId: id, subject, at }) => {
      const message = `A listener of events failed: ${text}`
      this.#tellOthers({ type: 'listener.failed', runId: id, subject, at, message }, undefined, listener)
    })
    const answers = runId === undefined ? [...this.#answers.values()] : (this.#answers.get(runId) ?? [])
    const soFar = [answers].flat().flatMap((answer) => answer.events())
    if (soFar.length > 0) listener.owe(soFar)
    this.#add(runId, listener)
    return () => {
      listener.leave()
      this.leave(runId, listener)
    }
  }

  /** Returns the emitted part of the current answer. */
  answerOf(runId: string): LiveAnswer | undefined {
    const answer = this.#answers.get(runId)
    return answer && { turn: answer.turn, deltas: answer.deltas }
  }

  /**
   * Emits an event of this process's drive. No event of the run is stored between the number `behind` and this event; a
   * reader that has read less reads the store.
   */
  tell(event: AgentEvent, behind?: number): void {
    this.#noteAnswer(event)
    if (this.#watchers.size > 0) this.#tellOthers(event, behind)
  }

  /** Forgets an answer that a drive did not complete. */
  driven(runId: string): void {
    this.#answers.delete(runId)
  }

  #tellOthers(event: AgentEvent, behind?: number, but?: Watcher): void {
    for (const watcher of this.#of(event.runId)) if (watcher !== but) watcher.push(event, behind)
    for (const watcher of this.#of(undefined)) if (watcher !== but) watcher.push(event, behind)
  }

  #noteAnswer(event: AgentEvent): void {
    if (event.type === 'message.updated') this.#answers.get(event.runId)?.add(event)
    else if (event.type === 'message.started') {
      this.#answers.set(event.runId, new AnswerSoFar(event))
    } else if (endsAnswer(event)) this.#answers.delete(event.runId)
  }

  #of(runId: string | undefined): readonly Watcher[] {
    return this.#watchers.get(runId) ?? nobody
  }

  #add(runId: string | undefined, watcher: Watcher): void {
    this.#watchers.set(runId, [...this.#of(runId), watcher])
  }
}

const nobody: readonly never[] = []

/**
 * Returns true for an event that ends an attempt at an answer: the answer failed, is in the transcript, or never came.
 */
export function endsAnswer(event: AgentEvent): boolean {
  if (event.type === 'message.ended') return event.message.role === 'assistant'
  return event.type === 'model.failed' || event.type === 'turn.ended' || event.type === 'run.ended'
}

type Started = Extract<AgentEvent, { readonly type: 'message.started' }>
type Updated = Extract<AgentEvent, { readonly type: 'message.updated' }>

interface Block {
  /** The first piece. */
  readonly delta: MessageDelta
  readonly parts: string[]
  /** The time of the last piece, in Unix milliseconds. */
  at: number
}

/** The emitted part of an answer, for followers that join in the middle. */
class AnswerSoFar {
  readonly #started: Started
  /** The pieces in order, joined by block. */
  readonly #blocks: Block[] = []
  #last: Block | undefined

  constructor(started: Started) {
    this.#started = started
  }

  add({ delta, at }: Updated): void {
    const last = this.#last
    if (last !== undefined && isSameBlock(last.delta, delta)) {
      last.parts.push(delta.delta)
      last.at = at
    } else {
      this.#last = { delta, parts: [delta.delta], at }
      this.#blocks.push(this.#last)
    }
  }

  /** The pieces of the answer, one per block. */
  get deltas(): readonly MessageDelta[] {
    return this.#blocks.map(({ delta, parts }) => ({ ...delta, delta: parts.join('') }))
  }

  get turn(): number {
    return this.#started.turn
  }

  /** Returns the start event and an update for each block. */
  events(): readonly AgentEvent[] {
    const { runId, subject, turn } = this.#started
    const updated = this.#blocks.map(({ delta, parts, at }): Updated => {
      return { type: 'message.updated', runId, subject, at, turn, delta: { ...delta, delta: parts.join('') } }
    })
    return [this.#started, ...updated]
  }
}

/**
 * A function that receives events. Its first exception is reported to the other listeners, and nobody awaits its
 * promise.
 */
class EventListener {
  readonly #hear: (event: AgentEvent) => unknown
  readonly #failed: (message: string, event: AgentEvent) => void
  #owed: readonly AgentEvent[] = []
  #hasLeft = false
  #hasFailed = false

  constructor(hear: (event: AgentEvent) => unknown, failed: (message: string, event: AgentEvent) => void) {
    this.#hear = hear
    this.#failed = failed
  }

  /** Adds events that the listener receives first, once its creator can end it. */
  owe(events: readonly AgentEvent[]): void {
    this.#owed = events
    queueMicrotask(() => this.#pay())
  }

  push(event: AgentEvent): void {
    this.#pay()
    this.#tell(event)
  }

  /** It receives no more events. */
  leave(): void {
    this.#hasLeft = true
  }

  #pay(): void {
    const owed = this.#owed
    this.#owed = []
    for (const event of owed) this.#tell(event)
  }

  #tell(event: AgentEvent): void {
    if (this.#hasLeft) return
    try {
      const promised = this.#hear(event)
      if (isPromise(promised)) promised.then(undefined, (error: unknown) => this.#fail(error, event))
    } catch (error) {
      this.#fail(error, event)
    }
  }

  #fail(error: unknown, event: AgentEvent): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.#failed(thrownText(error), event)
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
