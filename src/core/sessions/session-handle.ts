import type { PostReceipt } from '../domain/inbox.ts'
import type { Said } from '../domain/message.ts'
import type { Continuation } from '../domain/continuation.ts'
import { checkedSessionId, type StoredSession } from '../domain/session-state.ts'
import { messagesIn, type TranscriptMessage } from '../domain/transcript-message.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { givenDetails, type GoingOn } from '../driving/plan-run.ts'
import { type EndedRun, endOf, type ReadRun, winnerOf } from '../driving/read-original.ts'
import { inputOf, messagesOf, type Prompt } from '../driving/read-prompt.ts'
import { checkUndriven } from '../driving/start-run.ts'
import type { RunHolder } from '../driving/resume-run.ts'
import { atSecondLook } from '../driving/second-look.ts'
import { deleteSession } from '../driving/delete-runs.ts'
import type { DeleteSessionOptions } from '../driving/delete-families.ts'
import type { DeletedRuns } from '../ports/commit.ts'
import type { StoredRun } from '../ports/stored-run.ts'
import type { TakenLease } from '../runtime/held-lease.ts'
import type { GroupOf } from './begin-group.ts'
import type { WantedRun } from './begin-run.ts'
import { checkedConfigId } from './config-id.ts'
import { checkIdleTime, checkSessionOptions } from './session-options.ts'
import type {
  BranchAgent,
  BranchOptions,
  MessagesOptions,
  ParallelOptions,
  RerunOptions,
  RestoredTranscript,
  RestoreOptions,
  SessionOf,
  SessionOptions,
  SessionPromptOptions,
  SessionRunOptions,
  SessionUsage,
} from './session.ts'
import { checkedBeginning, type SessionBeginning } from './session-beginning.ts'
import { changing, keepState, readSession, refuseWhileActive, type SessionPlace, stateOf } from './stored-session.ts'

type HolderOf<Holder> = (
  runId: string,
  opening: { readonly stored: Promise<TakenLease | undefined>; readonly signal?: AbortSignal },
  core?: AgentCore,
) => Holder

/**
 * The `Session` that an agent returns. It reads the store each time, and keeps only the end of the last run in memory.
 */
export class SessionHandle<Holder extends RunHolder> implements SessionOf<Holder> {
  readonly #core: AgentCore
  readonly #begun: SessionBeginning
  readonly #holderOf: HolderOf<Holder>
  readonly #groupOf: GroupOf
  #id: string
  #last: { readonly runId: string; readonly ended: EndedRun | undefined } | undefined

  constructor(
    core: AgentCore,
    id: string | undefined,
    begun: SessionOptions,
    holderOf: HolderOf<Holder>,
    groupOf: GroupOf,
  ) {
    checkSessionOptions('agent.session', begun)
    this.#core = core
    this.#id = checkedSessionId(id === undefined ? core.ids.next('session') : id)
    this.#begun = checkedBeginning(begun)
    this.#holderOf = holderOf
    this.#groupOf = groupOf
  }

  get id(): string {
    return this.#id
  }

  async state(): Promise<StoredSession | undefined> {
    const session = await readSession(this.#place)
    return session.version === 0 ? undefined : session
  }

  async prompt(prompt: Prompt, options: SessionPromptOptions = {}): Promise<Holder> {
    checkSessionOptions('session.prompt', options)
    const { after, ...others } = options
    const input = inputOf(prompt, this.#core)
    return this.#begin(input, others, async (session) => {
      const ended = this.#last?.runId === session.lastRun ? this.#last?.ended : undefined
      const { readAfter } = await import('./session-place.ts')
      const original = await readAfter(this.#core, session, { after, ended: after === undefined ? ended : undefined })
      return original && asItIs(original)
    })
  }

  async continue(options: SessionRunOptions = {}): Promise<Holder> {
    checkSessionOptions('session.continue', options)
    return this.#begin(nothing, options, async (session) => {
      const { readAfter, refuseAnswered } = await import('./session-place.ts')
      const original = await readAfter(this.#core, session, { after: undefined, ended: undefined })
      refuseAnswered(session.id, original?.log ?? [])
      return original && asItIs(original)
    })
  }

  async rerun(options: RerunOptions = {}): Promise<Holder> {
    checkSessionOptions('session.rerun', options)
    return this.#again('rerun', nothing, options)
  }

  async branch(options: BranchOptions = {}): Promise<Holder> {
    checkSessionOptions('session.branch', options)
    const { prompt, ...others } = options
    return this.#again('branch', prompt === undefined ? nothing : inputOf(prompt, this.#core), others)
  }

