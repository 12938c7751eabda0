import { type CallRecord, type CallStep, stepsOf } from '../../domain/call.ts'
import { type Json, jsonBytes } from '../../domain/text/json.ts'
import { copyJson } from '../../domain/text/json-copy.ts'
import { maxJsonBytes } from '../../domain/text/json-limits.ts'
import { UsageError } from '../../domain/text/usage-error.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'

/** The dependencies of a performance's steps. */
export interface ToolStepsOptions {
  readonly call: CallRecord
  readonly context: EffectContext
  /** True if the tool must not run twice without a decision. */
  readonly isOnce: boolean
  /** Fires with the performance's cancel or time-out. */
  readonly signal: AbortSignal
  /** Returns true once the tool has returned. */
  readonly isOver: () => boolean
}

/** A requested step, and its report if nothing awaits it. */
interface AskedStep {
  readonly name: string
  readonly taken: WatchedPromise<unknown>
  problem: string
}

/** The maximum characters of a step's name. */
const maxName = 200

/** The steps of one performance of a tool. Steps that an earlier performance finished are not repeated. */
export class ToolSteps {
  readonly #options: ToolStepsOptions
  readonly #names = new Set<string>()
  /** The steps that have not succeeded yet. */
  readonly #asked = new Set<AskedStep>()
  #bytes: number

  constructor(options: ToolStepsOptions) {
    this.#options = options
    this.#bytes = jsonBytes(stepsOf(options.call))
  }

  /** The result on record, or what `perform` gives, once that is on record. */
  take(name: string, perform: () => unknown): Promise<unknown> {
    const taken = new WatchedPromise((resolve) => resolve(this.#take(name, perform)))
    const asked: AskedStep = { name, taken, problem: 'was still running when the tool returned, and is not kept' }
    this.#asked.add(asked)
    taken.watch(
      () => this.#asked.delete(asked),
      (error) => (asked.problem = `failed: ${thrownText(error).replace(/\.$/, '')}`),
    )
    return taken
  }

  /** The report of a failed step that was not awaited, after the tool has returned. */
  get neglected(): string | undefined {
    const [found] = [...this.#asked].filter(({ taken }) => !taken.isAwaited)
    return found && `Step "${thrownText(found.name)}" ${found.problem}. Await every step before returning.`
  }

  async #take(name: string, perform: () => unknown): Promise<unknown> {
    const { call, context, isOnce } = this.#options
    this.#enter(name, perform)
    const known = stepsOf(call).find((step) => step.name === name)
    if (known !== undefined) return structuredClone(known.result)
    const unconfirmed = context.confirmLease(isOnce)
    if (unconfirmed !== undefined) await unconfirmed
    this.#refuseLate(name)
    const given = await perform()
    this.#refuseLate(name)
    const step = this.#finished(name, given)
    await context.record([{ kind: 'step', callId: call.callId, step }])
    return step.result
  }

  #enter(name: unknown, perform: unknown): asserts name is string {
    const { toolName } = this.#options.call
    if (typeof name !== 'string' || name.trim() === '' || name.length > maxName || !name.isWellFormed()) {
      const wish = `Expected a text of 1 to ${maxName} characters.`
      throw new UsageError('bad_step', `A step of tool "${toolName}" has no name that can be kept. ${wish}`)
    }
    if (typeof perform !== 'function')
      throw new UsageError('bad_step', `Step "${name}" of tool "${toolName}" received no function to perform.`)
    this.#refuseLate(name)
    if (this.#names.has(name)) {
      const found = `Step "${name}" of tool "${toolName}" was requested twice in one performance`
      throw new UsageError('step_repeated', `${found}. Give each step a unique name, such as "${name} 2".`)
    }
    this.#names.add(name)
  }

  #refuseLate(name: string): void {
    const { call, signal, isOver } = this.#options
    signal.throwIfAborted()
    if (!isOver()) return
    const found = `Step "${name}" of tool "${call.toolName}" was still running when the tool returned`
    throw new UsageError('bad_step', `${found}, and is not kept. Await every step before returning.`)
  }

  #finished(name: string, given: unknown): CallStep {
    const step = given === undefined ? { name } : { name, result: this.#copied(name, given) }
    this.#bytes += jsonBytes(step)
    if (this.#bytes > maxJsonBytes) throw this.#misfit(name, `brings its call's steps to ${this.#bytes} bytes of JSON`)
    return step
  }

  #copied(name: string, given: unknown): Json {
    const copied = copyJson(given)
    if (copied.problem !== undefined) throw this.#misfit(name, copied.problem)
    return copied.value
  }

  #misfit(name: string, problem: string): UsageError {
    const found = `The result of step "${name}" of tool "${this.#options.call.toolName}" ${problem}`
    const wish = `Expected plain JSON, of at most ${maxJsonBytes} bytes for all steps of a call`
    return new UsageError('bad_step', `${found}. ${wish}; the step was done and is not kept.`)
  }
}

/** A promise that knows whether anybody waits for it. */
class WatchedPromise<Value> extends Promise<Value> {
  #isAwaited = false

  /** Derived promises, such as those of `then`, are plain promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  /** True once somebody awaits the promise. */
  get isAwaited(): boolean {
    return this.#isAwaited
  }

  // oxlint-disable-next-line unicorn/no-thenable -- It is a promise, and this is how it is asked.
  override then<Kept = Value, Caught = never>(
    onKept?: ((value: Value) => Kept | PromiseLike<Kept>) | null,
    onFailed?: ((reason: unknown) => Caught | PromiseLike<Caught>) | null,
  ): Promise<Kept | Caught> {
    this.#isAwaited = true
    return super.then(onKept, onFailed)
  }

  /** Handles the result without counting as a waiter: an unhandled failure would end the process. */
  watch(onKept: () => void, onFailed: (reason: unknown) => void): void {
    void super.then(onKept, onFailed)
  }
}
