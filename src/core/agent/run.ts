import type { Decision, DecisionReceipt } from '../domain/decision.ts'
import type { AgentEvent, StoredEvent, ToolType } from '../domain/event.ts'
import type { BackgroundCall } from '../family/background-work.ts'
import type { PostReceipt } from '../domain/inbox.ts'
import type { Json } from '../domain/text/json.ts'
import type { Said } from '../domain/message.ts'
import type { TranscriptMessage } from '../domain/transcript-message.ts'
import type { CheckpointInfo } from '../ports/store.ts'
import type { FollowedEvents, RunFollowOptions } from '../driving/followed-events.ts'
import type { RunLabels } from '../driving/run-labels.ts'
import type { EventReceipt } from '../driving/receive-event.ts'
import type { RunResult } from '../driving/run-result.ts'
import type { StoredStanding } from '../driving/stored-standing.ts'
import type { RunState } from '../driving/run-state.ts'
import type { Prompt } from '../driving/read-prompt.ts'
import type { PromptOptions } from '../driving/start-run.ts'

/** A person's additions to an approval or a denial. */
export type AnswerOptions = Pick<Decision, 'scope' | 'by' | 'reason' | 'decisionId'>

/** A person's additions to an approval. */
export interface ApproveOptions extends AnswerOptions {
  /** For a run that waits for permissions: the names of the granted tools. Default: all requested tools. */
  readonly granted?: readonly string[]
}

/** Options of `settled`. */
export interface SettledOptions {
  /**
   * True to wait while another process drives the run, and to drive the run if nobody does. Default false: a run that
   * another process drives is an error.
   */
  readonly follow?: boolean
}

/**
 * One run, in this process or another. Reading and deciding need no lease, and any process may do both. Iterating and
 * `settled` drive the run. Every method except `events`, `on` and `detach` rejects with a `StoreError` if the store fails,
 * for example `run_unknown` if the run has been deleted, and `run_damaged` if it is unreadable. Methods of a run that
 * was just started also reject if it could not be stored: with `run_exists`, or, if it attaches, with `UsageError`
 * `other_prompt` or `other_agent`. Each method lists its other errors. The agent's `Tools` determine the types of the
 * events, and `Output` determines the type of the result.
 */
export interface Run<Tools extends ToolType = ToolType, Output = unknown> extends AsyncIterable<AgentEvent<Tools>> {
  readonly id: string

  /**
   * Drives the run until it waits or is done, or shares the agent's existing drive in this process. Resolves for every
   * end, also if the model fails. With `follow`, it waits while another process drives the run, and drives the run
   * itself when that process has stopped. Rejects with `StoreError` `run_is_driven` if another process drives the run
   * and `follow` is false; with `UsageError` `run_detached` after `detach()`, `agent_closed` after the agent's
   * `close()`, and `other_agent` for a run of an agent with another name; with `SnapshotError` if the stored state is
   * unreadable; with `ToolsetError` if its tools are unavailable; and with `EngineError` if its end cannot be stored.
   *
   * @example
   * const run = await agent.load(runId)
   * const { status } = await run.settled({ follow: true })
   */
  settled(options?: SettledOptions): Promise<RunResult<Output>>

  /**
   * Drives the run, or shares its drive, and yields its events from now on. For a run that this object has begun
   * (`start`, `resume`), it yields the events from the beginning of that drive. The iteration ends and throws as
   * `settled` does.
   */
  [Symbol.asyncIterator](): AsyncIterator<AgentEvent<Tools>>

  /**
   * Calls a function with the events of this process's drives from now on, without driving. If an answer is in
   * progress, the function first receives the answer so far, as one update per block. The function is called for each
   * event and is not awaited. If it throws or its promise rejects, the other listeners receive `listener.failed`, once.
   * Returns a function that removes the listener. Throws `UsageError` `bad_option` for a listener that is not a
   * function.
   *
   * @example
   * const leave = run.on((event) => console.log(event.type))
   * await run.settled()
   * leave()
   */
  on(listener: (event: AgentEvent<Tools>) => unknown): () => void

