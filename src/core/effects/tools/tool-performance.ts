import type { RunToolInput } from '../../../../machines/tool-call/tool-call.types.ts'
import type { CallRecord, StateChange } from '../../domain/call.ts'
import { type Json, jsonBytes } from '../../domain/text/json.ts'
import { copyJson } from '../../domain/text/json-copy.ts'
import { maxArgumentBytes, maxJsonBytes } from '../../domain/text/json-limits.ts'
import type { AgentEventBody } from '../../domain/event.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { Plugin } from '../../ports/plugin.ts'
import { Suspended, type ToolContext } from '../../ports/tool.ts'
import { checkedChanges } from '../plugins/plain-input.ts'
import type { HookedUpdates } from './hooked-updates.ts'
import { askOnToolValue } from '../plugins/ask-on-tool-value.ts'
import { ToolSteps } from './tool-steps.ts'

/**
 * The plugins that a performance's values pass before they are emitted: all values `onToolValue`, updates also the
 * update hooks.
 */
export interface PerformanceWatchers {
  readonly plugins: readonly Plugin[]
  readonly updates: HookedUpdates | undefined
}

/** One attempt of a tool. Its requests count until it ends, and not afterwards. */
export class ToolPerformance {
  readonly #input: RunToolInput
  readonly #call: CallRecord
  readonly #context: EffectContext
  readonly #plugins: readonly Plugin[]
  readonly #updates: HookedUpdates | undefined
  readonly #refusal = Promise.withResolvers<never>()
  readonly #refused = new AbortController()
  readonly #changes: StateChange[] = []
  #problem: string | undefined
  #steps: ToolSteps | undefined
  #isOver = false

  constructor(
    input: RunToolInput,
    call: CallRecord,
    context: EffectContext,
    { plugins, updates }: PerformanceWatchers,
  ) {
    this.#input = input
    this.#call = call
    this.#context = context
    this.#plugins = plugins
    this.#updates = updates
    this.#refusal.promise.catch(() => undefined)
  }

  /** Fires if the call is no longer wanted, and if a plugin failed on a value of its tool. */
  get signal(): AbortSignal {
    const { signal } = this.#context
    return this.#plugins.length > 0 ? AbortSignal.any([signal, this.#refused.signal]) : signal
  }

  /** Waits for the tool; rejects as soon as a plugin failed on one of its values. */
  untilRefused<Result>(work: Promise<Result>): Promise<Result> {
    return this.#plugins.length > 0 ? Promise.race([this.#refusal.promise, work]) : work
  }

  /** The requested changes of the state, with their values at the time of the request. Throws if one is refused. */
  get changes(): readonly StateChange[] {
    const problem = this.#problem ?? this.#sizeProblem()
    if (problem === undefined) return this.#changes
    throw new TypeError(`${problem} Nothing was changed.`)
  }

  #sizeProblem(): string | undefined {
    if (this.#changes.length === 0) return undefined
    const bytes = jsonBytes(this.#context.view.state) + jsonBytes(this.#changes)
    return bytes > maxJsonBytes ? `The state would have ${bytes} bytes; at most ${maxJsonBytes} are kept.` : undefined
  }

  /** The failure of a step that the tool did not await; undefined without one. */
  get neglectedStep(): string | undefined {
    return this.#steps?.neglected
  }

  /** Later calls of the tool's code have no effect. */
  end(): void {
    this.#isOver = true
  }

  async toolContext(signal: AbortSignal): Promise<ToolContext> {
    const { runId, run, view, clock } = this.#context
    const { callId, toolName, suspension } = this.#call
    const { attempt, revision, decisionId } = this.#input
    const decision = decisionId === null ? undefined : await this.#context.decision(decisionId)
    const head = { runId, callId, toolName }
    return {
      ...head,
      run,
      attempt,
      fence: this.#context.fence,
      idempotencyKey: `${runId}:${callId}:${revision}`,
      signal,
      ...(this.#context.trace === undefined ? {} : { trace: this.#context.trace }),
      ...(decision === undefined ? {} : { decision: structuredClone(decision) }),
      ...(suspension === undefined ? {} : { suspension: structuredClone(suspension) }),
      state: view.state,
      patch: (changes) => this.#patch(changes),
      step: <Value>(name: string, perform: () => Value | Promise<Value>) =>
        this.#stepsOf(signal).take(name, perform) as Promise<Value>,
      suspend: (ticket = {}) => new Suspended(ticket),
      progress: (given) =>
        this.#tell(() => {
          const text = askOnToolValue(this.#plugins, this.#call, 'progress', textOfProgress(given))
          this.#context.emit({ type: 'progress.reported', ...head, at: clock.now(), text: shortened(text) })
        }),
      update: (given) =>
        this.#tell(() => {
          const copied = partialOf(given)
          const partial = copied === undefined ? copied : askOnToolValue(this.#plugins, this.#call, 'update', copied)
          this.#update({ type: 'toolExecution.updated', ...head, at: clock.now(), partial })
        }),
    }
  }

  #stepsOf(signal: AbortSignal): ToolSteps {
    const isOnce = this.#input.effects === 'once'
    this.#steps ??= new ToolSteps({
      call: this.#call,
      context: this.#context,
      isOnce,
      signal,
      isOver: () => this.#isOver,
    })
    return this.#steps
  }

  #patch(changes: readonly StateChange[]): void {
    if (this.#isOver) return
    try {
      this.#changes.push(...checkedChanges(changes))
    } catch (error) {
      this.#problem ??= thrownText(error)
    }
  }

  #update(event: Extract<AgentEventBody, { readonly type: 'toolExecution.updated' }>): void {
    if (this.#updates === undefined) return this.#context.emit(event)
    this.#updates.take({ text: textOfPartial(event.partial), tell: () => this.#context.emit(event) })
  }

  /** A plugin that fails at a value ends the performance. */
  #tell(tell: () => void): void {
    if (this.#isOver || this.#context.signal.aborted) return
    try {
      tell()
    } catch (error) {
      this.#isOver = true
      this.#refusal.reject(error)
      this.#refused.abort(error)
    }
  }
}

/** The maximum characters of a status text for plugins. */
const mostShown = 1_000_000

function textOfProgress(given: unknown): string {
  return (typeof given === 'string' ? given : thrownText(given)).slice(0, mostShown)
}

/** The maximum characters of an emitted status text. */
const maxProgress = 10_000

function shortened(text: string): string {
  return text.length > maxProgress ? `${text.slice(0, maxProgress)}…` : text
}

function textOfPartial(partial: unknown): string {
  return typeof partial === 'string' ? partial : (JSON.stringify(partial) ?? '')
}

/** Omits a value that is not JSON or is too large. */
function partialOf(partial: unknown): Json | undefined {
  const copied = copyJson(partial, { mostBytes: maxArgumentBytes })
  return copied.problem === undefined ? copied.value : undefined
}
