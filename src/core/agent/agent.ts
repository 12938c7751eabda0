import type { Store } from '../ports/store.ts'
import type { AuditEntry } from '../domain/audit-entry.ts'
import type { Grant } from '../domain/grant.ts'
import type { AuditFilter, GrantFilter } from '../ports/grants.ts'
import type { Decision, DecisionReceipt } from '../domain/decision.ts'
import type { AgentEvent, ToolType } from '../domain/event.ts'
import type { PlainActor, PlainMachine, PlainRunInput, ProvideOptions } from '../plain/plain-machine.ts'
import type { Prompt } from '../driving/read-prompt.ts'
import type { SessionOf, SessionOptions } from '../sessions/session.ts'
import type { MachineInputOptions } from '../sessions/transcript-after.ts'
import type { Said } from '../domain/message.ts'
import type { PlainStanding } from './plain-standing.ts'
import type { Run } from './run.ts'
import type { EventReceipt } from '../driving/receive-event.ts'
import type { RunResult } from '../driving/run-result.ts'
import type { ToolDefinition } from '../ports/model.ts'
import type { NewRunOptions, StartOptions } from '../driving/start-run.ts'
import type {
  DamagedRun,
  DamagedSession,
  ListedRun,
  ListedSession,
  RunFilter,
  SessionFilter,
  SuspendedFilter,
  SuspendedRun,
} from '../ports/store-lists.ts'

/**
 * An agent: a model, its tools, and runs in a store. The names and schemas of `Tools` type its events, and `Output`
 * types its results.
 */
