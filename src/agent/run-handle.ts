import type { Decision, DecisionReceipt } from '../domain/decision.ts'
import type { AgentEvent } from '../domain/event.ts'
import type { PostReceipt } from '../domain/inbox.ts'
import type { Json } from '../domain/json.ts'
import { messagesIn, type TranscriptMessage } from '../domain/transcript-message.ts'
import type { CheckpointInfo, Store } from '../ports/store.ts'
import type { AgentCore } from './agent-core.ts'
import { checkAnswerOptions } from './agent-shape.ts'
import { callIdOf, onlySuspension } from './answer-target.ts'
import { storeFittingDecisions } from './store-decisions.ts'
import type { AnswerOptions, EventIterator, Run } from './run.ts'
import { RunDriving, type RunOpening } from './run-driving.ts'
import { labelsIn, type RunLabels } from './run-labels.ts'
import { isAtRest, type RunResult, type RunStanding, standingOf, storedFacts } from './run-result.ts'
import { type RunState, stateAt } from './run-state.ts'
import { UsageError } from '../domain/usage-error.ts'

/** The `Run` an agent hands out: reads and decides by the store, drives by a `RunDriving` of its own. */
export class RunHandle implements Run {
  readonly id: string
  readonly #core: AgentCore
  readonly #driving: RunDriving

  constructor(core: AgentCore, id: string, opening: RunOpening = {}) {
    this.#core = core
    this.id = id
    this.#driving = new RunDriving(core, id, opening)
  }

  async settled(): Promise<RunResult> {
    const rest = await this.#driving.driveOn()
    const standing = rest === undefined ? await this.result() : standingOf(this.id, rest)
    if (isAtRest(standing)) return standing
    throw new UsageError('run_detached', `Driving run "${this.id}" was stopped by detach(). It can be driven on.`)
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    const stream = this.#driving.events()
    this.#driving.driveOn().then(
      () => stream.end(),
      (error: unknown) => stream.end(error),
    )
    return stream
  }

  events(): EventIterator {
    return this.#driving.events()
  }

  async result(): Promise<RunStanding> {
    await this.#driving.isStored()
    return standingOf(this.id, storedFacts(await this.#store.read(this.id)))
  }

  async messages(): Promise<readonly TranscriptMessage[]> {
    await this.#driving.isStored()
    return messagesIn((await this.#store.read(this.id)).log)
  }

  async labels(): Promise<RunLabels> {
    await this.#driving.isStored()
    return labelsIn((await this.#store.read(this.id)).input)
  }

  async history(): Promise<readonly CheckpointInfo[]> {
    await this.#driving.isStored()
    return this.#store.checkpoints(this.id)
  }

  async at(version: number): Promise<RunState> {
    return stateAt(await this.#store.checkpoint(this.id, version), version)
  }

  async decide(decisions: readonly Decision[]): Promise<readonly DecisionReceipt[]> {
    const items = itemsOf(decisions)
    await this.#driving.isStored()
    return storeFittingDecisions(this.#core, this.id, items)
  }

  async approve(target?: string, options: AnswerOptions = {}): Promise<DecisionReceipt> {
    checkAnswerOptions(options)
    return this.#answer({ ...options, target: await this.#targetOf(target), action: 'resume' })
  }

  async deny(target?: string, reason?: string, options: AnswerOptions = {}): Promise<DecisionReceipt> {
    checkAnswerOptions(options)
    const why = reason === undefined ? {} : { reason }
    return this.#answer({ ...options, ...why, target: await this.#targetOf(target), action: 'cancel' })
  }

  async respond(target: string | undefined, result: Json, options: AnswerOptions = {}): Promise<DecisionReceipt> {
    checkAnswerOptions(options)
    const resolved = await this.#targetOf(target)
    return this.#answer({ ...options, target: resolved, action: 'resume', mode: 'use-as-result', result })
  }

  async pass(target: string | undefined, value: Json, options: AnswerOptions = {}): Promise<DecisionReceipt> {
    checkAnswerOptions(options)
    const resolved = await this.#targetOf(target)
    return this.#answer({ ...options, target: resolved, action: 'resume', mode: 'pass-to-tool', result: value })
  }

  async edit(target: string | undefined, input: Json, options: AnswerOptions = {}): Promise<DecisionReceipt> {
    checkAnswerOptions(options)
    return this.#answer({ ...options, target: await this.#targetOf(target), action: 'resume', input })
  }

  async cancel(reason?: string): Promise<PostReceipt> {
    return this.#driving.cancel(reason)
  }

  async cancelCall(target: string, reason?: string): Promise<PostReceipt> {
    await this.#driving.isStored()
    const callId = await callIdOf(this.#store, this.id, target)
    const item = { kind: 'cancelCall' as const, callId, ...(reason === undefined ? {} : { reason }) }
    return { ...(await this.#store.post(this.id, item, this.#core.clock.now())), target }
  }

  async detach(): Promise<void> {
    await this.#driving.detach()
  }

  get #store(): Store {
    return this.#core.store
  }

  async #answer(decision: Decision): Promise<DecisionReceipt> {
    const [receipt] = await this.decide([decision])
    return receipt ?? { target: decision.target, answer: 'unknown' }
  }

  async #targetOf(target: string | undefined): Promise<string> {
    if (target !== undefined) return target
    await this.#driving.isStored()
    return onlySuspension(this.#store, this.id)
  }
}

/** A copy of the list, so that nothing of the caller's is read later. */
function itemsOf(decisions: unknown): readonly unknown[] {
  try {
    if (Array.isArray(decisions)) return [...decisions]
  } catch {
    // A list that cannot be read is none.
  }
  const wish = 'Expected a list of { target, action, … }; for one call there are approve, deny, respond and edit.'
  throw new UsageError('bad_decision', `The decisions are no list. ${wish} Nothing was stored.`)
}
