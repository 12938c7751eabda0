import { type LiveAnswer, readLiveAnswer, type RunRecord } from '../../../ports.ts'
import { parentIn } from './run-parent.ts'
import { isDecided, isDriven, storedAnswers } from './run-report.ts'
import type { RunView } from './run-view.ts'
import type { Session } from '../setup/session.ts'

/** Milliseconds between two looks at a run. */
const lookMs = 250

/** Resolves when something was stored for the run, when `over` fires, or at the latest after a while. */
export async function nextChange(
  { io, store }: Pick<Session, 'io' | 'store'>,
  runId: string,
  over: AbortSignal = io.signal,
): Promise<void> {
  const woken = new AbortController()
  const leave = store.watch(runId, () => woken.abort())
  await io.clock.sleepUntil(io.clock.now() + lookMs, AbortSignal.any([woken.signal, io.signal, over]))
  leave()
}

/** `alone` is a run that is stopped: nobody drives it. */
export type WatchedStanding = 'driven' | 'alone' | 'atRest'

/** What was shown of a run that any process drives; reads the store alone. */
export class WatchedRun {
  readonly #session: Pick<Session, 'store' | 'standingOf'>
  readonly #runId: string
  readonly #view: RunView
  /** The places of the messages that were shown. */
  readonly #shown: Set<number>
  #version = -1
  #carried: number | undefined
  #live: LiveAnswer | undefined

  /** `shown` has the places of the messages that are shown already, and gets those of others. */
  constructor(
    session: Pick<Session, 'store' | 'standingOf'>,
    runId: string,
    view: RunView,
    shown: Set<number> = new Set(),
  ) {
    this.#session = session
    this.#runId = runId
    this.#view = view
    this.#shown = shown
  }

  /** Shows what is new, and says how the run stands. */
  async look(): Promise<WatchedStanding> {
    const { store } = this.#session
    const record = await store.record(this.#runId)
    const answer = record.status === 'running' ? await readLiveAnswer(store, this.#runId) : undefined
    if (record.version !== this.#version) await this.#tellNew(record)
    this.#tellLive(answer, record)
    if (record.status === 'running') return (await isDriven(store, record)) === false ? 'alone' : 'driven'
    return record.status === 'done' || !isDecided(await storedAnswers(store, record.id)) ? 'atRest' : 'driven'
  }

  async #tellNew({ id, version }: RunRecord): Promise<void> {
    const { store, standingOf } = this.#session
    this.#carried ??= parentIn(await store.input(id))?.carried ?? 0
    const { messages } = await standingOf(id)
    this.#version = version
    const fresh = messages.filter((message) => !this.#shown.has(message.place) && message.place > (this.#carried ?? 0))
    for (const message of fresh) {
      this.#shown.add(message.place)
      this.#view.tell(message)
      if (message.role === 'assistant') this.#live = undefined
    }
  }

  /** Of the answer under way, what has come since the last look. */
  #tellLive(answer: LiveAnswer | undefined, { id, subject = id, updatedAt }: RunRecord): void {
    const before = this.#live
    this.#live = answer
    if (answer === undefined) return
    const head = { runId: id, subject, at: updatedAt, turn: answer.turn }
    const goesOn =
      before?.turn === answer.turn &&
      before.deltas.every(({ type, delta }, index) => {
        const now = answer.deltas[index]
        return now?.type === type && now.delta.startsWith(delta)
      })
    if (!goesOn) this.#view.show({ type: 'message.started', ...head, role: 'assistant' })
    for (const [index, delta] of answer.deltas.entries()) {
      const text = delta.delta.slice(goesOn ? (before.deltas[index]?.delta.length ?? 0) : 0)
      if (text !== '') this.#view.show({ type: 'message.updated', ...head, delta: { ...delta, delta: text } })
    }
  }
}
