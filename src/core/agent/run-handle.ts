import type { Decision, DecisionReceipt } from '../domain/decision.ts'
import type { AgentEvent, StoredEvent } from '../domain/event.ts'
import type { PostedItem, PostReceipt } from '../domain/inbox.ts'
import { compactionWish } from '../domain/compaction-wish.ts'
import type { Json } from '../domain/text/json.ts'
import type { Said } from '../domain/message.ts'
import { detailsIn } from '../domain/run-details.ts'
import type { TranscriptMessage } from '../domain/transcript-message.ts'
import { onAbort } from '../ports/clock.ts'
import type { CheckpointInfo, Store } from '../ports/store.ts'
import type { DriveRest } from '../runtime/drive-options.ts'
import type { TakenLease } from '../runtime/held-lease.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { checkAnswerOptions, checkListener, checkMethodOptions } from './agent-shape.ts'
import { answerCall, approvalOf, cancelOneCall } from './answer-target.ts'
import { checkCancel, itemsOf } from '../driving/given-answers.ts'
import type { AnswerOptions, ApproveOptions, Run, SettledOptions } from './run.ts'
import { type EndedRun, endOf } from '../driving/read-original.ts'
import { extensionMessage, messagesOf, type Prompt } from '../driving/read-prompt.ts'
import type { PromptOptions } from '../driving/start-run.ts'
import { checkedOptions, followRun } from '../driving/follow.ts'
import type { FollowedEvents, RunFollowOptions } from '../driving/followed-events.ts'
import type { RunEvents, WantedEvents } from '../driving/run-events.ts'
import type { OpenDriving } from '../driving/open-runs.ts'
import { openDriving } from '../driving/run-driving.ts'
import type { EventReceipt } from '../driving/receive-event.ts'
import type { RunLabels } from '../driving/run-labels.ts'
import { lookBelow, tellOthers, withMembers } from '../family/below.ts'
import { followedOn, handedOn, type NextSpeech, speaking } from '../family/speaking.ts'
import type { BackgroundCall } from '../family/background-work.ts'
import { isAtRest, type RunResult } from '../driving/run-result.ts'
import { type RunState, stateAt } from '../driving/run-state.ts'
import { standingIn, storedStanding, type StoredStanding } from '../driving/stored-standing.ts'
import { detached } from './refused-run.ts'

/** The agent's knowledge of a run when it creates the run's handle. */
export interface RunOpening {
  /** Resolves when the run is stored, with its lease. Default: the run is stored and has no lease. */
  readonly stored?: Promise<TakenLease | undefined>
  /** The name of the agent that started the run. Default: this agent. */
  readonly agent?: string
  /** Drives the run even if an agent with another name started it. */
  readonly adopts?: boolean
  /** Cancels the run if the signal fires before the run rests. */
  readonly signal?: AbortSignal
}

/** The `Run` of an agent. It reads and decides through the store, and shares the process's single drive of the run. */
export class RunHandle implements Run {
  readonly id: string
  readonly #core: AgentCore
  readonly #begun: Pick<RunOpening, 'agent'> & { readonly adopts: boolean }
  readonly #stored: Promise<unknown>
  #taken: Promise<TakenLease | undefined> | undefined
  #ended: EndedRun | undefined
  /** Events emitted before the first iteration, by a drive that this object began. */
  #early: RunEvents | undefined
  /** Stops waiting for a drive in another process. */
  #leaving = new AbortController()
  #forgetSignal: (() => void) | undefined

  constructor(core: AgentCore, id: string, { stored, signal, agent, adopts = false }: RunOpening = {}) {
    this.id = id
    this.#core = core
    this.#begun = { adopts, ...(agent === undefined ? {} : { agent }) }
    this.#taken = stored
    this.#stored = stored ?? Promise.resolve()
    this.#stored.catch(() => undefined)
    this.#forgetSignal = signal && onAbort(signal, () => void this.cancel().catch(() => undefined))
  }

  /**
   * Drives the run at once. If the run is watched, its events until the rest are kept for the first iteration, however
   * late. The error of a failed drive is reported to the next caller.
   */
  begin({ isWatched }: { readonly isWatched: boolean }): Promise<OpenDriving> {
    const early = isWatched ? this.#follow({ fromNow: true }) : undefined
    this.#early = early
    const opening = this.#openDriving()
    const rest = opening.then((driving) => driving.rest)
    this.#core.openRuns.track(rest.then(() => tellOthers(this.#core)))
    const leave = () => this.#early === early && early?.leave()
    rest.then(leave, leave)
    return opening
  }

