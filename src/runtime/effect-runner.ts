import type { InboxRow, StoredDecision } from '../domain/inbox.ts'
import type { EffectHandler, EffectContext, EffectResult, RunView } from '../ports/effect-handler.ts'
import type { DriveOptions } from './drive-options.ts'
import { EngineError } from './engine-error.ts'
import type { RunLog } from './run-log.ts'
import type { PendingEffect } from './stepper.ts'

/** A performed effect, not yet taken in. */
export interface Done {
  readonly key: string
  readonly src: string
  readonly result?: EffectResult<unknown>
  readonly error?: unknown
}

/** Where effects are performed; results pile up until the drive takes them in. */
export class EffectRunner {
  readonly #options: DriveOptions
  readonly #wake: () => void
  readonly #lose: (cause: unknown) => void
  readonly #controllers = new Map<string, AbortController>()
  readonly #decisions = new Map<string, StoredDecision>()
  #ready: Done[] = []
  /** Timers among the ready whose news has been read. */
  readonly #heard = new Set<string>()
  #view: RunView | undefined

  /** `wake` is told of each result, `lose` of a store that does not answer. */
  constructor(options: DriveOptions, { wake, lose }: { wake: () => void; lose: (cause: unknown) => void }) {
    this.#options = options
    this.#wake = wake
    this.#lose = lose
  }

  get hasReady(): boolean {
    return this.#ready.length > 0
  }

  /** True once for each timer that has come due: a decision made in time is to be read before it is taken in. */
  hearTimers(): boolean {
    const news = this.#ready.filter(({ key, src }) => this.handlerOf(src).due !== undefined && !this.#heard.has(key))
    for (const { key } of news) this.#heard.add(key)
    return news.length > 0
  }

  /** Starts afresh with another stepper; what the former one wanted is told so. */
  attach(runLog: RunLog): void {
    this.close()
    this.#ready = []
    this.#view = {
      messages: () => runLog.messages(),
      message: (seq) => runLog.message(seq),
      call: (callId) => runLog.call(callId),
      decision: (decisionId) => this.#decision(decisionId),
      state: () => runLog.state,
    }
  }

  remember({ item }: InboxRow): void {
    if (item.kind === 'decision') this.#decisions.set(item.decision.decisionId, item.decision)
  }

  handlerOf(src: string): EffectHandler<never, unknown> {
    const handler = this.#options.handlers[src]
    if (handler === undefined)
      throw new EngineError(`No effect handler performs "${src}". Provide one under that name.`)
    return handler
  }

  takeReady(): readonly Done[] {
    const ready = this.#ready
    this.#ready = []
    this.#heard.clear()
    return ready
  }

  /** What is known of a restored effect; undefined where it has to be performed again. */
  recovered(effect: PendingEffect): EffectResult<unknown> | undefined {
    if (!effect.isRestored) return undefined
    const context = this.#contextFor(effect, new AbortController().signal)
    return this.handlerOf(effect.src).recover?.(effect.input as never, context)
  }

  launch(effect: PendingEffect): void {
    effect.isLaunched = true
    const { key, src, input } = effect
    const handler = this.handlerOf(src)
    const controller = new AbortController()
    this.#controllers.set(key, controller)
    const context = this.#contextFor(effect, controller.signal)
    const settle = (done: Done) => {
      if (this.#controllers.get(key) !== controller) return
      this.#controllers.delete(key)
      this.#ready.push(done)
      this.#wake()
    }
    void perform(handler, input, context).then(
      (result) => settle({ key, src, result }),
      (error: unknown) => settle({ key, src, error }),
    )
  }

  /** The chart wants this effect no longer; a result that still comes is discarded. */
  cancel(key: string): void {
    const controller = this.#controllers.get(key)
    this.#controllers.delete(key)
    controller?.abort(new Error('The effect is no longer wanted.'))
  }

  close(): void {
    for (const key of this.#controllers.keys()) this.cancel(key)
  }

  /** Whoever claims a run fires its due timers; a call that ends while its run waits is still reviewed. */
  hasWork(outbox: Iterable<PendingEffect>): boolean {
    const now = this.#options.clock.now()
    const pending = [...outbox]
    const isLocal = pending.some(({ src }) => this.handlerOf(src).kind === 'local')
    return isLocal || this.timers(pending).some(({ due }) => due <= now)
  }

  /** Due times of pending timers, for others to find. */
  timers(outbox: Iterable<PendingEffect>): readonly { key: string; due: number }[] {
    const timers: { key: string; due: number }[] = []
    for (const { key, src, input } of outbox) {
      const due = this.handlerOf(src).due?.(input as never)
      if (due !== undefined && due !== null) timers.push({ key, due })
    }
    return timers
  }

  async #decision(decisionId: string): Promise<StoredDecision | undefined> {
    const known = this.#decisions.get(decisionId)
    if (known !== undefined) return known
    const row = await this.#fromStore(decisionId)
    return row?.item.kind === 'decision' ? row.item.decision : undefined
  }

  /** A store that fails ends the drive, not the run. */
  async #fromStore(decisionId: string): Promise<InboxRow | undefined> {
    try {
      return await this.#options.store.decision(this.#options.lease.runId, decisionId)
    } catch (error) {
      this.#lose(error)
      throw error
    }
  }

  #contextFor({ key, isRestored }: PendingEffect, signal: AbortSignal): EffectContext {
    const { lease, clock, ids, emit } = this.#options
    if (this.#view === undefined) throw new EngineError('An effect was launched before the run was loaded.')
    return { runId: lease.runId, key, isRestored, signal, view: this.#view, clock, ids, emit }
  }
}

async function perform(
  handler: EffectHandler<never, unknown>,
  input: unknown,
  context: EffectContext,
): Promise<EffectResult<unknown>> {
  const result = await handler.perform(input as never, context)
  if (typeof result.output !== 'function') handler.check?.(result.output)
  return result
}
