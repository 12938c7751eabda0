import type { PostReceipt } from '../domain/inbox.ts'
import type { JsonObject } from '../domain/text/json.ts'
import type { Said } from '../domain/message.ts'
import type { StoredSession } from '../domain/session-state.ts'
import type { TranscriptMessage } from '../domain/transcript-message.ts'
import type { Usage } from '../domain/usage.ts'
import type { Prompt } from '../driving/read-prompt.ts'
import type { RunLabels } from '../driving/run-labels.ts'
import type { PromptOptions } from '../driving/start-run.ts'
import type { DeleteSessionOptions } from '../driving/delete-families.ts'
import type { Strategy } from '../ports/strategy.ts'
import type { DeletedRuns } from '../ports/commit.ts'
import type { RepairedCall } from '../transcripts/join-pieces.ts'
import type { ReadTranscript } from '../transcripts/read-parts.ts'
import type { LeftOut } from '../transcripts/reading.ts'
import type { TranscriptFormat } from '../transcripts/transcript-format.ts'

/** Options of a session. A stored session keeps its metadata, and rejects another subject or other labels. */
export interface SessionOptions {
  /**
   * The subject of its runs, such as a customer: at most 1,000 characters. The session belongs to the subject that
   * began it. Default: the session's id for a new session, and any subject for a stored one.
   */
  readonly subject?: string
  /** Labels of each run, such as a tenant: at most 20 texts of 1,000 characters. Default: none, or any if stored. */
  readonly labels?: RunLabels
  /** The application's data of the session and its runs: a JSON object of at most 64,000 bytes. */
  readonly metadata?: JsonObject
}

/** Options of a run of a session. */
export interface SessionRunOptions extends Omit<PromptOptions, 'runId'> {
  /** In place of the agent's: 1 to 40 of the characters A-Z, a-z, 0-9, `_` and `-`. */
  readonly configId?: string
}

/** Options of a run that a prompt of a session begins. */
export interface SessionPromptOptions extends SessionRunOptions {
  /** The run of this session to go on from. Default: the one that began last. */
  readonly after?: string
}

/** A checkpoint of a run of the session, as that run's `history()` lists it. */
export interface CheckpointPlace {
  readonly runId: string
  readonly version: number
}

/** Options of a run that answers an earlier message again. */
export interface RerunOptions extends SessionRunOptions {
  /** Default: the checkpoint before the first model call of the run that began last. */
  readonly from?: CheckpointPlace
  /** A name of the answer. Default: the time in UTC, as RFC 3339 writes it. */
  readonly tag?: string
}

/** Options of a run that replaces an earlier message. */
export interface BranchOptions extends RerunOptions {
  /** Replaces the message that `from` answers. Default: that message. */
  readonly prompt?: Prompt
}

/** Options of a group of branches. */
export interface ParallelOptions extends Omit<SessionRunOptions, 'configId' | 'quota'> {
  /** The prompt of each branch. Default: none, and each branch answers the last message of the transcript. */
  readonly prompt?: Prompt
  /** Selects the branch from which the session continues. */
  readonly strategy: Strategy
  /**
   * The behavior if a group of this session is open. `refuse` (default): `run_busy` or `run_waiting`. `attach`: a group of
   * the same agents is taken up with this strategy, and `prompt` is not read.
   */
  readonly ifExists?: 'refuse' | 'attach'
}

/** The messages to read. */
export interface MessagesOptions {
  /** The `place` of a message: those before it are read. Default: the last ones. */
  readonly before?: number
  /** Default 100. */
  readonly limit?: number
}

/** Options for reading a transcript. */
export interface RestoreOptions {
  /** Default: found by what only one format has. */
  readonly format?: TranscriptFormat
}

/** The result of restoring a transcript. */
export interface RestoredTranscript extends Pick<ReadTranscript, 'format'> {
  /** The finished run that holds it. */
  readonly runId: string
  /** The number of messages. */
  readonly messages: number
  /** The parts that were left out, in their order. */
  readonly leftOut: readonly LeftOut[]
  /** The calls without a result; their stored results say so. */
  readonly repaired: readonly RepairedCall[]
}

/** The usage of all runs of a session. */
export interface SessionUsage {
  readonly usage: Usage
  /** US dollars of all answers; one of a model without a price counts 0. */
  readonly cost: number
  /** Answers of models. */
  readonly turns: number
}

/** An agent that may run as a branch: one that `createAgent` has returned. */
export type BranchAgent = { readonly name: string; asTool(options: never): unknown }

