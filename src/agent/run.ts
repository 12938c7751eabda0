import type { Decision, DecisionReceipt, DecisionScope } from '../domain/decision.ts'
import type { AgentEvent, ToolType } from '../domain/event.ts'
import type { PostReceipt } from '../domain/inbox.ts'
import type { Json } from '../domain/json.ts'
import type { Said } from '../domain/message.ts'
import type { TranscriptMessage } from '../domain/transcript-message.ts'
import type { CheckpointInfo } from '../ports/store.ts'
import type { EventPlace, StoredEventIterator } from '../driving/event-reader.ts'
import type { RunLabels } from '../driving/run-labels.ts'
import type { RunResult, RunStanding } from '../driving/run-result.ts'
import type { RunState } from '../driving/run-state.ts'
import type { Prompt } from '../driving/read-prompt.ts'
import type { PromptOptions } from '../driving/start-run.ts'

/** What a person adds to a yes or a no. */
export interface AnswerOptions {
  /** How far the answer goes. Default `once`; `run` and `always` are `refused` until they work. */
  readonly scope?: DecisionScope
  /** Who decided, for the record. */
  readonly by?: string
  readonly reason?: string
  /** Tells a repeated answer from a second one. Default: derived from the suspension and the answer. */
  readonly decisionId?: string
}

/** How `settled` takes a run that another process drives. */
export interface SettledOptions {
  /** Waits for whoever drives the run, and drives it where nobody does. Default false: that it is driven elsewhere is an error. */
  readonly follow?: boolean
}

/**
 * Events of a run as they are told. What a slow reader has not taken waits. Of deltas, updates and progress up to 1,000 of
 * together 10,000,000 characters, what is more is left out; once 100 of them wait, pieces of an answer in a row become
 * one. Of all others up to 10,000; then the iterator throws a `UsageError` `events_missed`.
 */
export interface EventIterator<Tools extends ToolType = ToolType> extends AsyncIterableIterator<AgentEvent<Tools>> {
  /** No event is taken in any more; those told before are still given. */
  end(): void
}

/**
 * One run, wherever it is stored. Reading and deciding claim nothing and may be done from any process; iterating and
 * `settled` drive the run. Every method but `events` and `detach` rejects with a `StoreError` where the store fails, among
 * them `run_unknown` where the run has been deleted and `run_damaged` where it cannot be read; and of a run that was just
 * started, with why it could not be stored: `run_exists`, or, where it attaches, `UsageError` `other_prompt` or
 * `other_agent`. What a method rejects with besides is said with it. `Tools` types its events by the agent's tools, and
 * `Output` its result.
 */
export interface Run<Tools extends ToolType = ToolType, Output = unknown> extends AsyncIterable<AgentEvent<Tools>> {
  readonly id: string

  /**
   * Drives the run until it waits or is done, or shares the drive its agent has of it in this process; resolves for every
   * end, a failed model included. With `follow` it waits where another process drives the run, and drives it where that
   * process has ended. Rejects with `StoreError` `run_is_driven` while another process drives it and it is not followed,
   * with `UsageError` `run_detached` after `detach()` and `agent_closed` after the agent's `close()`, with `other_agent`
   * for the run of an agent of another name, with `SnapshotError` where the stored state cannot be read, with
   * `ToolsetError` where its tools cannot be had and with `EngineError` where its end cannot be stored.
   *
   * @example
   * const run = await agent.load(runId)
   * const { status } = await run.settled({ follow: true })
   */
  settled(options?: SettledOptions): Promise<RunResult<Output>>

  /**
   * Drives the run, or shares its drive, and yields its events from now on; of a run this object has begun (`start`,
   * `resume`) from that beginning. Ends, and throws, where `settled` does.
   */
  [Symbol.asyncIterator](): AsyncIterator<AgentEvent<Tools>>

  /**
   * Events of this process's drives from now on, without driving; of an answer under way, first all there is of it, as one
   * update a block. Goes on until it is ended or left. Throws nothing; the iterator does where it lags, see `EventIterator`.
   */
  events(): EventIterator<Tools>

  /**
   * Has a function hear the events of this process's drives from now on, without driving; of an answer under way, first all
   * there is of it, as one update a block. It is called as each event is told, and awaited by nobody: what it throws or
   * its promise is rejected with is told to the others as `listener.failed`, once. Gives a function that lets it leave.
   * Throws `UsageError` `bad_option` for what is no function.
   *
   * @example
   * const leave = run.on((event) => console.log(event.type))
   * await run.settled()
   * leave()
   */
  on(listener: (event: AgentEvent<Tools>) => unknown): () => void

  /**
   * The stored events after a number, 0 for all of them, or after an event of this run; then those that come, whichever
   * process drives the run, until it is at rest and everything is read. Drives nothing. Only of a run that an agent with
   * `events: 'stored'` started; others throw a `UsageError` `events_not_stored`, and a number that is none, or that no
   * event of the run has, `bad_event_number`.
   *
   * @example
   * for await (const event of run.eventsAfter(0)) console.log(event.seq, event.type)
   */
  eventsAfter(after: EventPlace): StoredEventIterator

  /** How the run stands, read from the store. Rejects with nothing but a `StoreError`. */
  result(): Promise<RunStanding<Output>>

  /** The transcript as it is stored now, which `result()` has too; that of a run this one goes on from first. Rejects with nothing but a `StoreError`. */
  messages(): Promise<readonly TranscriptMessage[]>

  /** The labels the run was started with; a fork has those of its original. Rejects with nothing but a `StoreError`. */
  labels(): Promise<RunLabels>

