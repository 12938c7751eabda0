import type { Decision, DecisionReceipt, DecisionScope } from '../domain/decision.ts'
import type { AgentEvent, ToolType } from '../domain/event.ts'
import type { PostReceipt } from '../domain/inbox.ts'
import type { Json } from '../domain/text/json.ts'
import type { Said } from '../domain/message.ts'
import type { TranscriptMessage } from '../domain/transcript-message.ts'
import type { CheckpointInfo } from '../ports/store.ts'
import type { EventPlace, StoredEventIterator } from '../driving/event-reader.ts'
import type { RunLabels } from '../driving/run-labels.ts'
import type { EventReceipt } from '../driving/receive-event.ts'
import type { RunResult } from '../driving/run-result.ts'
import type { StoredStanding } from '../driving/stored-standing.ts'
import type { RunState } from '../driving/run-state.ts'
import type { Prompt } from '../driving/read-prompt.ts'
import type { PromptOptions } from '../driving/start-run.ts'

/** What a person adds to a yes or a no. */
export interface AnswerOptions {
  /**
   * How far an approval, an edit or a denial goes; default: this call. `once` is used up by the first call of these very
   * arguments that starts. `run` and `always` are for each call of the tool that the same permission rule asks about, or
   * that the tool's needs do: in this run, or in all runs for the same `userId`, else with the same `accessControl`.
   */
  readonly scope?: DecisionScope
  /** Who decided, for the record. */
  readonly by?: string
  readonly reason?: string
  /** Distinguishes a repeated answer from a second one. Default: derived from the suspension and the answer. */
  readonly decisionId?: string
}

/** What a person adds to a yes. */
export interface ApproveOptions extends AnswerOptions {
  /** Of a run that waits for permissions: names of the tools that are granted. Default: all it asks for. */
  readonly granted?: readonly string[]
}

/** What `settled` does with a run that another process drives. */
export interface SettledOptions {
  /**
   * True waits for the process that drives the run, and drives the run where nobody does. Default false: a run that is
   * driven elsewhere is an error.
   */
  readonly follow?: boolean
}

/**
 * Events of a run as they are told. Events wait for a slow reader. Up to 1,000 deltas, updates and progress events
 * wait, with together 10,000,000 characters; beyond that they are left out. Once 100 of them wait, neighbouring pieces
 * of an answer become one. Up to 10,000 of all other events wait; then the iterator throws a `UsageError`
 * `events_missed`.
 */
export interface EventIterator<Tools extends ToolType = ToolType> extends AsyncIterableIterator<AgentEvent<Tools>> {
  /** Takes in no more events; the iterator still gives those that were told before. */
  end(): void
}

/**
 * One run, wherever it is stored. Reading and deciding claim nothing, and any process may do both. Iterating and
 * `settled` drive the run. Every method but `events` and `detach` rejects with a `StoreError` where the store fails.
 * Among these are `run_unknown` where the run has been deleted, and `run_damaged` where it cannot be read. Methods of a
 * run that was just started also reject where it could not be stored: with `run_exists`, or, where it attaches, with
 * `UsageError` `other_prompt` or `other_agent`. Each method names its other errors. The agent's `Tools` type the
 * events, and `Output` types the result.
 */
export interface Run<Tools extends ToolType = ToolType, Output = unknown> extends AsyncIterable<AgentEvent<Tools>> {
  readonly id: string

  /**
   * Drives the run until it waits or is done, or shares the drive that its agent has of it in this process. Resolves
   * for every end, a failed model included. With `follow`, it waits while another process drives the run, and drives
   * the run itself when that process has ended. Rejects with `StoreError` `run_is_driven` where another process drives
   * the run and it is not followed; with `UsageError` `run_detached` after `detach()`, `agent_closed` after the agent's
   * `close()`, and `other_agent` for the run of an agent of another name; with `SnapshotError` where the stored state
   * cannot be read; with `ToolsetError` where its tools cannot be had; and with `EngineError` where its end cannot be
   * stored.
   *
   * @example
   * const run = await agent.load(runId)
   * const { status } = await run.settled({ follow: true })
   */
  settled(options?: SettledOptions): Promise<RunResult<Output>>

  /**
   * Drives the run, or shares its drive, and yields its events from now on. For a run that this object has begun
   * (`start`, `resume`), it yields the events from that beginning. It ends, and throws, where `settled` does.
   */
  [Symbol.asyncIterator](): AsyncIterator<AgentEvent<Tools>>

