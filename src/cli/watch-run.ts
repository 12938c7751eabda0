import type { LiveAnswer, RunRecord } from '../index.ts'
import { resumeCommand } from './command-table.ts'
import { exitCodes } from './cli-error.ts'
import { parentIn } from './run-parent.ts'
import { concludeRun, type CommandResult, isDecided, isDriven, readReport, storedAnswers } from './run-report.ts'
import { createRunView, type RunView } from './run-view.ts'
import type { Session } from './session.ts'

/** Milliseconds between two looks at a run. */
const lookMs = 250

/** `watch <id>`: shows a run that any process drives until it rests; claims and changes nothing. */
export async function watchRun(session: Session, runId: string): Promise<CommandResult> {
  const { io } = session
  const view = createRunView(session)
  const watch = new Watch(session, runId, view)
  try {
    while (!(await watch.look())) {
      if (io.signal.aborted) return { exitCode: exitCodes.interrupted, report: await readReport(session, runId) }
      await nextChange(session, runId)
    }
  } finally {
    view.finish()
  }
  return await concludeRun(session, runId)
}

/** Resolves when something was stored for the run, at the latest after a while. */
async function nextChange({ io, store }: Session, runId: string): Promise<void> {
  const woken = new AbortController()
  const wake = () => woken.abort()
  const leave = store.watch(runId, wake)
  io.signal.addEventListener('abort', wake, { once: true })
  await io.clock.sleepUntil(io.clock.now() + lookMs, woken.signal)
  io.signal.removeEventListener('abort', wake)
  leave()
}

/** What has been shown of a run. */
class Watch {
  readonly #session: Session
  readonly #runId: string
  readonly #view: RunView
  /** The places of the messages that were shown. */
  readonly #shown = new Set<number>()
  #version = -1
  #carried: number | undefined
  #live: LiveAnswer | undefined
  #isAlone = false

  constructor(session: Session, runId: string, view: RunView) {
    this.#session = session
    this.#runId = runId
    this.#view = view
  }

  /** Shows what is new; true once the run rests. */
  async look(): Promise<boolean> {
    const { store } = this.#session
    const record = await store.record(this.#runId)
    const answer = record.status === 'running' ? await store.live(this.#runId) : undefined
    if (record.version !== this.#version) await this.#tellNew(record)
    this.#tellLive(answer, record)
    if (record.status === 'running') await this.#sayWhereAlone(record)
    return (
      record.status === 'done' || (record.status === 'waiting' && !isDecided(await storedAnswers(store, record.id)))
    )
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

  async #sayWhereAlone(record: RunRecord): Promise<void> {
    const { store, print, options } = this.#session
    const isAlone = (await isDriven(store, record)) === false
    if (isAlone && !this.#isAlone) {
      this.#view.finish()
      print(`run ${record.id} is stopped: nobody drives it. To drive it on: ${resumeCommand(record.id, options)}`)
    }
    this.#isAlone = isAlone
  }
}