  /**
   * Follows the run: yields the stored events after a number, then new ones, regardless of the process that drives the
   * run, until the run waits or is done. It drives the run only with `drive`. Between the stored events it yields work in
   * progress, such as pieces of an answer, unless `deltas` is false. A slow reader reads on from the store. Throws a
   * `UsageError` `bad_option` for an invalid option. The first `next` rejects with `bad_event_number` for a number that
   * the run does not have; a reading that drives rejects if `settled` does.
   *
   * @example
   * for await (const event of run.events({ after: 12 })) console.log(event.seq, event.type)
   */
  events(options: RunFollowOptions & { readonly deltas: false }): FollowedEvents<StoredEvent<Tools>>
  events(options?: RunFollowOptions): FollowedEvents<AgentEvent<Tools>>

  /** Returns the run's stored state and the decisions about its calls. Rejects only with a `StoreError`. */
  result(): Promise<StoredStanding<Output>>

  /**
   * Returns the stored transcript; `result()` includes it. It begins with the transcript of the run that this run
   * continues. Each of those messages names its run, if that run is still stored. Rejects only with a `StoreError`.
   */
  messages(): Promise<readonly TranscriptMessage[]>

  /**
   * Lists the background work whose results this run's transcript waits for, in the order of the calls: what runs, what
   * waits for an answer, and what has ended and was not read yet. Rejects only with a `StoreError`.
   *
   * @example
   * for (const { toolName, status } of await run.background()) console.log(toolName, status)
   */
  background(): Promise<readonly BackgroundCall[]>

  /** Returns the labels from the run's start; a fork has those of its original. Rejects only with a `StoreError`. */
  labels(): Promise<RunLabels>

  /** Returns the run's checkpoints, oldest first. Rejects only with a `StoreError`. */
  history(): Promise<readonly CheckpointInfo[]>

  /**
   * Returns the state of the run at a checkpoint of `history()`. Rejects with `StoreError` `run_unknown` for an unknown
   * checkpoint, and with `SnapshotError` if the checkpoint is unreadable.
   */
  at(version: number): Promise<RunState>

  /**
   * Stores decisions for the driver of the run. Returns one receipt per item, in order; only `applied` and `kept` have
   * an effect. A decision that does not fit gets a receipt `refused` with a message. Rejects with `UsageError`
   * `bad_decision` for a value that is not a list.
   *
   * @example
   * const [receipt] = await run.decide([{ target: callId, action: 'resume', by: 'anna' }])
   * if (receipt?.answer !== 'applied') console.log(receipt?.message)
   */
  decide(decisions: readonly Decision[]): Promise<readonly DecisionReceipt[]>

  /** Receives an event for this run, as `agent.receive` does. */
  receive(event: unknown): Promise<EventReceipt>

  /**
   * Approves a suspended call. `deny`, `respond`, `pass` and `edit` give other answers. `target` is the id of a call or
   * of its suspension; it is optional if exactly one call is suspended. If no call is suspended, the receipt is
   * `stale`, with the run's id as its target. All five methods return a receipt, as `decide` does. They reject with
   * `UsageError` `ambiguous_call` if the target is missing and several calls are suspended, and with `bad_option` for
   * an invalid option.
   */
  approve(target?: string, options?: ApproveOptions): Promise<DecisionReceipt>

  /** Cancels a suspended call; `reason` becomes its result. Rejects as `approve` does. */
  deny(target?: string, options?: AnswerOptions): Promise<DecisionReceipt>

  /**
   * Supplies the result of a suspended call; the tool does not run. The receipt is `refused` if the result does not fit
   * the tool's `output`. Rejects as `approve` does.
   */
  respond(target: string | undefined, result: Json, options?: AnswerOptions): Promise<DecisionReceipt>

  /**
   * Runs the tool of a suspended call with a value in place of its arguments, for tools with `resume: 'pass-to-tool'`.
   * The receipt is `refused` if the value does not fit the tool's `input`. Rejects as `approve` does.
   */
  pass(target: string | undefined, value: Json, options?: AnswerOptions): Promise<DecisionReceipt>

  /**
   * Resumes a suspended call with other arguments. The receipt is `refused` if they do not fit the tool's `input`.
   * Rejects as `approve` does.
   */
  edit(target: string | undefined, input: Json, options?: AnswerOptions): Promise<DecisionReceipt>

