import type { AgentEventBody } from '../domain/event.ts'
import { isNotice } from '../domain/passing-event.ts'
import type { Write } from '../domain/log.ts'
import type {
  CancelledEvent,
  EffectContext,
  EffectHandler,
  EffectHandlers,
  EffectResult,
} from '../ports/effect-handler.ts'
import type { RunTrace } from '../ports/tracer.ts'
import { askingIn, endOf, traceEffect } from './trace-run.ts'
import type { Lease } from '../ports/store.ts'
import type { HeldLease } from './held-lease.ts'
import type { WantedEffect } from '../step/step-system.ts'
import { EngineError } from '../domain/engine-error.ts'

/** A performed effect whose result has not been processed yet; `error` if its handler threw. */
export interface FinishedEffect {
  readonly key: string
  readonly src: string
  readonly result?: EffectResult<unknown>
  readonly error?: unknown
}

/** The writes that a running effect requests. Call `written` once a commit contains them. */
export interface AskedWrites {
  readonly key: string
  readonly writes: readonly Write[]
  written(): void
}

/** The dependencies of an effect runner. */
export interface EffectRunnerOptions extends Pick<
  EffectContext,
  'run' | 'view' | 'decision' | 'grants' | 'account' | 'clock' | 'ids' | 'emit'
> {
  readonly handlers: EffectHandlers
  readonly lease: Pick<HeldLease, 'fence' | 'confirm'>
  /** Traces the effects. Default: no trace. */
  readonly trace?: RunTrace
  /** Called with the name of each effect that has finished or asks for a write. */
  readonly finished: (src: string) => void
}

/** A running effect, and the reports of its cancellation. */
interface Performance {
  readonly controller: AbortController
  ifCancelled: CancelledEvent | undefined
  /** The notices that are written with the result. */
  readonly notices: Write[]
  /** End the traces of the effect once it is no longer wanted. Absent without a tracer. */
  traces?: (() => void)[]
}

/** One error for all: its stack is useless, and costs more than the rest of a cancellation. */
const unwanted = Object.freeze(new Error('The effect is no longer wanted.'))

/** The reason of a signal that fires because this process no longer drives the run; another process may continue it. */
export const leftToOthers = Object.freeze(new Error('This process no longer drives the run.'))

/** Performs effects; collects their results and writes until they are processed. */
export class EffectRunner {
  readonly #options: EffectRunnerOptions
  readonly #underWay = new Map<string, Performance>()
  #finished: FinishedEffect[] = []
  #asked: AskedWrites[] = []

  readonly #confirmLease: EffectContext['confirmLease']

  constructor(options: EffectRunnerOptions) {
    this.#options = options
    this.#confirmLease = (isOnce) => options.lease.confirm(isOnce)
  }

  get hasNews(): boolean {
    return this.#finished.length + this.#asked.length > 0
  }

  handlerOf(src: string): EffectHandler<never, unknown> {
    const handler = this.#options.handlers[src]
    if (handler === undefined)
      throw new EngineError(`No effect handler performs "${src}". Provide one under that name.`)
    return handler
  }

