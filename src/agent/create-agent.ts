import { momentOf } from '../runtime/held-lease.ts'
import type { RunInput } from '../../machines/run/run.types.ts'
import type { Decision, DecisionReceipt } from '../domain/decision.ts'
import { isRecord, type Json } from '../domain/json.ts'
import { copyJson } from '../domain/json-copy.ts'
import { type UserMessage, userMessage } from '../domain/message.ts'
import { isContent } from '../effects/tool-result.ts'
import { memoryStore } from '../stores/memory/memory-store.ts'
import { type AgentCore, agentCore } from './agent-core.ts'
import {
  checkAgentOptions,
  checkForkOptions,
  checkLoadOptions,
  checkProvideOptions,
  checkStartOptions,
} from './agent-shape.ts'
import { type AgentOptions, partsOf, runOptionsOf } from './options.ts'
import { forkRun } from './fork-run.ts'
import { decidePlain } from './decide-plain.ts'
import { type PlainActor, plainMachine, type PlainMachine, type ProvideOptions } from './plain-machine.ts'
import type { PlainRun } from './plain-run.ts'
import type { Run } from './run.ts'
import { RunHandle } from './run-handle.ts'
import { checkedLabels, type RunLabels } from './run-labels.ts'
import type { RunResult } from './run-result.ts'
import { checkedClock } from './checked-clock.ts'
import { randomIds, systemClock } from './system-clock.ts'
import { UsageError } from '../domain/usage-error.ts'

/** What the user says: a text, or messages. */
export type Prompt = string | readonly UserMessage[]

/** How a new run is stored; all of it optional. */
export interface StartOptions {
  /** 1 to 128 of the characters A-Z, a-z, 0-9, `_`, `-` and `.`. Default: a fresh id. */
  readonly runId?: string
  /** Cancels the run, until it has come to rest. */
  readonly signal?: AbortSignal
  /** Short texts kept with the run for whoever finds it: at most 20 of 1,000 characters. `Run.labels()` reads them. */
  readonly labels?: RunLabels
}