  /**
   * Events of this process's drives from now on, without driving. Of an answer under way it first gives all there is,
   * as one update a block. It goes on until you end or leave it. It throws nothing; the iterator throws where it lags,
   * see `EventIterator`.
   */
  events(): EventIterator<Tools>

  /**
   * Calls a function with the events of this process's drives from now on, without driving. Of an answer under way it
   * first tells all there is, as one update a block. The function is called as each event is told, and nobody awaits
   * it. Where it throws, or its promise is rejected, the other listeners are told `listener.failed`, once. Gives a
   * function that removes the listener. Throws `UsageError` `bad_option` for a listener that is no function.
   *
   * @example
   * const leave = run.on((event) => console.log(event.type))
   * await run.settled()
   * leave()
   */
  on(listener: (event: AgentEvent<Tools>) => unknown): () => void

  /**
   * The stored events after a number (0 for all of them), or after an event of this run. Then it yields those that
   * come, whichever process drives the run, until the run is at rest and everything is read. It drives nothing. While it
   * waits, those who hear the run here (`events()`, `on`) are told the answer that another process is giving. A
   * number that is none, or that no event of the run has, throws a `UsageError` `bad_event_number`.
   *
   * @example
   * for await (const event of run.eventsAfter(0)) console.log(event.seq, event.type)
   */
  eventsAfter(after: EventPlace): StoredEventIterator

  /** How the run stands, and what was decided about its calls, read from the store. Rejects only with a `StoreError`. */
  result(): Promise<StoredStanding<Output>>

  /**
   * The transcript as it is stored now; `result()` has it too. It begins with the transcript of a run that this one
   * goes on from; each of those messages names the run that wrote it, as far as that run is stored. Rejects only with a
   * `StoreError`.
   */
  messages(): Promise<readonly TranscriptMessage[]>

  /** The labels the run was started with; a fork has those of its original. Rejects only with a `StoreError`. */
  labels(): Promise<RunLabels>

  /** The named commits of the run, oldest first. Rejects only with a `StoreError`. */
  history(): Promise<readonly CheckpointInfo[]>

  /**
   * The run as it stood at a checkpoint of `history()`. Rejects with `StoreError` `run_unknown` where there is no such
   * checkpoint and with `SnapshotError` where it cannot be read.
   */
  at(version: number): Promise<RunState>

  /**
   * Stores decisions for the driver of the run. Gives one receipt an item, in order; only `applied` and `kept` change
   * anything. A decision that does not fit gets a receipt `refused` with a message. Rejects with `UsageError`
   * `bad_decision` for a value that is no list.
   *
   * @example
   * const [receipt] = await run.decide([{ target: callId, action: 'resume', by: 'anna' }])
   * if (receipt?.answer !== 'applied') console.log(receipt?.message)
   */
  decide(decisions: readonly Decision[]): Promise<readonly DecisionReceipt[]>

  /** As `agent.receive`, for an event that is known to be for this run. */
  receive(event: unknown): Promise<EventReceipt>

  /**
   * Resumes a suspended call; `deny`, `respond`, `pass` and `edit` give it other answers. `target` is the id of a call
   * or of its suspension. You may leave it out where one call is suspended. Where none is suspended, the receipt is
   * `stale`, with the run's id as its target. All five methods answer with a receipt, as `decide` does. They reject
   * with `UsageError` `ambiguous_call` where you leave the target out and several calls are suspended, and with
   * `bad_option` for an option that is refused.
   */
  approve(target?: string, options?: ApproveOptions): Promise<DecisionReceipt>

  /** Cancels a suspended call; `reason` becomes its result. Rejects as `approve` does. */
  deny(target?: string, options?: AnswerOptions): Promise<DecisionReceipt>

  /**
   * Gives a suspended call its result; the tool does not run. `refused` where it does not fit the tool's `output`. Rejects
   * as `approve` does.
   */
  respond(target: string | undefined, result: Json, options?: AnswerOptions): Promise<DecisionReceipt>

  /**
   * Hands a suspended call a value in place of its arguments, and the tool runs with it. This is for a tool with
   * `resume: 'pass-to-tool'`. `refused` where the value does not fit the tool's `input`. Rejects as `approve` does.
   */
  pass(target: string | undefined, value: Json, options?: AnswerOptions): Promise<DecisionReceipt>

  /**
   * Resumes a suspended call with other arguments. `refused` where they do not fit the tool's `input`. Rejects as `approve`
   * does.
   */
  edit(target: string | undefined, input: Json, options?: AnswerOptions): Promise<DecisionReceipt>