export interface Agent<Tools extends ToolType = ToolType, Output = unknown> extends AsyncDisposable {
  readonly name: string
  /** The store it was given; absent where its runs are in the memory of this process alone. */
  readonly store?: Store
  /** The run machine with this agent's effect handlers, for `createActor` in any app: `provide()` without options. */
  readonly machine: PlainMachine
  /**
   * The run machine for an actor that goes on elsewhere. `onLog` gives the log, which you keep beside each snapshot;
   * `log` takes it in again. Logs stay in memory, and effects are performed at once: what must survive a crash needs
   * `start`. Where snapshot and log do not belong together, starting the actor throws a `SnapshotError`.
   *
   * @example
   * const actor = createActor(agent.provide({ log: saved.log }), { snapshot: saved.snapshot }).start()
   */
  provide(options?: ProvideOptions): PlainMachine
  /**
   * What a model is told of one of the agent's tools, for a form of its arguments; undefined for a tool that the agent has
   * not. Toolsets are opened for it, and one that cannot be opened has no tools.
   */
  tool(name: string): Promise<ToolDefinition | undefined>
  /**
   * The input of the run machine for a prompt. `createActor(agent.machine, { input })` takes the prompt as well. With
   * `after`, the output of an actor that is done, the run goes on from its messages. Throws `UsageError` `bad_prompt` for
   * a prompt that is refused, and `bad_option` or a `TranscriptError` for an output that is none.
   *
   * @example
   * const output = await toPromise(first)
   * const actor = createActor(agent.machine, { input: agent.machineInput('And tomorrow?', { after: output }) })
   */
  machineInput(prompt: Prompt, options?: MachineInputOptions): PlainRunInput
  /**
   * Hands decisions to an actor of this agent's machine. Gives one receipt an item, as `run.decide` does; only
   * `applied` and `kept` change anything. Throws `UsageError` `bad_actor` for an actor of another machine, or one that
   * is stopped.
   *
   * @example
   * const [receipt] = await agent.decide(actor, [{ target: callId, action: 'resume' }])
   */
  decide(actor: PlainActor, decisions: readonly Decision[]): Promise<readonly DecisionReceipt[]>
  /**
   * How an actor of this agent's machine stands: its transcript, its last answer, and the calls that wait with their names
   * and arguments, also where it was restored. Throws `UsageError` `bad_actor` for an actor of another machine.
   *
   * @example
   * const { suspended } = agent.standing(actor)
   */
  standing(actor: PlainActor): PlainStanding
  /**
   * Says something to an actor of this agent's machine before its next turn, as `run.steer` does. Throws `UsageError`
   * `bad_actor` as `standing` does and for one that is stopped, `run_done` for one that has ended, and `bad_prompt`.
   */
  steer(actor: PlainActor, said: Said): void
  /**
   * Stores a new run and drives it until it waits or is done. Resolves for every end, a failed model included. Rejects
   * with what `start` throws, with `StoreError` `run_exists` where the id is taken, and as `settled()` of a run does.
   */
  run(prompt: Prompt, options?: NewRunOptions): Promise<RunResult<Output>>
  /**
   * Stores a new run and drives it, whether or not anybody watches. `run` and `start` differ only in how you watch:
   * iterate the run for its events, or await `settled()` for its end. Both report what the drive fails with. Throws a
   * `UsageError` for a prompt or an option that is refused, and `agent_closed` after `close()`. Where the id is taken,
   * every method of the run rejects with the `StoreError` `run_exists`.
   */
  start(prompt: Prompt, options?: StartOptions): Run<Tools, Output>
  /**
   * Calls a function with the events of all runs of this agent that this process drives, as `run.on` does for one run.
   * Gives a function that removes the listener. Throws `UsageError` `bad_option` for a listener that is no function.
   */
  on(listener: (event: AgentEvent<Tools>) => unknown): () => void
  /**
   * Gives a stored run that nobody drives yet; any process may load it, at any later time. Rejects with `StoreError`
   * `run_unknown` where the store has no such run, and with `UsageError` `bad_option` for an option that is refused.
   * Driving a run that an agent of another name started is a `UsageError` `other_agent`, unless you adopt the run.
   *
   * @example
   * const run = await agent.load(runId)
   * await run.approve()
   * const { status, text } = await run.settled()
   */
  load(runId: string, options?: LoadOptions): Promise<Run<Tools, Output>>
  /**
   * Makes sure that somebody drives a stored run, after a decision was stored for it. Drives the run where nobody does,
   * shares the drive of this process, or leaves it to another process that drives it, and says which. Resolves at once;
   * await `settled()` of the run for its end. Rejects as `load` does, with `other_agent` and with `agent_closed`.
   *
   * @example
   * await (await agent.load(runId)).approve(callId)
   * const { drive } = await agent.resume(runId)
   */
  resume(runId: string, options?: LoadOptions): Promise<ResumedRun<Tools, Output>>
  /**
   * A conversation: runs on one transcript, in the store. Without an id a new one is begun; with an id it is that session,
   * whichever process has begun it. Nothing is read or stored yet. Throws `UsageError` `bad_session_id` for an id that is
   * none (1 to 64 of the characters A-Z, a-z, 0-9, `_` and `-`), `bad_metadata` and `bad_option`.
   *
   * @example
   * const chat = agent.session('talk-7')
   * await (await chat.prompt('Weather in Oslo?')).settled()
   * const { text } = await (await chat.prompt('And tomorrow?')).settled()
   */
  session(id?: string, options?: SessionOptions): Session<Tools, Output>
  /**
   * Takes in the answer of a service, an event of CloudEvents 1.0, for the run that it is for. Only `applied` changes
   * anything: it is stored for whoever drives the run, and a run that waits for several goes on once the last is in. Every
   * other receipt says why. Rejects only with a `StoreError`.
   *
   * @example
   * const { answer, runId } = await agent.receive(event)
   * if (answer === 'applied' && runId !== undefined) await agent.resume(runId)
   */
  receive(event: unknown): Promise<EventReceipt>
  /**
   * Stores a new run that goes on from a checkpoint of another. Nobody drives the new run or holds its lease yet.
   * Rejects with `StoreError` `run_unknown` where there is no such run or checkpoint, and `run_exists` where the id is
   * taken; with `SnapshotError` where the checkpoint cannot be read; with `UsageError` for an id that is refused, and
   * `agent_closed` after `close()`.
   */
  fork(runId: string, options: ForkOptions): Promise<Run<Tools, Output>>
  /**
   * Stored runs of this agent, the newest first, at most 100 unless the filter's `limit` says otherwise; `cursor` of the
   * last is `before` of the next page. One that cannot be read is among them as `{ id, damaged }`. Rejects with
   * `UsageError` `bad_option` or `bad_cursor` for a filter that is refused, and with a `StoreError`.
   *
   * @example
   * const page = await agent.runs({ labels: { team: 'north' }, status: 'waiting' })
   * const next = await agent.runs({ labels: { team: 'north' }, status: 'waiting', before: page.at(-1)?.cursor })
   */
  runs(filter?: OwnFilter<RunFilter>): Promise<readonly (ListedRun | DamagedRun)[]>
  /** Stored sessions of this agent, the one that was active last first; otherwise as `runs`. */
  sessions(filter?: OwnFilter<SessionFilter>): Promise<readonly (ListedSession | DamagedSession)[]>
  /**
   * The stored runs of this agent that wait for answers, each with its suspended calls and their arguments, read at one
   * moment; `answered` names the calls for which an answer is stored that nobody has carried out. Otherwise as `runs`.
   *
   * @example
   * for (const found of await agent.suspended()) if ('calls' in found) console.log(found.record.prompt, found.calls)
   */
  suspended(filter?: OwnFilter<SuspendedFilter>): Promise<readonly (SuspendedRun | DamagedRun)[]>
  /**
   * What has been granted to runs of this agent, or denied, beyond one call, the newest first: by a decision with a `scope`.
   * A grant that is used up, or whose run is done, is not among it. Rejects with a `StoreError`.
   */
  grants(filter?: OwnFilter<Omit<GrantFilter, 'forCall'>>): Promise<readonly Grant[]>
  /**
   * Takes a grant back by its id: the calls that would have run by it are asked about. Gives the grant, and undefined where
   * none of this agent has the id. Rejects as `grants` does.
   *
   * @example
   * for (const { id } of await agent.grants({ toolName: 'pay' })) await agent.revoke(id, { by: 'ann' })
   */
  revoke(grantId: string, options?: RevokeOptions): Promise<Grant | undefined>
  /**
   * Who decided what about calls of this agent, on which arguments and by which rule, and which calls ran by a grant: the
   * newest entry first, at most 100 unless the filter's `limit` says otherwise; `id` of the last is `before` of the next
   * page. Nothing in it changes, but that the arguments go with their run when it is deleted. Rejects as `grants` does.
   */
  audit(filter?: OwnFilter<AuditFilter>): Promise<readonly AuditEntry[]>
  /**
   * Stops driving the agent's runs, which stay as they are stored. Gives their leases back and closes the toolsets; the
   * store stays open. From now on nothing new is launched. Models and tools under way have `drainMs` to come back; then
   * their signals fire. Afterwards runs may be read and decided, but starting, driving or following one is a
   * `UsageError` `agent_closed`. A second close waits for the first. Rejects with a `ToolsetError` where a toolset
   * could not be closed; the others are closed all the same. Throws `UsageError` `bad_option` for a `drainMs` that is
   * no time. `await using` closes without draining.
   *
   * @example
   * await using agent = createAgent({ name: 'clerk', model, tools: [petStore] })
   */
  close(options?: CloseOptions): Promise<void>
}