  async settled(options?: SettledOptions): Promise<RunResult> {
    if (options !== undefined) checkMethodOptions('settled', options)
    const result = await this.#resultOf(options?.follow === true ? this.#driveOrWait() : this.#drive())
    this.#early?.leave()
    this.#early = undefined
    return result
  }

  async #resultOf(driven: Promise<DriveRest | undefined>): Promise<RunResult> {
    const standing = await standingIn(this.#store, this.id, await driven)
    await tellOthers(this.#core)
    const next = standing.outcome?.code === 'handed_over' ? await handedOn(this.#core, this.id) : undefined
    if (next) return new RunHandle(next.core, next.runId).settled()
    if (isAtRest(standing)) return withMembers(this.#core, standing)
    throw detached(this.id)
  }

  async #drive(): Promise<DriveRest | undefined> {
    return (await this.#openDriving()).rest
  }

  async #openDriving(): Promise<OpenDriving> {
    const stored = this.#taken ?? this.#stored.then(() => undefined)
    const leaving = this.#leaving.signal
    this.#taken = undefined
    const taken = await stored
    if (taken === undefined) {
      await lookBelow(this.#core, this.id)
      leaving.throwIfAborted()
    }
    const driving = openDriving(this.#core, this.id, { taken, ...this.#begun })
    const ended = driving.rest.then((rest) => (this.#ended = endOf(rest, driving))).catch(() => undefined)
    void ended.finally(() => this.#forgetSignal?.())
    return driving
  }

  /** Drives the run, or waits while another process does. */
  async #driveOrWait(): Promise<DriveRest | undefined> {
    let rest: DriveRest | undefined
    const drive = async () => (rest = await this.#drive())
    for await (const _ of this.#follow({ drive: true, fromNow: true, deltas: false }, drive)) continue
    return rest
  }

  #follow(wanted: WantedEvents, drive: () => Promise<unknown> = () => this.#drive()): RunEvents {
    return followRun(this.#core, { id: this.id, stored: this.#stored, leaving: this.#leaving.signal, drive }, wanted)
  }

  [Symbol.asyncIterator](): FollowedEvents {
    const events = this.#early ?? this.#follow({ fromNow: true })
    this.#early = undefined
    const next = ({ core, runId }: NextSpeech) => new RunHandle(core, runId)[Symbol.asyncIterator]()
    return followedOn(events.driveBy(this.#drive()), { core: this.#core, runId: this.id }, next)
  }

  events(options: RunFollowOptions & { readonly deltas: false }): FollowedEvents<StoredEvent>
  events(options?: RunFollowOptions): FollowedEvents
  events(options: RunFollowOptions = {}): FollowedEvents {
    const wanted = checkedOptions(options)
    const { after, wait } = wanted
    const next = ({ core, runId }: NextSpeech, at: number) =>
      new RunHandle(core, runId).events({ ...wanted, after: at })
    const own = this.#follow(wanted)
    return wait === false ? own : followedOn(own, { core: this.#core, runId: this.id }, next, after)
  }

  on(listener: (event: AgentEvent) => unknown): () => void {
    checkListener('run.on', listener)
    return this.#core.watchers.listen(listener, this.id)
  }

  async result(): Promise<StoredStanding> {
    await this.#stored
    return withMembers(this.#core, await storedStanding(this.#store, this.id))
  }

  async messages(): Promise<readonly TranscriptMessage[]> {
    await this.#stored
    const { storedMessages } = await import('../driving/transcript-parts.ts')
    return storedMessages(this.#store, this.id)
  }

  async background(): Promise<readonly BackgroundCall[]> {
    const [{ backgroundOf }] = await Promise.all([import('../family/background-work.ts'), this.#stored])
    return backgroundOf(this.#store, this.id)
  }

  async labels(): Promise<RunLabels> {
    await this.#stored
    return detailsIn(this.id, (await this.#store.read(this.id)).input).labels
  }

  async history(): Promise<readonly CheckpointInfo[]> {
    await this.#stored
    return this.#store.checkpoints(this.id)
  }

  async at(version: number): Promise<RunState> {
    return stateAt(await this.#store.checkpoint(this.id, version), version)
  }

  async decide(decisions: readonly Decision[]): Promise<readonly DecisionReceipt[]> {
    const items = itemsOf(decisions)
    const { decideInFamily } = await import('../family/route.ts')
    await this.#stored
    return decideInFamily(this.#core, this.id, items)
  }

  async receive(event: unknown): Promise<EventReceipt> {
    const { receiveEvent } = await import('../driving/receive-event.ts')
    await this.#stored
    return receiveEvent(this.#core, event, this.id)
  }

  async approve(target?: string, options: ApproveOptions = {}): Promise<DecisionReceipt> {
    return this.#answer(target, approvalOf(options))
  }

  async deny(target?: string, options: AnswerOptions = {}): Promise<DecisionReceipt> {
    checkAnswerOptions(options)
    return this.#answer(target, { ...options, action: 'cancel' })
  }

  async respond(target: string | undefined, result: Json, options: AnswerOptions = {}): Promise<DecisionReceipt> {
    checkAnswerOptions(options)
    return this.#answer(target, { ...options, action: 'resume', mode: 'use-as-result', result })
  }

  async pass(target: string | undefined, value: Json, options: AnswerOptions = {}): Promise<DecisionReceipt> {
    checkAnswerOptions(options)
    return this.#answer(target, { ...options, action: 'resume', mode: 'pass-to-tool', result: value })
  }

  async edit(target: string | undefined, input: Json, options: AnswerOptions = {}): Promise<DecisionReceipt> {
    checkAnswerOptions(options)
    return this.#answer(target, { ...options, action: 'resume', input })
  }

  async cancel(reason?: string): Promise<PostReceipt> {
    const checked = checkCancel(this.id, reason)
    return 'answer' in checked ? checked : this.#post({ kind: 'cancel', ...checked })
  }

  async cancelCall(target: string, reason?: string): Promise<PostReceipt> {
    const checked = checkCancel(target, reason)
    if ('answer' in checked) return checked
    await this.#stored
    const post = (runId: string, callId: string) => this.#post({ kind: 'cancelCall', callId, ...checked }, runId)
    return cancelOneCall(this.#core, this.id, target, post)
  }

  async steer(prompt: Said): Promise<PostReceipt> {
    return this.#post({ kind: 'steer', messages: messagesOf(prompt, this.#core) })
  }

  async followUp(prompt: Said): Promise<PostReceipt> {
    return this.#post({ kind: 'followUp', messages: messagesOf(prompt, this.#core) })
  }

  async #post(item: PostedItem, runId?: string): Promise<PostReceipt> {
    await this.#stored
    return this.#store.post(runId ?? (await speaking(this.#core, this.id)).runId, item, this.#core.clock.now())
  }

  async prompt(prompt: Prompt, options: PromptOptions = {}): Promise<RunHandle> {
    checkMethodOptions('prompt', options)
    const { signal, drive = true } = options
    const original = { id: this.id, stored: this.#stored, ...this.#begun, ended: this.#ended }
    const { promptAfter } = await import('../sessions/prompt-after.ts')
    const { core, id, lease } = await promptAfter(this.#core, original, prompt, options)
    const run = new RunHandle(core, id, { stored: Promise.resolve(lease), ...(signal && { signal }) })
    if (drive) run.begin({ isWatched: true }).catch(() => undefined)
    return run
  }

  async append(kind: string, data: Json): Promise<PostReceipt> {
    return this.#post({ kind: 'extension', message: extensionMessage(kind, data, this.#core.clock.now()) })
  }

  async compact(): Promise<RunHandle> {
    const { answer } = await this.#post({ kind: 'extension', message: compactionWish(this.#core.clock.now()) })
    if (answer === 'applied') return this
    const original = { id: this.id, stored: this.#stored, ...this.#begun, ended: this.#ended }
    const { compactAfter } = await import('../sessions/compact-after.ts')
    return new RunHandle(this.#core.successor ?? this.#core, await compactAfter(this.#core, original))
  }

  async detach(): Promise<void> {
    this.#leaving.abort(detached(this.id))
    this.#leaving = new AbortController()
    await this.#stored.catch(() => undefined)
    await this.#core.openRuns.get(this.id)?.detach()
  }

  get #store(): Store {
    return this.#core.store
  }

  async #answer(target: string | undefined, decision: Omit<Decision, 'target'>): Promise<DecisionReceipt> {
    await this.#stored
    return answerCall(this.#core, this.id, target, decision)
  }
}
