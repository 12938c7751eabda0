import type { AgentEvent } from '../domain/event.ts'
import { EventStream } from '../runtime/event-stream.ts'

/** Who watches the runs of one agent in this process, whichever `Run` object they came by. */
export class RunWatchers {
  readonly #streams = new Map<string, Set<EventStream>>()

  /** What drives of this process tell of a run from now on. */
  watch(runId: string): EventStream {
    const stream: EventStream = new EventStream(() => this.leave(runId, stream))
    this.join(runId, stream)
    return stream
  }

  join(runId: string, stream: EventStream): void {
    const streams = this.#streams.get(runId) ?? new Set()
    this.#streams.set(runId, streams.add(stream))
  }

  /** The stream is told nothing more and keeps what it was told. */
  leave(runId: string, stream: EventStream): void {
    const streams = this.#streams.get(runId)
    streams?.delete(stream)
    if (streams?.size === 0) this.#streams.delete(runId)
  }

  tell(event: AgentEvent): void {
    for (const stream of this.#streams.get(event.runId) ?? []) stream.push(event)
  }
}
