import type { RunInput } from '../../machines/run/run.types.ts'
import type { Decision, DecisionReceipt } from '../domain/decision.ts'
import type { AgentEvent, ToolType } from '../domain/event.ts'
import type { PlainActor, PlainMachine, ProvideOptions } from '../hosts/plain/plain-machine.ts'
import type { Prompt } from '../driving/read-prompt.ts'
import type { Run } from './run.ts'
import type { RunResult } from '../driving/run-result.ts'
import type { NewRunOptions, StartOptions } from '../driving/start-run.ts'

/**
 * An agent: a model, its tools, and runs in a store. `Tools` types its events by the names and schemas of its tools, and
 * `Output` its results.
 */
export interface Agent<Tools extends ToolType = ToolType, Output = unknown> extends AsyncDisposable {
  readonly name: string
  /** The run machine with this agent's effect handlers, for `createActor` in any app: `provide()` without options. */
  readonly machine: PlainMachine
  /**
   * The run machine for an actor that is to go on elsewhere: `onLog` gives the log to be kept beside each snapshot, and
   * `log` takes it in again. Logs stay in memory, and effects are performed at once: what has to outlive a crash is for
   * `start`. An actor whose snapshot and log are no pair throws a `SnapshotError` when it is started.
   *
   * @example
   * const actor = createActor(agent.provide({ log: saved.log }), { snapshot: saved.snapshot }).start()
   */
  provide(options?: ProvideOptions): PlainMachine
  /**
   * The input of the run machine for a prompt; `createActor(agent.machine, { input })` takes the prompt as well. Throws
   * `UsageError` `bad_prompt` for one that is refused.
   */
  machineInput(prompt: Prompt): RunInput
  /**
   * Hands decisions to an actor of this agent's machine; one receipt an item, as `run.decide` gives them, and only
   * `applied` and `kept` change anything. `UsageError` `bad_actor` for an actor of anything else, or one that is stopped.
   *
   * @example
   * const [receipt] = await agent.decide(actor, [{ target: callId, action: 'resume' }])
   */
  decide(actor: PlainActor, decisions: readonly Decision[]): Promise<readonly DecisionReceipt[]>
  /**
   * Stores a new run and drives it until it waits or is done; resolves for every end, a failed model included. Rejects with
   * what `start` throws, with `StoreError` `run_exists` where the id is taken, and as `settled()` of a run does.
   */
  run(prompt: Prompt, options?: NewRunOptions): Promise<RunResult<Output>>
  /**
   * Stores a new run and drives it, watched or not: `run` and `start` differ only in how one watches. Iterate the run for
   * its events, await `settled()` for its end; what the drive fails with meets whoever does. Throws a `UsageError` for a
   * prompt or an option that is refused and `agent_closed` after `close()`; that the id is taken is the `StoreError`
   * `run_exists` of every method of the run.
   */
  start(prompt: Prompt, options?: StartOptions): Run<Tools, Output>
  /**
   * Has a function hear the events of all runs of this agent that this process drives, as `run.on` does of one. Gives a
   * function that lets it leave. Throws `UsageError` `bad_option` for what is no function.
   */
  on(listener: (event: AgentEvent<Tools>) => unknown): () => void
  /**
   * A stored run, driven by nobody yet; from any process, any time later. Rejects with `StoreError` `run_unknown` where
   * the store has no such run, with `UsageError` `bad_option` for an option that is refused. Driving one that an agent of
   * another name started is a `UsageError` `other_agent`, unless it is adopted.
   *
   * @example
   * const run = await agent.load(runId)
   * await run.approve()
   * const { status, text } = await run.settled()
   */
  load(runId: string, options?: LoadOptions): Promise<Run<Tools, Output>>
  /**
   * Sees to it that a stored run is driven, after a decision was stored for it: drives it where nobody does, shares the
   * drive of this process, leaves it to another process that drives it, and says which. Resolves at once; await `settled()`
   * of the run for its end. Rejects as `load` does, with `other_agent` and with `agent_closed`.
   *
   * @example
   * await (await agent.load(runId)).approve(callId)
   * const { drive } = await agent.resume(runId)
   */
  resume(runId: string, options?: LoadOptions): Promise<ResumedRun<Tools, Output>>
  /**
   * Stores a new run that goes on from a checkpoint of another; nobody drives it or holds its lease yet. Rejects with
   * `StoreError` `run_unknown` where there is no such run or checkpoint and `run_exists` where the id is taken, with
   * `SnapshotError` where the checkpoint cannot be read, with `UsageError` for an id that is refused and `agent_closed`
   * after `close()`.
   */
  fork(runId: string, options: ForkOptions): Promise<Run<Tools, Output>>
  /**
   * Stops driving its runs, which stay as they are stored, gives their leases back and closes its toolsets; the store
   * stays open. At once nothing new is launched; models and tools under way have `drainMs` to come back, then their
   * signals fire. Afterwards runs may be read and decided, and `UsageError` `agent_closed` meets whoever starts, drives or
   * follows one. Closing again waits for the first time. Rejects with a `ToolsetError` where a toolset could not be closed;
   * the others are closed all the same. Throws `UsageError` `bad_option` for a `drainMs` that is no time.
   * `await using` closes without draining.
   *
   * @example
   * await using agent = createAgent({ name: 'clerk', model, tools: [petStore] })
   */
  close(options?: CloseOptions): Promise<void>
}

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

/** Where a fork goes on from, and under which id. */
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
   * `begun`: this process, from now on. `shared`: this process did already. `elsewhere`: another process, which takes in
   * what was stored for the run. `none`: nobody, the run is done.
   */
  readonly drive: 'begun' | 'shared' | 'elsewhere' | 'none'
}