/**
 * A conversation: runs on one transcript, each continuing the one before. The whole session is in the store, from its
 * first change on, for every process with an agent of this id.
 *
 * Methods that begin a run reject with `UsageError` `run_busy` while a run of the session is driven, and with `run_waiting`
 * while it waits. All methods reject with `other_agent`, `other_subject` or `other_labels` for the session of others, with
 * `agent_closed` after the agent's `close()`, and with a `StoreError` if the store fails.
 */
export interface SessionOf<Run> {
  /** Changes with `rotate` and `rotateIfIdle`. */
  readonly id: string
  /** Returns the stored session, or undefined. */
  state(): Promise<StoredSession | undefined>
  /**
   * Begins a run that goes on from the session's last one, receives what `steer` and `followUp` have queued, and is driven
   * as `agent.start` does. Resolves once the run is stored. Rejects with `bad_prompt`, `bad_option` or `bad_config_id`, and
   * with `other_session` if `after` is not a run of the session.
   *
   * @example
   * const run = await agent.session('talk-7').prompt('Weather in Oslo?')
   * const { text } = await run.settled()
   */
  prompt(prompt: Prompt, options?: SessionPromptOptions): Promise<Run>
  /**
   * Begins a run without a new message, after an error, a limit or a cancel. Rejects with `UsageError`
   * `nothing_to_answer` if the transcript is empty or ends with the model's message; an answer that failed or was cut
   * off is none.
   */
  continue(options?: SessionRunOptions): Promise<Run>
  /**
   * Has the message before a checkpoint answered again, in a run of its own; the earlier answer stays where it is. Rejects
   * with `bad_checkpoint` if `from` is none of this session or calls were open there, and with `nothing_to_answer` as
   * `continue` does.
   */
  rerun(options?: RerunOptions): Promise<Run>
  /** Begins a run with a prompt in the place of the message that `from` answers. Rejects as `rerun` does. */
  branch(options?: BranchOptions): Promise<Run>
  /**
   * Runs 1 to 64 agents side by side, each on the prompt and the session's transcript, and lets a strategy select one of
   * the runs, from which the session goes on. The group is a run `{session}.parallel.{n}`; `settled()` returns the text
   * and the messages of the winner. The rules of this session's agent apply to each branch. Rejects with `bad_branches`
   * for another number of agents and for more than one with the strategy `transparent`, and otherwise as `prompt` does.
   *
   * @example
   * const group = await session.parallel([short, long], { prompt: 'Write a title.', strategy: 'tokenEfficient' })
   * const { text } = await group.settled()
   */
  parallel(agents: readonly BranchAgent[], options: ParallelOptions): Promise<Run>
  /** Steers the active run, as `run.steer` does, or else the next run: the receipt then names the session. */
  steer(said: Said): Promise<PostReceipt>
  /** Adds a message for the end of the active run, or else for the next run. Returns a receipt as `steer` does. */
  followUp(said: Said): Promise<PostReceipt>
  /** Cancels the active run, as `run.cancel` does. The receipt is `stale` if no run is active. */
  cancel(reason?: string): Promise<PostReceipt>
  /** Makes the prompt of the active or next run smaller. Rejects with `nothing_to_compact` if there is no message. */
  compact(): Promise<void>
  /** Empties transcript and queue, so that the next run starts over. Runs and ids stay. */
  reset(): Promise<void>
  /** Returns the last messages of the transcript; earlier ones with `before`, the `place` of the first. */
  messages(options?: MessagesOptions): Promise<readonly TranscriptMessage[]>
  /** Returns the usage of all runs of the session. Damaged runs are left out. */
  usage(): Promise<SessionUsage>
  /** Returns the transcript as JSON text, for `restore` here or elsewhere. */
  save(): Promise<string>
  /**
   * Replaces the transcript by the result of `save`, or by messages of OpenAI's chat completions, Anthropic or the AI SDK, as
   * values or JSON text. The transcript is stored as a finished run. Rejects with a `TranscriptError` for anything else.
   */
  restore(transcript: unknown, options?: RestoreOptions): Promise<RestoredTranscript>
  /** Continues under a new id, with messages and queue, and returns the id. The earlier session keeps its runs. */
  rotate(): Promise<string>
  /** Rotates if the session was last active longer ago than `ms` and no run is active; otherwise returns undefined. */
  rotateIfIdle(ms: number): Promise<string | undefined>
  /**
   * Deletes the session with all its runs, and the runs that work for these, such as those of sub-agents. Rejects with
   * `StoreError` `run_is_driven` while one is driven, with `session_is_read` if other runs go on from its transcript, unless
   * `whereRead` keeps the entries that they read, and with `UsageError` `run_waiting` if a run that works for another one is
   * open, unless `cancel` is true.
   */
  delete(options?: DeleteSessionOptions): Promise<DeletedRuns>
}