  /**
   * Says something to a run that is under way or waits, from any process. The run takes it in before the next turn, and
   * leaves out calls of the round that were not started. A waiting run keeps it until it goes on. The receipt is
   * `applied` where it is stored, and `stale`, with nothing stored, where the run is done: go on with `prompt`. Rejects
   * with `UsageError` `bad_prompt` for a prompt that is refused.
   *
   * @example
   * await run.steer('Only the first file.')
   */
  steer(prompt: Said): Promise<PostReceipt>

  /** Says something that the run takes in when it would end, so that it goes on. Answers and rejects as `steer` does. */
  followUp(prompt: Said): Promise<PostReceipt>

  /**
   * Goes on with the conversation of a run that is done. Stores a new run of this agent that begins with this run's
   * transcript and its last state document, and drives it as `agent.start` does. The new run has an id, limits, usage
   * and results of its own. Its `run.started` names this run as its `parentRunId`. Options that you leave out come from
   * this run, except the `quota`. Resolves once the new run is stored. Each prompt begins another run, so a
   * conversation may branch. Of a run of a session, the new one is the session's next run, and takes no `runId`.
   *
   * Rejects with `UsageError` `run_busy` while this run is running and `run_waiting` while it waits, by its stored
   * status; with `bad_prompt`, `bad_option` and `bad_run_id` for what is refused; with `other_agent` for the run of an
   * agent of another name, unless it was adopted; with `agent_closed` after the agent's `close()`; and with
   * `StoreError` `run_exists` where the id is taken.
   *
   * @example
   * const first = agent.start('Weather in Oslo?')
   * await first.settled()
   * const next = await first.prompt('And tomorrow?')
   * const { text } = await next.settled()
   */
  prompt(prompt: Prompt, options?: PromptOptions): Promise<Run<Tools, Output>>

  /**
   * Ends the run, whoever drives it; unfinished calls become cancelled. The receipt is `applied` where the cancel is
   * stored. Otherwise nothing is stored: `stale` where the run is done, `duplicate` where a stored cancel has not been
   * taken in yet, `refused` for a reason that `deny` would refuse. Rejects only with a `StoreError`.
   */
  cancel(reason?: string): Promise<PostReceipt>

  /**
   * Ends one call, by its id; the run goes on. The receipt is `applied` where the cancel is stored. Otherwise nothing
   * is stored: `unknown` where the run has no such call, `stale` where the call has settled, `duplicate` where a stored
   * cancel of it has not been taken in yet, `refused` for a reason that `deny` would refuse. Rejects only with a
   * `StoreError`.
   */
  cancelCall(target: string, reason?: string): Promise<PostReceipt>

  /**
   * Puts a message of the application into the transcript, as an extension message that no model is sent. Any process
   * may post one. Messages of several processes keep the order in which they were stored. The driver of the run takes
   * them in. The receipt is `applied` where the message is stored, and `stale`, with nothing stored, where the run is
   * done. Rejects with `UsageError` `bad_message` for an empty kind, and for data that is no JSON or larger than
   * 50,000,000 bytes.
   *
   * @example
   * await run.append('shown', { page: 3 })
   */
  append(kind: string, data: Json): Promise<PostReceipt>

  /**
   * Has what the model is sent made smaller before it is asked next, to half of what it has or less. Options of
   * `compaction` say how, also where it is turned off; the event `context.compacted` says what came of it. Any process may
   * ask. The wish is stored in the transcript, where no model is sent it, so restarts, forks and runs that go on find it.
   * A run under way takes it in before its next model call, and a waiting run once it goes on.
   *
   * Resolves with the run to go on with. This is the run itself, unless it is done. A run that is done changes no more, so
   * that a new one is stored behind it, which is done too and asks no model: go on with that one by `prompt`. It is the
   * last one of its session, if it has one. Rejects, where the run is done, as `prompt` does.
   *
   * @example
   * const smaller = await run.compact()
   * const next = await smaller.prompt('And tomorrow?')
   */
  compact(): Promise<Run<Tools, Output>>

  /**
   * Stops this process's drive of the run, whoever shares it. The run stays as it is stored, and another process can go
   * on with it. Everything that waits for the run, or follows it by this object, rejects with `UsageError`
   * `run_detached`. `detach` itself never rejects: a lease that could not be given back ends by itself.
   */
  detach(): Promise<void>
}
