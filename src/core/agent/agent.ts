import type { HandoverOptions } from '../family/handover-tool.ts'
import type { Store } from '../ports/store.ts'
import type { AuditEntry } from '../domain/audit-entry.ts'
import type { Grant } from '../domain/grant.ts'
import type { AuditFilter, GrantFilter } from '../ports/grants.ts'
import type { Decision, DecisionReceipt } from '../domain/decision.ts'
import type { AgentEvent, ToolType } from '../domain/event.ts'
import type { PlainActor, PlainMachine, PlainPair, PlainRunInput, ProvideOptions } from '../plain/plain-machine.ts'
import type { Prompt } from '../driving/read-prompt.ts'
import type { LimitsOption } from '../driving/run-options.ts'
import type { SubAgentOptions } from '../family/child-tool.ts'
import type { Schema } from '../ports/schema.ts'
import type { Tool } from '../ports/tool.ts'
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
 * An agent: a model, its tools, and its runs in a store. The names and schemas of `Tools` determine the types of its
 * events, and `Output` determines the type of its results.
 */
export interface Agent<Tools extends ToolType = ToolType, Output = unknown> extends AsyncDisposable {
  readonly name: string
  /** The version from the options. */
  readonly version?: string
  /** The store from the options; absent if the runs are only in the memory of this process. */
  readonly store?: Store
  /** The run machine with this agent's effect handlers, for `createActor` in any app: `provide()` without options. */
  readonly machine: PlainMachine
  /**
   * Returns a tool that has this agent work as a sub-agent of the agent whose tool it is. Each call is a run of its own in
   * the store of that agent, with this agent's instructions, model, tools and limits, and without the caller's transcript.
   * The rules of the caller's `permissions` apply to its calls too: deny before ask before allow. The result is its text
   * or typed output. What it asks is listed and answered from the top, as `<childRunId>/<callId>`.
   *
   * @example
   * const boss = createAgent({ name: 'boss', model, tools: [helper.asTool({ description: 'Looks things up.' })] })
   */
  asTool(options: AsToolOptions): Tool
  /**
   * Returns a tool by which the agent whose tool it is hands its conversation over to this agent. The run ends
   * `stopped(handed_over)` after its round, and this agent goes on in a new run on the same transcript and account, in the
   * store of that agent. It can hand the conversation back. The rules of earlier speakers stay in force. `settled()` and
   * iterators follow to the last run.
   *
   * @example
   * const desk = createAgent({ name: 'desk', model, tools: [repairs.asHandover({ when: 'Something is broken.' })] })
   */
  asHandover(options: HandoverOptions): Tool
  /**
   * Returns the run machine for an actor that may be restored elsewhere. `onLog` delivers the log, which you store with
   * each snapshot; `log` passes the log back. Logs stay in memory, and effects are performed at once. Use `start` for a
   * run that must survive a crash. Starting the actor throws a `SnapshotError` if snapshot and log do not belong
   * together.
   *
   * @example
   * const actor = createActor(agent.provide({ log: saved.log }), { snapshot: saved.snapshot }).start()
   */
  provide(options?: ProvideOptions): PlainMachine
  /**
   * Returns the definition of one of the agent's tools as a model receives it, for example for a form of its arguments.
   * Returns undefined for an unknown tool. Opens the toolsets; a toolset that cannot be opened has no tools.
   */
  tool(name: string): Promise<ToolDefinition | undefined>
  /**
   * Returns the input of the run machine for a prompt. `createActor(agent.machine, { input })` also accepts the prompt
   * itself. With `after`, the output of a finished actor, the run continues from its messages. Throws `UsageError`
   * `bad_prompt` for an invalid prompt, and `bad_option` or a `TranscriptError` for an invalid output.
   *
   * @example
   * const output = await toPromise(first)
   * const actor = createActor(agent.machine, { input: agent.machineInput('And tomorrow?', { after: output }) })
   */
  machineInput(prompt: Prompt, options?: MachineInputOptions): PlainRunInput
  /**
   * Reads a stored run as of its last commit, for XState's own actors: the snapshot of its machine, and the log that
   * belongs to it. The pair is a copy. An actor that goes on from it stores nothing, and the stored run does not notice.
   * A message or decision that no driver has processed yet is not in it. Rejects with `StoreError` `run_unknown`, and with
   * `UsageError` `run_busy` for a run that has not begun.
   *
   * @example
   * const { snapshot, log } = await agent.snapshot(runId)
   * const actor = createActor(agent.provide({ log }), { snapshot }).start()
   */
  snapshot(runId: string): Promise<PlainPair>
  /**
   * Passes decisions to an actor of this agent's machine. Returns one receipt per item, as `run.decide` does; only
   * `applied` and `kept` have an effect. Throws `UsageError` `bad_actor` for an actor of another machine and for a
   * stopped actor.
   *
   * @example
   * const [receipt] = await agent.decide(actor, [{ target: callId, action: 'resume' }])
   */
  decide(actor: PlainActor, decisions: readonly Decision[]): Promise<readonly DecisionReceipt[]>
  /**
   * Returns the state of an actor of this agent's machine: its transcript, its last answer, and the suspended calls
   * with their names and arguments. Works for restored actors too. Throws `UsageError` `bad_actor` for an actor of
   * another machine.
   *
   * @example
   * const { suspended } = agent.standing(actor)
   */
  standing(actor: PlainActor): PlainStanding
  /**
   * Sends a message to an actor of this agent's machine for its next turn, as `run.steer` does. Throws `UsageError`
   * `bad_actor` for an actor of another machine and for a stopped actor, `run_done` for an actor that has ended, and
   * `bad_prompt`.
   */
  steer(actor: PlainActor, said: Said): void
  /**
   * Stores a new run and drives it until it waits or is done. Resolves for every end, also if the model fails. Rejects
   * with the errors of `start`, with `StoreError` `run_exists` if the id is taken, and with the errors of the run's
   * `settled()`.
   */
  run(prompt: Prompt, options?: NewRunOptions): Promise<RunResult<Output>>
  /**
   * Stores a new run and drives it, even if nobody reads its events. `run` and `start` differ only in the way to follow
   * the run: iterate it for its events, or await `settled()` for its end. Both report the error of a failed drive.
   * Throws a `UsageError` for an invalid prompt or option, and `agent_closed` after `close()`. If the id is taken,
   * every method of the run rejects with the `StoreError` `run_exists`.
   */
  start(prompt: Prompt, options?: StartOptions): Run<Tools, Output>
  /**
   * Calls a function with the events of all runs of this agent that this process drives, as `run.on` does for one run.
   * Returns a function that removes the listener. Throws `UsageError` `bad_option` for a listener that is not a
   * function.
   */
  on(listener: (event: AgentEvent<Tools>) => unknown): () => void
  /**
   * Returns a stored run without driving it. Any process may load a run at any time. Rejects with `StoreError`
   * `run_unknown` if the store does not have the run, and with `UsageError` `bad_option` for an invalid option. Driving
   * a run that an agent with another name started is a `UsageError` `other_agent`, unless you adopt the run.
   *
   * @example
   * const run = await agent.load(runId)
   * await run.approve()
   * const { status, text } = await run.settled()
   */
  load(runId: string, options?: LoadOptions): Promise<Run<Tools, Output>>
  /**
   * Ensures that a stored run is driven after a decision was stored for it. Drives the run if nobody does, shares the
   * drive of this process, or leaves it to the other process that drives it. Reports which of these happened. Resolves
   * at once; await `settled()` of the run for its end. Rejects as `load` does, with `other_agent` and with
   * `agent_closed`.
   *
   * @example
   * await (await agent.load(runId)).approve(callId)
   * const { drive } = await agent.resume(runId)
   */
  resume(runId: string, options?: LoadOptions): Promise<ResumedRun<Tools, Output>>
  /**
   * Returns a session: a conversation whose runs share one transcript in the store. Without an id it is a new session.
   * With an id it is the session of that id, regardless of the process that began it. Nothing is read or stored yet.
   * Throws `UsageError` `bad_session_id` for an invalid id (1 to 64 of the characters A-Z, a-z, 0-9, `_` and `-`),
   * `bad_metadata` and `bad_option`.
   *
   * @example
   * const chat = agent.session('talk-7')
   * await (await chat.prompt('Weather in Oslo?')).settled()
   * const { text } = await (await chat.prompt('And tomorrow?')).settled()
   */
  session(id?: string, options?: SessionOptions): Session<Tools, Output>
  /**
   * Receives a service's answer, an event of CloudEvents 1.0, for the run that it names. Only `applied` has an effect:
   * the answer is stored for the driver of the run. A run that waits for several answers continues after the last one.
   * Every other receipt has a reason. Rejects only with a `StoreError`.
   *
   * @example
   * const { answer, runId } = await agent.receive(event)
   * if (answer === 'applied' && runId !== undefined) await agent.resume(runId)
   */
  receive(event: unknown): Promise<EventReceipt>
  /**
   * Stores a new run that continues from a checkpoint of another run. Nobody drives the new run or holds its lease yet.
   * Rejects with `StoreError` `run_unknown` if the run or the checkpoint does not exist, and `run_exists` if the id is
   * taken; with `SnapshotError` if the checkpoint is unreadable; with `UsageError` for an invalid id, and
   * `agent_closed` after `close()`.
   */
  fork(runId: string, options: ForkOptions): Promise<Run<Tools, Output>>
  /**
   * Returns stored runs of this agent, newest first, at most 100 by default; set `limit` of the filter to change that.
   * The `cursor` of the last run is `before` of the next page. An unreadable run is listed as `{ id, damaged }`.
   * Rejects with `UsageError` `bad_option` or `bad_cursor` for an invalid filter, and with a `StoreError`.
   *
   * @example
   * const page = await agent.runs({ labels: { team: 'north' }, status: 'waiting' })
   * const next = await agent.runs({ labels: { team: 'north' }, status: 'waiting', before: page.at(-1)?.cursor })
   */
  runs(filter?: OwnFilter<RunFilter>): Promise<readonly (ListedRun | DamagedRun)[]>
  /** Returns stored sessions of this agent, the most recently active first; otherwise as `runs`. */
  sessions(filter?: OwnFilter<SessionFilter>): Promise<readonly (ListedSession | DamagedSession)[]>
  /**
   * Returns the stored runs of this agent that wait for decisions, each with its suspended calls and their arguments,
   * read at one moment. `answered` lists the calls with a stored decision that has not been carried out. Otherwise as
   * `runs`.
   *
   * @example
   * for (const found of await agent.suspended()) if ('calls' in found) console.log(found.record.prompt, found.calls)
   */
  suspended(filter?: OwnFilter<SuspendedFilter>): Promise<readonly (SuspendedRun | DamagedRun)[]>
  /**
   * Returns the grants and denials of this agent and its sub-agents that apply to more than one call, newest first. They
   * come from decisions with a `scope`. Used grants and grants of finished runs are not included. Rejects with a
   * `StoreError`.
   */
  grants(filter?: OwnFilter<Omit<GrantFilter, 'forCall'>>): Promise<readonly Grant[]>
  /**
   * Revokes a grant by its id; calls that the grant would have allowed require an approval again. Returns the grant, or
   * undefined if no grant of this agent and its sub-agents has the id. Rejects as `grants` does.
   *
   * @example
   * for (const { id } of await agent.grants({ toolName: 'pay' })) await agent.revoke(id, { by: 'ann' })
   */
  revoke(grantId: string, options?: RevokeOptions): Promise<Grant | undefined>
  /**
   * Returns the audit log of this agent's calls: each decision with its author, arguments and rule, and each call that
   * ran by a grant. Newest first, at most 100 entries by default; set `limit` of the filter to change that. The `id` of
   * the last entry is `before` of the next page. Entries do not change, except that the arguments are deleted with
   * their run. Rejects as `grants` does.
   */
  audit(filter?: OwnFilter<AuditFilter>): Promise<readonly AuditEntry[]>
  /**
   * Stops driving the agent's runs, which stay in the store. Releases their leases and closes the toolsets; the store
   * stays open. No new effect is launched. Running models and tools have `drainMs` to finish; then their signals fire.
   * Afterwards runs can still be read and decided, but starting, driving or following a run is a `UsageError`
   * `agent_closed`. A second close waits for the first. Rejects with a `ToolsetError` if a toolset could not be closed;
   * the other toolsets are closed all the same. Throws `UsageError` `bad_option` for an invalid `drainMs`. `await
   * using` closes without draining.
   *
   * @example
   * await using agent = createAgent({ name: 'clerk', model, tools: [petStore] })
   */
  close(options?: CloseOptions): Promise<void>
}