  /** Returns the known result of a restored effect; undefined if it must be performed again. */
  recovered(effect: WantedEffect): EffectResult<unknown> | undefined {
    if (!effect.isRestored) return undefined
    const performance: Performance = { controller: new AbortController(), ifCancelled: undefined, notices: [] }
    const result = this.handlerOf(effect.src).recover?.(effect.input as never, this.#contextFor(effect, performance))
    return result && performance.notices.length > 0 ? withNotices(result, performance) : result
  }

  launch(effect: WantedEffect): void {
    const { key, src, input } = effect
    const performance: Performance = { controller: new AbortController(), ifCancelled: undefined, notices: [] }
    this.#underWay.set(key, performance)
    const settle = (finished: FinishedEffect) => {
      if (this.#underWay.get(key) !== performance) return
      this.#underWay.delete(key)
      this.#finished.push(finished)
      this.#options.finished(src)
    }
    const { trace } = this.#options
    const performed =
      trace === undefined
        ? this.#perform(src, input, this.#contextFor(effect, performance))
        : this.#traced(effect, performance, trace)
    void performed.then(
      (result) =>
        settle({ key, src, result: performance.notices.length === 0 ? result : withNotices(result, performance) }),
      (error: unknown) => settle({ key, src, error }),
    )
  }

  takeFinished(): readonly FinishedEffect[] {
    const finished = this.#finished
    this.#finished = []
    return finished
  }

  /** Returns the requested writes in order; take them before the results. */
  takeAsked(): readonly AskedWrites[] {
    const asked = this.#asked
    this.#asked = []
    return asked
  }

  /** The chart wants this effect no longer; a result that still comes is discarded. */
  cancel(key: string): void {
    const told = this.#underWay.get(key)?.ifCancelled
    this.#abort(key)
    if (told !== undefined) this.#options.emit({ ...told, at: this.#options.clock.now() })
  }

  /** Cancels all running effects, because the run is over. */
  cancelAll(): void {
    for (const key of this.#underWay.keys()) this.cancel(key)
  }

  /** Cancels running effects that are no longer wanted. */
  retain(wanted: { has(key: string): boolean }): void {
    for (const key of this.#underWay.keys()) if (!wanted.has(key)) this.cancel(key)
  }

  #abort(key: string, reason: Error = unwanted): void {
    const performance = this.#underWay.get(key)
    this.#underWay.delete(key)
    performance?.controller.abort(reason)
    for (const end of performance?.traces ?? []) end()
  }

  /** Stops performing effects here; another process may continue. */
  close(): void {
    for (const key of this.#underWay.keys()) this.#abort(key, leftToOthers)
    this.#finished = []
    this.#asked = []
  }

  async #perform(src: string, input: unknown, context: EffectContext): Promise<EffectResult<unknown>> {
    const handler = this.handlerOf(src)
    const unconfirmed = handler.kind === 'local' ? undefined : context.confirmLease(false)
    if (unconfirmed !== undefined) await unconfirmed
    const result = await handler.perform(input as never, context)
    if (typeof result.output !== 'function') handler.check?.(result.output)
    return result
  }

  async #traced(effect: WantedEffect, performance: Performance, runTrace: RunTrace): Promise<EffectResult<unknown>> {
    const { src, input } = effect
    const context = this.#contextFor(effect, performance)
    const trace = traceEffect(runTrace, { src, input, view: this.#options.view }, (performance.traces = []))
    if (trace === undefined) return await this.#perform(src, input, context)
    const asking = askingIn(trace)
    const told = { ...context, ...(trace.context && { trace: trace.context }), ...(asking && { asking }) }
    try {
      const result = await trace.within(() => this.#perform(src, input, told))
      trace.end(endOf(result))
      return result
    } catch (error) {
      trace.end({ error })
      throw error
    }
  }

  #record({ key, src }: WantedEffect, signal: AbortSignal, writes: readonly Write[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = () => reject(signal.reason)
      if (signal.aborted) return refuse()
      signal.addEventListener('abort', refuse, { once: true })
      const written = () => {
        signal.removeEventListener('abort', refuse)
        resolve()
      }
      this.#asked.push({ key, writes, written })
      this.#options.finished(src)
    })
  }

  #contextFor(effect: WantedEffect, performance: Performance): EffectContext {
    const { key, isRestored } = effect
    const { signal } = performance.controller
    const { run, view, decision, grants, account, clock, ids, lease } = this.#options
    // An unwanted effect emits nothing more, above all after the end of its run.
    const emit = (event: AgentEventBody) => {
      if (signal.aborted) return
      if (isNotice(event)) performance.notices.push({ kind: 'notice', event })
      else this.#options.emit(event)
    }
    const { fence } = lease
    const takeovers = isRestored ? fence - fenceOf(key, fence) : 0
    const confirmLease = this.#confirmLease
    const record = (writes: readonly Write[]) => this.#record(effect, signal, writes)
    const ifCancelled = (event: CancelledEvent | undefined) => {
      performance.ifCancelled = signal.aborted ? undefined : event
    }
    const performing = { key, isRestored, takeovers, fence, confirmLease, record, signal, emit, ifCancelled }
    const known = { ...(grants && { grants }), ...(account && { account }) }
    return { ...performing, runId: run.id, run, view, decision, ...known, clock, ids }
  }
}

function withNotices(result: EffectResult<unknown>, { notices }: Performance): EffectResult<unknown> {
  return { ...result, writes: [...notices, ...(result.writes ?? [])] }
}

/**
 * Returns a function that creates effect keys. Keys contain the run and the fence, so that no two drives create the
 * same key. A restored key of a fork's original is replaced.
 */
export function effectKeys({ runId, fence }: Pick<Lease, 'runId' | 'fence'>): (restored: string | undefined) => string {
  let count = 0
  return (restored) => (restored?.startsWith(`${runId}/`) === true ? restored : `${runId}/${fence}.${++count}`)
}

/** Returns the fence of an effect's key; the current fence if the key has none. */
function fenceOf(key: string, fence: number): number {
  const made = /\/(\d+)\.\d+$/.exec(key)?.[1]
  return made === undefined ? fence : Number(made)
}
