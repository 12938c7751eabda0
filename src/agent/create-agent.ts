import type { RunInput } from '../../machines/run/run.types.ts'
import type { Decision, DecisionReceipt } from '../domain/decision.ts'
import type { AgentEvent, ToolType } from '../domain/event.ts'
import { memoryStore } from '../stores/memory/memory-store.ts'
import { type AgentCore, agentCore } from './agent-core.ts'
import {
  checkAgentOptions,
  checkCloseOptions,
  checkForkOptions,
  checkListener,
  checkLoadOptions,
  checkProvideOptions,
  checkRunOptions,
  checkStartOptions,
} from './agent-shape.ts'
import { limitsWithQuota } from './start-details.ts'
import { actionAt, type AgentOptions, partsOf, runOptionsOf } from './options.ts'
import { forkRun } from './fork-run.ts'
import { keepCore } from './check-runs.ts'
import { decidePlain } from './decide-plain.ts'
import { type PlainActor, plainMachine, type PlainMachine, type ProvideOptions } from './plain-machine.ts'
import type { PlainRun } from './plain-run.ts'
import { inputOf, type Prompt } from './read-prompt.ts'
import type { OutputOf, Schema } from '../ports/schema.ts'
import type { Tool } from '../ports/tool.ts'
import type { Toolset } from '../ports/toolset.ts'
import type { ToolTypeOf } from './tool-types.ts'
import { type ResumedRun, resumeRun } from './resume-run.ts'
import type { Run } from './run.ts'
import { RunHandle } from './run-handle.ts'
import type { RunResult } from './run-result.ts'
import { checkedId } from './create-run.ts'
import { type NewRunOptions, type StartOptions, storeRun } from './start-run.ts'
import { checkedClock } from './checked-clock.ts'
import { checkedStore } from './stored-events.ts'
import { randomIds, systemClock } from './system-clock.ts'
import { UsageError } from '../domain/usage-error.ts'

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

/**
 * Makes an agent. Throws a `UsageError` for an option that is unknown, missing or cannot mean what it says.
 *
 * @example
 * const agent = createAgent({ name: 'guide', model: scripted(['Hello.']) })
 * const { text } = await agent.run('Hi')
 */
export function createAgent<
  const List extends readonly (Tool | Toolset)[] = readonly (Tool | Toolset)[],
  const Output extends Schema = Schema,
>(options: AgentOptions<List, Output>): Agent<ToolTypeOf<List[number]>, OutputOf<Output>>
/** The same for options of which the compiler knows no tools. */
export function createAgent(options: AgentOptions): Agent {
  checkAgentOptions(options)
  const runOptions = runOptionsOf(options)
  const grantedOptions = (quota: number) => {
    const action = actionAt('max_tool_interactions', options.onLimit ?? {})
    return { ...runOptions, limits: limitsWithQuota(runOptions.limits, quota, action) }
  }
  const core = agentCore({
    name: options.name,
    parts: partsOf(options),
    store: checkedStore(options.store ?? memoryStore(), options),
    storesEvents: options.events === 'stored',
    runOptions: (quota) => (quota === undefined ? runOptions : grantedOptions(quota)),
    clock: checkedClock(options.clock ?? systemClock),
    ids: options.ids ?? randomIds,
    leaseMs: checkedLease(options.leaseMs ?? 30_000),
    ...(options.inspect === undefined ? {} : { inspect: options.inspect }),
  })
  const newRun = (prompt: Prompt, startOptions: StartOptions = {}): RunHandle => {
    checkStartOptions(startOptions)
    const { quota, history = options.history } = startOptions
    const input = { ...inputFor(prompt), options: core.runOptions(quota) }
    return storeRun(core, input, { ...startOptions, ...(history === undefined ? {} : { history }) })
  }
  let closed: Promise<void> | undefined
  const close = (closeOptions: CloseOptions = {}) => {
    checkCloseOptions(closeOptions)
    return (closed ??= closeAgent(core, closeOptions))
  }
  const inputFor = (prompt: Prompt): RunInput => ({ options: runOptions, ...inputOf(prompt, core.clock.now()) })
  const plainRuns = new WeakMap<object, PlainRun>()
  const provide = (provideOptions: ProvideOptions = {}) => {
    checkProvideOptions(provideOptions)
    const { parts, clock, ids } = core
    const { watched, fallbacks } = runOptions
    return plainMachine(
      { name: options.name, parts, clock, ids, inputOf: inputFor, current: { watched, fallbacks }, runs: plainRuns },
      provideOptions,
    )
  }
  let machine: PlainMachine | undefined
  const made: Agent = {
    name: options.name,
    get machine() {
      return (machine ??= provide())
    },
    provide,
    machineInput: inputFor,
    decide: async (actor, decisions) => decidePlain(plainRuns.get(actor), decisions, core),
    start: (prompt, startOptions) => {
      const run = newRun(prompt, startOptions)
      if (startOptions?.drive !== false) run.begin({ isWatched: true }).catch(() => undefined)
      return run
    },
    run: async (prompt, given) => {
      checkRunOptions(given)
      return newRun(prompt, given).runToRest()
    },
    on: (listener) => {
      checkListener('agent.on', listener)
      return core.watchers.listen(listener)
    },
    load: async (runId, loadOptions = {}) => {
      checkLoadOptions(loadOptions)
      const { agent } = await core.store.record(runId)
      return new RunHandle(core, runId, { agent, adopts: loadOptions.adopt === true })
    },
    fork: async (runId, forkOptions) => {
      checkForkOptions(forkOptions)
      const { from, runId: forkId = core.ids.next('run') } = forkOptions
      core.openRuns.refuseIfClosed()
      const source = await core.store.checkpoint(runId, from)
      await forkRun(core, source, from, checkedId(forkId))
      return new RunHandle(core, forkId, { adopts: true })
    },
    resume: async (runId, loadOptions = {}) => {
      checkLoadOptions(loadOptions)
      return resumeRun(core, runId, loadOptions)
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  }
  keepCore(made, core)
  return made
}

/** Tools under way are told by their signals before what they work with goes away. */
async function closeAgent({ parts, openRuns, clock }: AgentCore, { drainMs = 0 }: CloseOptions): Promise<void> {
  const drained = new AbortController()
  const isOver = drainMs > 0 ? clock.sleepUntil(clock.now() + drainMs, drained.signal) : Promise.resolve()
  await openRuns.close(isOver)
  drained.abort()
  await parts.tools.close()
}

/** The longest time a platform's timer can hold is three weeks; a lease is renewed three times in its life. */
const maxLeaseMs = 2 ** 31 - 1

function checkedLease(ms: number): number {
  if (ms > 0 && ms <= maxLeaseMs) return ms
  const wish = `Expected more than 0 and at most ${maxLeaseMs} milliseconds.`
  throw new UsageError('bad_option', `leaseMs is ${ms}. ${wish}`)
}