/** A conversation whose runs belong to an agent. */
export type Session<Tools extends ToolType = ToolType, Output = unknown> = SessionOf<Run<Tools, Output>>

/** Options of `revoke`. */
export interface RevokeOptions {
  /** The person who revokes the grant, for the audit. */
  readonly by?: string
}

/** A filter of an agent's stored data; an undefined field counts as missing. */
export type OwnFilter<Filter> = { readonly [Name in Exclude<keyof Filter, 'agent'>]?: Filter[Name] | undefined }

/** Options of `asTool`. */
export interface AsToolOptions<Input extends Schema = Schema> extends SubAgentOptions<Input> {
  /** Limits of each run as a sub-agent, over the agent's own. Default: 300 s of running time. */
  readonly limits?: LimitsOption
}

/** Options of `close`. */
export interface CloseOptions {
  /** Milliseconds that running models and tools have to finish. Default 0. */
  readonly drainMs?: number
}

/** Options of `load`. */
export interface LoadOptions {
  /** Drives the run even if an agent with another name started it; the run keeps that name. Default false. */
  readonly adopt?: boolean
}

/** The checkpoint to fork from, and the id of the fork. */
export interface ForkOptions {
  /** The version of the checkpoint, as listed by `history()`. */
  readonly from: number
  /** Default: a fresh id. */
  readonly runId?: string
}

/** A run with its current driver. */
export interface ResumedRun<Tools extends ToolType = ToolType, Output = unknown> {
  readonly run: Run<Tools, Output>
  /**
   * `begun`: this process has begun to drive the run. `shared`: this process already drove it. `elsewhere`: another
   * process drives it and will process what was stored for the run. `none`: nobody drives it, because the run is done.
   */
  readonly drive: 'begun' | 'shared' | 'elsewhere' | 'none'
}