  async parallel(agents: readonly BranchAgent[], options: ParallelOptions): Promise<Holder> {
    checkSessionOptions('session.parallel', options)
    const { beginParallel } = await import('./parallel.ts')
    const { core, id, lease, signal, drive } = await beginParallel(this.#place, agents, options, this.#groupOf)
    const opening = { stored: Promise.resolve(lease), ...(signal === undefined ? {} : { signal }) }
    const run = this.#holderOf(id, opening, core)
    if (drive) run.begin({ isWatched: true }).catch(() => undefined)
    return run
  }

  async steer(said: Said): Promise<PostReceipt> {
    const { sayToSession } = await import('./say-to-session.ts')
    return sayToSession(this.#place, 'steer', messagesOf(said, this.#core))
  }

  async followUp(said: Said): Promise<PostReceipt> {
    const { sayToSession } = await import('./say-to-session.ts')
    return sayToSession(this.#place, 'followUp', messagesOf(said, this.#core))
  }

  async cancel(reason?: string): Promise<PostReceipt> {
    const { cancelActive } = await import('./say-to-session.ts')
    return cancelActive(this.#place, reason)
  }

  async compact(): Promise<void> {
    const { compactSession } = await import('./say-to-session.ts')
    await compactSession(this.#place)
  }

  async reset(): Promise<void> {
    await changing(this.#place, async (session) => {
      refuseWhileActive(session)
      if (session.version === 0) return true
      const { lastRun: _, ...state } = stateOf(session)
      await keepState(this.#place, { ...state, queued: [] }, session)
      return true
    })
  }

  async messages(options: MessagesOptions = {}): Promise<readonly TranscriptMessage[]> {
    checkSessionOptions('session.messages', options)
    const { partsOf } = await import('../driving/transcript-parts.ts')
    const { before = Infinity, limit = 100 } = options
    const stored = await this.#lastRun()
    if (stored === undefined) return []
    const earlier = stored.log.filter(({ seq }) => seq < before)
    const shown = messagesIn(earlier)
    const first = Math.max(shown.length - limit, 0)
    const { store } = this.#core
    const { place: from = 1 } = shown[first] ?? {}
    return messagesIn(earlier, await partsOf(store, stored.record.id, stored, { from })).slice(first)
  }

  async usage(): Promise<SessionUsage> {
    const { usageOf } = await import('./session-usage.ts')
    const { id } = await readSession(this.#place)
    return usageOf(this.#core.store, id)
  }

  async save(): Promise<string> {
    const stored = await this.#lastRun()
    const messages = stored === undefined ? [] : messagesIn(stored.log)
    return JSON.stringify({ messages: messages.map(({ place: _, ...message }) => message) })
  }

  async restore(transcript: unknown, options: RestoreOptions = {}): Promise<RestoredTranscript> {
    checkSessionOptions('session.restore', options)
    const { readTranscriptInTurns } = await import('../transcripts/read-transcript.ts')
    const { messages, format, leftOut, repaired } = await readTranscriptInTurns(transcript, {
      ...options,
      now: this.#core.clock.now(),
    })
    const { keepTranscript } = await import('./keep-transcript.ts')
    const runId = await changing(this.#place, async (session, taken) => {
      refuseWhileActive(session)
      return keepTranscript(this.#core, { origin: 'imported', session, taken, labels: this.#begun.labels, messages })
    })
    return { runId, messages: messages.length, format, leftOut, repaired }
  }

  async rotate(): Promise<string> {
    return (await this.#rotated(undefined)) ?? this.#id
  }

  async rotateIfIdle(ms: number): Promise<string | undefined> {
    checkIdleTime(ms)
    return this.#rotated(ms)
  }

  async delete(options: DeleteSessionOptions = {}): Promise<DeletedRuns> {
    checkSessionOptions('session.delete', options)
    const { store, clock, leaseMs, openRuns } = this.#core
    const { id } = await readSession(this.#place)
    return atSecondLook(
      (found) => deleteSession(store, id, options, found),
      async () => {
        await clock.sleepUntil(clock.now() + leaseMs, openRuns.closing)
        return !openRuns.closing.aborted
      },
    )
  }

  get #place(): SessionPlace {
    return { core: this.#core, id: this.#id, begun: this.#begun }
  }

  /** Returns the run that holds the session's transcript. */
  async #lastRun(): Promise<StoredRun | undefined> {
    const { lastRun } = await readSession(this.#place)
    const stored = lastRun === undefined ? undefined : await this.#core.store.read(lastRun)
    const winner = stored && (await winnerOf(this.#core.store, stored))
    return winner === undefined ? stored : this.#core.store.read(winner)
  }

  async #rotated(idleMs: number | undefined): Promise<string | undefined> {
    const { rotated } = await import('./rotate-session.ts')
    const id = await rotated(this.#place, idleMs)
    if (id !== undefined) this.#id = id
    return id
  }

  /** Starts a run with the prompt in place of the answered message, or with that message. */
  async #again(
    kind: 'rerun' | 'branch',
    input: RunBeginning,
    { from, tag, ...options }: RerunOptions,
  ): Promise<Holder> {
    const continuation = { kind, tag: tag ?? new Date(this.#core.clock.now()).toISOString() }
    const place = from && { runId: from.runId, version: from.version }
    const { readToAnswer, readToReplace, refuseAnswered } = await import('./session-place.ts')
    return this.#begin(input, options, async (session) => {
      if (input.messages.length > 0) return { original: await readToReplace(this.#core, session, place), continuation }
      const original = await readToAnswer(this.#core, session, place)
      refuseAnswered(session.id, original.log)
      return { original, continuation }
    })
  }

  async #begin(input: RunBeginning, options: SessionRunOptions, from: WantedRun['from']): Promise<Holder> {
    const { signal, configId, drive = true, ...details } = options
    checkUndriven(drive, signal)
    const wanted: WantedRun = {
      input,
      given: givenDetails(details),
      quota: details.quota,
      drive,
      configId: configId === undefined ? undefined : checkedConfigId(configId),
      from,
    }
    const { beginRun } = await import('./begin-run.ts')
    const { id, core, lease } = await beginRun(this.#place, wanted)
    const opening = { stored: Promise.resolve(lease), ...(signal === undefined ? {} : { signal }) }
    const run = this.#holderOf(id, opening, core)
    if (!drive) return run
    run
      .begin({ isWatched: true })
      .then((driving) => driving.rest.then((rest) => (this.#last = { runId: id, ended: endOf(rest, driving) })))
      .catch(() => undefined)
    return run
  }
}

type RunBeginning = WantedRun['input']

const nothing: RunBeginning = { messages: [] }

function asItIs(original: ReadRun): GoingOn {
  const continuation: Continuation = { kind: 'default' }
  return { original, continuation }
}
