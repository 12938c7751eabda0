import type { AgentEvent } from '../domain/event.ts'
import type { LiveAnswer } from '../domain/live-answer.ts'
import { AnswerSoFar } from '../runtime/answer-so-far.ts'
import { EventListener } from '../runtime/event-listener.ts'
import { EventStream } from '../runtime/event-stream.ts'

type Watcher = EventStream | EventListener

/** Who watches the runs of one agent in this process, whichever `Run` object they came by. */
export class RunWatchers {
  /** By run, and by undefined those of all runs; a list is replaced, never changed, so that it may be walked while somebody leaves. */
  readonly #watchers = new Map<string | undefined, readonly Watcher[]>()
  /** Answers that models are giving now, by run. */
  readonly #answers = new Map<string, AnswerSoFar>()

  /** Called for each stored event of a run; these hear nothing, and so ask for no text. */
  readonly #wakers = new Map<string, readonly (() => void)[]>()
  /** How many here read what another process tells of a run. */
  readonly #followers = new Map<string, number>()
  /** Runs whose answer under way another process gives. */
  readonly #elsewhere = new Set<string>()
  /** Runs of which somebody is asking for that answer now. */
  readonly #asked = new Set<string>()

  /** What drives of this process tell of a run from now on; of an answer under way, all there is of it. */
  watch(runId: string): EventStream {
    const stream: EventStream = new EventStream(() => this.leave(runId, stream))
    this.join(runId, stream)
    return stream
  }

  join(runId: string, stream: EventStream): void {
    if (this.#of(runId).includes(stream)) return
    this.#add(runId, stream)
    for (const event of this.#answers.get(runId)?.events() ?? []) stream.push(event)
  }

  /** The stream is told nothing more and keeps what it was told. */
  leave(runId: string | undefined, watcher: Watcher): void {
    const others = this.#of(runId).filter((other) => other !== watcher)
    if (others.length === 0) this.#watchers.delete(runId)
    else this.#watchers.set(runId, others)
  }

  /** Has a function hear a run, or all of them, from now on; gives a function that lets it leave. */
  listen(hear: (event: AgentEvent) => unknown, runId?: string): () => void {
    const listener: EventListener = new EventListener(hear, (text, { runId: id, subject, at }) => {
      const message = `A listener of events failed: ${text}`
      this.#tellOthers({ type: 'listener.failed', runId: id, subject, at, message }, listener)
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

  /** Whether anybody in this process hears a run by name, or all of them. */
  isWatched(runId: string): boolean {
    return this.#watchers.has(runId) || this.#watchers.has(undefined)
  }

  /** Has a function called whenever this process tells a stored event of a run; gives a function that takes it away. */
  wakeOn(runId: string, wake: () => void): () => void {
    this.#wakers.set(runId, [...(this.#wakers.get(runId) ?? []), wake])
    return () => {
      const others = (this.#wakers.get(runId) ?? []).filter((other) => other !== wake)
      if (others.length === 0) this.#wakers.delete(runId)
      else this.#wakers.set(runId, others)
    }
  }

  /** Somebody reads for all here what another process tells of a run; once the last one has left, its answer is forgotten. */
  follow(runId: string): () => void {
    this.#followers.set(runId, (this.#followers.get(runId) ?? 0) + 1)
    return () => {
      const others = (this.#followers.get(runId) ?? 1) - 1
      if (others > 0) return void this.#followers.set(runId, others)
      this.#followers.delete(runId)
      if (this.#elsewhere.has(runId)) this.driven(runId)
    }
  }

  /** Has one at a time ask for what another process tells of a run; does nothing while somebody does. */
  async alone(runId: string, ask: () => Promise<void>): Promise<void> {
    if (this.#asked.has(runId)) return
    this.#asked.add(runId)
    await ask().finally(() => this.#asked.delete(runId))
  }

  /** What was told here of the answer under way. */
  answerOf(runId: string): LiveAnswer | undefined {
    const answer = this.#answers.get(runId)
    return answer && { turn: answer.turn, deltas: answer.deltas }
  }

  /** Tells what a drive of this process has come to. */
  tell(event: AgentEvent): void {
    this.#elsewhere.delete(event.runId)
    this.#noteAnswer(event)
    if (this.#watchers.size > 0) this.#tellOthers(event)
    if (event.seq !== undefined) for (const wake of this.#wakers.get(event.runId) ?? nobody) wake()
  }

  /** Tells what was read of an answer that another process gives. */
  tellFromElsewhere(event: AgentEvent): void {
    this.#elsewhere.add(event.runId)
    this.#noteAnswer(event)
    this.#tellOthers(event)
  }

  /** A drive of the run is over; an answer it did not bring to its end is told to nobody who joins later. */
  driven(runId: string): void {
    this.#answers.delete(runId)
    this.#elsewhere.delete(runId)
  }

  #tellOthers(event: AgentEvent, but?: Watcher): void {
    for (const watcher of this.#of(event.runId)) if (watcher !== but) watcher.push(event)
    for (const watcher of this.#of(undefined)) if (watcher !== but) watcher.push(event)
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

/** An attempt at an answer is over: it has failed, it is in the transcript, or none came. */
export function endsAnswer(event: AgentEvent): boolean {
  if (event.type === 'message.ended') return event.message.role === 'assistant'
  return event.type === 'model.failed' || event.type === 'turn.ended' || event.type === 'run.ended'
}
