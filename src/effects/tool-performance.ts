import type { RunToolInput } from '../../machines/tool-call/tool-call.types.ts'
import type { CallRecord, StateChange } from '../domain/call.ts'
import { type Json, jsonBytes } from '../domain/json.ts'
import { copyJson } from '../domain/json-copy.ts'
import { maxArgumentBytes, maxJsonBytes } from '../domain/json-limits.ts'
import type { AgentEventBody } from '../domain/event.ts'
import { thrownText } from '../domain/thrown-text.ts'
import type { EffectContext } from '../ports/effect-handler.ts'
import { Suspended, type ToolContext } from '../ports/tool.ts'
import { checkedChanges } from './plain-input.ts'
import type { HookedUpdates } from './hooked-updates.ts'
import { ToolSteps } from './tool-steps.ts'

/** One performance of a tool: what it asks for until it ends, and nothing after that. */
export class ToolPerformance {
  readonly #input: RunToolInput
  readonly #call: CallRecord
  readonly #context: EffectContext
  readonly #updates: HookedUpdates | undefined
  readonly #changes: StateChange[] = []
  #problem: string | undefined
  #steps: ToolSteps | undefined
  #isOver = false

  /** Where there are hooks for them, updates are told by way of `updates`. */
  constructor(input: RunToolInput, call: CallRecord, context: EffectContext, updates?: HookedUpdates) {
    this.#input = input
    this.#call = call
    this.#context = context
    this.#updates = updates
  }

  /** Changes of the state, as they were when they were asked for; throws where one of them is refused. */
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

  /** What became of a step the tool did not wait for; undefined where nothing is lost. */
  get neglectedStep(): string | undefined {
    return this.#steps?.neglected
  }

  /** Code of the tool that goes on is not heard any more. */
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
      ...(decision === undefined ? {} : { decision: structuredClone(decision) }),
      ...(suspension === undefined ? {} : { suspension: structuredClone(suspension) }),
      state: view.state,
      patch: (changes) => this.#patch(changes),
      step: <Value>(name: string, perform: () => Value | Promise<Value>) =>
        this.#stepsOf(signal).take(name, perform) as Promise<Value>,
      suspend: (ticket = {}) => new Suspended(ticket),
      progress: (text) => this.#emit({ type: 'progress.reported', ...head, at: clock.now(), text: shortened(text) }),
      update: (partial) =>
        this.#update({ type: 'toolExecution.updated', ...head, at: clock.now(), partial: partialOf(partial) }),
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
    if (this.#updates === undefined) return this.#emit(event)
    if (this.#isOver || this.#context.signal.aborted) return
    this.#updates.take({ text: textOfPartial(event.partial), tell: () => this.#context.emit(event) })
  }

  #emit(event: AgentEventBody): void {
    if (!this.#isOver && !this.#context.signal.aborted) this.#context.emit(event)
  }
}

/** Characters of a status text that are told. */
const maxProgress = 10_000

function shortened(given: unknown): string {
  const text = typeof given === 'string' ? given : thrownText(given)
  return text.length > maxProgress ? `${text.slice(0, maxProgress)}…` : text
}

function textOfPartial(partial: unknown): string {
  return typeof partial === 'string' ? partial : (JSON.stringify(partial) ?? '')
}

/** What is no JSON, or more than anybody watches, is told without its value. */
function partialOf(partial: unknown): Json | undefined {
  const copied = copyJson(partial, { mostBytes: maxArgumentBytes })
  return copied.problem === undefined ? copied.value : undefined
}