/** An agent: a model, its tools, and runs in a store. */
export interface Agent extends AsyncDisposable {
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
  /** The input of the run machine for a prompt; `createActor(agent.machine, { input })` takes the prompt as well. */
  machineInput(prompt: Prompt): RunInput
  /**
   * Hands decisions to an actor of this agent's machine; one receipt an item, as `run.decide` gives them, and only
   * `applied` and `kept` change anything. `UsageError` `bad_actor` for an actor of anything else, or one that is stopped.
   *
   * @example
   * const [receipt] = await agent.decide(actor, [{ target: callId, action: 'resume' }])
   */
  decide(actor: PlainActor, decisions: readonly Decision[]): Promise<readonly DecisionReceipt[]>
  /** Stores a new run and drives it until it waits or is done. */
  run(prompt: Prompt, options?: StartOptions): Promise<RunResult>
  /** A new run, stored at once; iterate it or await `settled()` to drive it. */
  start(prompt: Prompt, options?: StartOptions): Run
  /**
   * A stored run, driven by nobody yet; from any process, any time later. Rejects with `StoreError` `run_unknown` where
   * the store has no such run. Driving one that an agent of another name started is a `UsageError` `other_agent`, unless
   * it is adopted.
   *
   * @example
   * const run = await agent.load(runId)
   * await run.approve()
   * const { status, text } = await run.settled()
   */
  load(runId: string, options?: LoadOptions): Promise<Run>
  /** Stores a new run that goes on from a checkpoint of another; nothing of it is driven yet. */
  fork(runId: string, options: ForkOptions): Promise<Run>
  /**
   * Stops driving its runs, which stay as they are stored, and closes its toolsets; the store stays open. Afterwards runs
   * may be read and decided, and `UsageError` `agent_closed` meets whoever starts or drives one. Rejects with a
   * `ToolsetError` where a toolset could not be closed; the others are closed all the same.
   *
   * @example
   * await using agent = createAgent({ name: 'clerk', model, tools: [petStore] })
   */
  close(): Promise<void>
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
export function createAgent(options: AgentOptions): Agent {
  checkAgentOptions(options)
  const runOptions = runOptionsOf(options)
  const core = agentCore({
    name: options.name,
    parts: partsOf(options),
    store: options.store ?? memoryStore(),
    clock: checkedClock(options.clock ?? systemClock),
    ids: options.ids ?? randomIds,
    leaseMs: checkedLease(options.leaseMs ?? 30_000),
    ...(options.inspect === undefined ? {} : { inspect: options.inspect }),
  })
  const start = (prompt: Prompt, startOptions: StartOptions = {}): Run => {
    checkStartOptions(startOptions)
    return createRun(core, inputOf(prompt), startOptions)
  }
  let closed: Promise<void> | undefined
  const close = () => (closed ??= closeAgent(core))
  const inputOf = (prompt: Prompt): RunInput => ({
    options: runOptions,
    messages: messagesOf(prompt, core.clock.now()),
  })
  const plainRuns = new WeakMap<object, PlainRun>()
  const provide = (provideOptions: ProvideOptions = {}) => {
    checkProvideOptions(provideOptions)
    const { parts, clock, ids } = core
    const { watched, fallbacks } = runOptions
    return plainMachine(
      { parts, clock, ids, inputOf, current: { watched, fallbacks }, runs: plainRuns },
      provideOptions,
    )
  }
  let machine: PlainMachine | undefined
  return {
    name: options.name,
    get machine() {
      return (machine ??= provide())
    },
    provide,
    machineInput: inputOf,
    decide: async (actor, decisions) => decidePlain(plainRuns.get(actor), decisions, core),
    start,
    run: async (prompt, startOptions) => start(prompt, startOptions).settled(),
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
      return new RunHandle(core, checkedId(forkId), {
        adopts: true,
        opened: Promise.resolve(await forkRun(core, source, from, forkId)),
      })
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Tools under way are told by their signals before what they work with goes away. */
async function closeAgent({ parts, openRuns }: AgentCore): Promise<void> {
  await openRuns.close()
  await parts.tools.close()
}

function createRun(core: AgentCore, input: RunInput, { runId, signal, labels }: StartOptions): Run {
  core.openRuns.refuseIfClosed()
  const id = checkedId(runId ?? core.ids.next('run'))
  const kept = labels === undefined ? input : { ...input, labels: checkedLabels(labels) }
  const newRun = { id, agent: core.name, input: kept as unknown as Json, at: core.clock.now() }
  const since = momentOf(core.clock)
  const opened = core.store.create(newRun, core.newOwner(), core.leaseMs).then((lease) => ({ lease, since }))
  return new RunHandle(core, id, { opened, ...(signal === undefined ? {} : { signal }) })
}

/** The longest time a platform's timer can hold is three weeks; a lease is renewed three times in its life. */
const maxLeaseMs = 2 ** 31 - 1

function checkedLease(ms: number): number {
  if (ms > 0 && ms <= maxLeaseMs) return ms
  const wish = `Expected more than 0 and at most ${maxLeaseMs} milliseconds.`
  throw new UsageError('bad_option', `leaseMs is ${ms}. ${wish}`)
}

function checkedId(id: string): string {
  if (/^[A-Za-z0-9_.-]{1,128}$/.test(id)) return id
  const wish = 'Expected 1 to 128 of the characters A-Z, a-z, 0-9, "_", "-" and ".".'
  throw new UsageError('bad_run_id', `Run id ${JSON.stringify(id)} is refused. ${wish}`)
}

function messagesOf(prompt: Prompt, now: number): readonly UserMessage[] {
  if (typeof prompt === 'string') {
    if (prompt.trim() === '') throw new UsageError('bad_prompt', 'The prompt is empty. Give a text or user messages.')
    return [userMessage(plainPrompt(prompt) as string, now)]
  }
  const messages = plainPrompt(prompt)
  if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isUserMessage)) {
    throw new UsageError('bad_prompt', `The prompt is not readable. ${promptWish}`)
  }
  return messages
}

const promptWish = 'Expected a text, or one or more user messages.'

function plainPrompt(prompt: unknown): Json {
  const copied = copyJson(prompt)
  if (copied.problem === undefined) return copied.value
  throw new UsageError('bad_prompt', `The prompt ${copied.problem}. ${promptWish}`)
}

function isUserMessage(message: unknown): message is UserMessage {
  return isRecord(message) && message['role'] === 'user' && isContentList(message['content'])
}

function isContentList(content: unknown): boolean {
  return Array.isArray(content) && content.every(isContent)
}