  /**
   * Sends a message to a running or waiting run, from any process. The run processes it before the next turn, and skips
   * calls of the round that have not started. A waiting run keeps the message until it continues. The receipt is
   * `applied` if the message is stored. It is `stale`, with nothing stored, if the run is done; continue with `prompt`.
   * Rejects with `UsageError` `bad_prompt` for an invalid prompt.
   *
   * @example
   * await run.steer('Only the first file.')
   */
  steer(prompt: Said): Promise<PostReceipt>

  /** Sends a message that the run processes when it would otherwise end. Answers and rejects as `steer` does. */
  followUp(prompt: Said): Promise<PostReceipt>

  /**
   * Continues the conversation of a finished run. Stores a new run of this agent that begins with this run's transcript
   * and its last state document, and drives it as `agent.start` does. The new run has its own id, limits, usage and
   * results. Its `run.started` names this run as its `parentRunId`. Missing options come from this run, except the
   * `quota`. Resolves when the new run is stored. Each prompt begins another run, so a conversation may branch. If this
   * run belongs to a session, the new run is the session's next run and does not accept a `runId`.
   *
   * Rejects with `UsageError` `run_busy` while this run is running and `run_waiting` while it waits, by its stored
   * status; with `bad_prompt`, `bad_option` and `bad_run_id` for invalid input; with `other_agent` for a run of an
   * agent with another name, unless it was adopted; with `agent_closed` after the agent's `close()`; and with
   * `StoreError` `run_exists` if the id is taken.
   *
   * @example
   * const first = agent.start('Weather in Oslo?')
   * await first.settled()
   * const next = await first.prompt('And tomorrow?')
   * const { text } = await next.settled()
   */
  prompt(prompt: Prompt, options?: PromptOptions): Promise<Run<Tools, Output>>

  /**
   * Cancels the run, regardless of its driver; unfinished calls become cancelled. The receipt is `applied` if the
   * cancel is stored. Otherwise nothing is stored: `stale` if the run is done, `duplicate` if a stored cancel is not
   * yet processed, `refused` for a reason that `deny` would refuse. Rejects only with a `StoreError`.
   */
  cancel(reason?: string): Promise<PostReceipt>

  /**
   * Cancels one call by its id; the run continues. For a call whose work goes on in the background, cancels the work. The receipt is `applied` if the cancel is stored. Otherwise nothing
   * is stored: `unknown` if the run does not have the call, `stale` if the call has settled, `duplicate` if a stored
   * cancel of the call is not yet processed, `refused` for a reason that `deny` would refuse. Rejects only with a
   * `StoreError`.
   */
  cancelCall(target: string, reason?: string): Promise<PostReceipt>

  /**
   * Adds an application's message to the transcript, as an extension message that no model receives. Any process may
   * post one. Messages of several processes keep the order in which they were stored. The driver of the run processes
   * them. The receipt is `applied` if the message is stored, and `stale`, with nothing stored, if the run is done.
   * Rejects with `UsageError` `bad_message` for an empty kind, and for data that is not JSON or larger than 50,000,000
   * bytes.
   *
   * @example
   * await run.append('shown', { page: 3 })
   */
  append(kind: string, data: Json): Promise<PostReceipt>

  /**
   * Requests a smaller prompt for the next model call: at most half of its current size. The options of `compaction`
   * define the method, even if compaction is turned off; the event `context.compacted` reports the result. Any process
   * may request it. The request is stored in the transcript and is never sent to a model, so it survives restarts,
   * forks and continuations. A running run processes it before its next model call, and a waiting run when it
   * continues.
   *
   * Resolves with the run to continue with, which is the run itself unless it is done. A finished run cannot change, so
   * a new finished run is stored that continues it without asking a model; continue that run with `prompt`. It becomes
   * the last run of its session, if there is one. If the run is done, rejects as `prompt` does.
   *
   * @example
   * const smaller = await run.compact()
   * const next = await smaller.prompt('And tomorrow?')
   */
  compact(): Promise<Run<Tools, Output>>

  /**
   * Stops this process's drive of the run for all callers that share it. The run stays in the store, and another
   * process can continue it. All pending waits for the run and iterations of this object reject with `UsageError`
   * `run_detached`. `detach` itself never rejects: a lease that could not be released expires.
   */
  detach(): Promise<void>
}