  /** The named commits of the run, oldest first. Rejects with nothing but a `StoreError`. */
  history(): Promise<readonly CheckpointInfo[]>

  /**
   * The run as it stood at a checkpoint of `history()`. Rejects with `StoreError` `run_unknown` where there is no such
   * checkpoint and with `SnapshotError` where it cannot be read.
   */
  at(version: number): Promise<RunState>

  /**
   * Stores decisions for whoever drives the run; one receipt an item, in order, and only `applied` and `kept` change
   * anything. What does not fit is a receipt, `refused` with a message. Rejects with `UsageError` `bad_decision` for what is
   * no list.
   *
   * @example
   * const [receipt] = await run.decide([{ target: callId, action: 'resume', by: 'anna' }])
   * if (receipt?.answer !== 'applied') console.log(receipt?.message)
   */
  decide(decisions: readonly Decision[]): Promise<readonly DecisionReceipt[]>

  /**
   * Resumes a suspended call, as `deny`, `respond`, `pass` and `edit` answer it otherwise. `target` is the id of a call or of
   * its suspension, and may be left out: the only suspended call is meant, and where none is, the receipt is `stale` with the
   * run's id as its target. All five answer with a receipt as `decide` does, and reject with `UsageError` `ambiguous_call`
   * where the target is left out and several calls are suspended, and `bad_option` for an option that is refused.
   */
  approve(target?: string, options?: AnswerOptions): Promise<DecisionReceipt>

  /** Cancels a suspended call; the reason becomes its result. Rejects as `approve` does. */
  deny(target?: string, reason?: string, options?: AnswerOptions): Promise<DecisionReceipt>

  /**
   * Gives a suspended call its result; the tool does not run. `refused` where it does not fit the tool's `output`. Rejects
   * as `approve` does.
   */
  respond(target: string | undefined, result: Json, options?: AnswerOptions): Promise<DecisionReceipt>

  /**
   * Hands a suspended call a value in place of its arguments, as a tool with `resume: 'pass-to-tool'` asks for one; the
   * tool runs with it. `refused` where it does not fit the tool's `input`. Rejects as `approve` does.
   */
  pass(target: string | undefined, value: Json, options?: AnswerOptions): Promise<DecisionReceipt>

  /**
   * Resumes a suspended call with other arguments. `refused` where they do not fit the tool's `input`. Rejects as `approve`
   * does.
   */
  edit(target: string | undefined, input: Json, options?: AnswerOptions): Promise<DecisionReceipt>

  /**
   * Says something to a run that is under way or waits, from any process: it is taken in before the next turn, and calls of
   * the round that were not started are left out. Kept by a waiting run until it goes on. Rejects with `UsageError`
   * `run_done` where the run has ended, with `bad_prompt` for a prompt that is refused.
   *
   * @example
   * await run.steer('Only the first file.')
   */
  steer(prompt: Said): Promise<void>

  /** Says something once the run would end; it goes on for it then. Rejects as `steer` does. */
  followUp(prompt: Said): Promise<void>

  /**
   * Goes on with the conversation of a run that is done: stores a new run of this agent that begins with this run's
   * transcript and its last state document, and drives it as `agent.start` does. It has an id, limits, usage and results of
   * its own, `run.started` names this run as its `parentRunId`, and what the options leave out is as this run was given it,
   * but the `quota`. Resolves once it is stored; each prompt begins another run, so that a conversation may branch.
   *
   * Rejects with `UsageError` `run_busy` while this run is running and `run_waiting` while it waits, by its stored status;
   * with `bad_prompt`, `bad_option` and `bad_run_id` for what is refused, with `other_agent` for the run of an agent of
   * another name, unless it was adopted, with `agent_closed` after the agent's `close()`, and with `StoreError` `run_exists`
   * where the id is taken.
   *
   * @example
   * const first = agent.start('Weather in Oslo?')
   * await first.settled()
   * const next = await first.prompt('And tomorrow?')
   * const { text } = await next.settled()
   */
  prompt(prompt: Prompt, options?: PromptOptions): Promise<Run<Tools, Output>>

  /**
   * Ends the run, whoever drives it; unfinished calls become cancelled. Stored and `applied`, or stored nowhere: `stale`
   * where the run is done, `duplicate` where a cancel is stored already that nobody has taken in, `refused` for a reason
   * that `deny` would refuse. Rejects with nothing but a `StoreError`.
   */
  cancel(reason?: string): Promise<PostReceipt>

  /**
   * Ends one call, by its id, while the run goes on. Stored and `applied`, or stored nowhere: `unknown` where the run has
   * no such call, `stale` where it has settled, `duplicate` where a cancel of it is stored already that nobody has taken
   * in, `refused` for a reason that `deny` would refuse. Rejects with nothing but a `StoreError`.
   */
  cancelCall(target: string, reason?: string): Promise<PostReceipt>

  /**
   * Puts a message of the application into the transcript, as an extension message that no model is sent; any process may,
   * and what several post keeps the order it was stored in. It is taken in by whoever drives the run. Stored and `applied`,
   * or stored nowhere: `stale` where the run is done. Rejects with `UsageError` `bad_message` for an empty kind and for data
   * that is no JSON or larger than 50,000,000 bytes.
   *
   * @example
   * await run.append('shown', { page: 3 })
   */
  append(kind: string, data: Json): Promise<PostReceipt>

  /**
   * Stops this process's drive of the run, whoever shares it, and leaves the run as stored for another process to go on
   * with. What waits for it, or follows the run by this object, rejects with `UsageError` `run_detached`; this itself rejects
   * with nothing: a lease that could not be given back ends by itself.
   */
  detach(): Promise<void>
}