/** A conversation whose runs are those of an agent. */
export type Session<Tools extends ToolType = ToolType, Output = unknown> = SessionOf<Run<Tools, Output>>

/** How a grant is taken back. */
export interface RevokeOptions {
  /** Who takes it back, for the audit. */
  readonly by?: string
}

/** A filter of what an agent has stored; a field that is undefined counts as left out. */
export type OwnFilter<Filter> = { readonly [Name in Exclude<keyof Filter, 'agent'>]?: Filter[Name] | undefined }

/** How an agent is closed. */
export interface CloseOptions {
  /** Milliseconds that models and tools under way have to come back. Default 0. */
  readonly drainMs?: number
}

/** How a stored run is taken up. */
export interface LoadOptions {
  /** Drives the run even where an agent of another name started it; it keeps that name. Default false. */
  readonly adopt?: boolean
}

/** The checkpoint that a fork goes on from, and the id of the fork. */
export interface ForkOptions {
  /** Version of the checkpoint, as `history()` lists it. */
  readonly from: number
  /** Default: a fresh id. */
  readonly runId?: string
}

/** A run, and who drives it now. */
export interface ResumedRun<Tools extends ToolType = ToolType, Output = unknown> {
  readonly run: Run<Tools, Output>
  /**
   * `begun`: this process drives it from now on. `shared`: this process drove it already. `elsewhere`: another process
   * drives it, and takes in what was stored for the run. `none`: nobody drives it, because the run is done.
   */
  readonly drive: 'begun' | 'shared' | 'elsewhere' | 'none'
}
