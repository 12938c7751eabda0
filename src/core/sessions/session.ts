import type { PostReceipt } from '../domain/inbox.ts'
import type { JsonObject } from '../domain/text/json.ts'
import type { Said } from '../domain/message.ts'
import type { StoredSession } from '../domain/session-state.ts'
import type { TranscriptMessage } from '../domain/transcript-message.ts'
import type { Usage } from '../domain/usage.ts'
import type { Prompt } from '../driving/read-prompt.ts'
import type { RunLabels } from '../driving/run-labels.ts'
import type { PromptOptions } from '../driving/start-run.ts'
import type { DeleteSessionOptions } from '../driving/find-sessions.ts'
import type { DeletedRuns } from '../ports/commit.ts'
import type { RepairedCall } from '../transcripts/join-pieces.ts'
import type { ReadTranscript } from '../transcripts/read-transcript.ts'
import type { LeftOut } from '../transcripts/reading.ts'
import type { TranscriptFormat } from '../transcripts/transcript-format.ts'

/** What a session is begun with. Where it is stored already, its metadata stay; another subject and other labels are refused. */
export interface SessionOptions {
  /**
   * What its runs are about, such as a customer: a text of at most 1,000 characters. The session belongs to the subject that
   * began it. Default: the session's id where it is begun, and any where it is stored.
   */
  readonly subject?: string
  /**
   * Labels of each of its runs, whatever a prompt says of them, such as a tenant: at most 20 texts of 1,000 characters. The
   * session belongs to the labels that began it, and they stand among the fields of its metadata. Default: none where it is
   * begun, and any where it is stored.
   */
  readonly labels?: RunLabels
  /** What the application keeps with it and tells with its runs: a JSON object of at most 64,000 bytes. */
  readonly metadata?: JsonObject
}

/** How a run of a session is begun; all of it optional. */
export interface SessionRunOptions extends Omit<PromptOptions, 'runId'> {
  /** In place of the agent's: 1 to 40 of the characters A-Z, a-z, 0-9, `_` and `-`. */
  readonly configId?: string
}

/** The options of a run that a prompt of a session begins. */
export interface SessionPromptOptions extends SessionRunOptions {
  /** The run of this session to go on from. Default: the one that began last. */
  readonly after?: string
}

/** A checkpoint of a run of the session, as `history()` of that run lists it. */
export interface CheckpointPlace {
  readonly runId: string
  readonly version: number
}

/** What has an earlier message answered again. */
export interface RerunOptions extends SessionRunOptions {
  /** Default: the checkpoint before the first model call of the run that began last. */
  readonly from?: CheckpointPlace
  /** Tells several from one another. Default: the time, as RFC 3339 writes it, in UTC. */
  readonly tag?: string
}

/** What has a conversation go on elsewhere. */
export interface BranchOptions extends RerunOptions {
  /** Stands in the place of the message that `from` answers. Default: that message. */
  readonly prompt?: Prompt
}

/** Which messages of a session are read. */
export interface MessagesOptions {
  /** The `place` of a message: those before it are read. Default: the last ones. */
  readonly before?: number
  /** Default 100. */
  readonly limit?: number
}

/** How a transcript is read. */
export interface RestoreOptions {
  /** Default: found by what only one format has. */
  readonly format?: TranscriptFormat
}

/** What became of a transcript that was brought over. */
export interface RestoredTranscript extends Pick<ReadTranscript, 'format'> {
  /** The run that holds it, which is done. */
  readonly runId: string
  /** How many messages it has. */
  readonly messages: number
  /** What has no place in it, in the order in which it stood. */
  readonly leftOut: readonly LeftOut[]
  /** The calls no result was found for, whose results say so. */
  readonly repaired: readonly RepairedCall[]
}

/** What the runs of a session took together. */
export interface SessionUsage {
  readonly usage: Usage
  /** US dollars of all answers; one of a model without a price counts 0. */
  readonly cost: number
  /** Answers of models. */
  readonly turns: number
}

/**
 * A conversation: runs on one transcript, each going on from the one before. All of it is in the store, so any process
 * with an agent of this id sees the same session. Nothing is stored before the first change.
 *
 * Where a run of the session is under way, beginning another one rejects with `UsageError` `run_busy`, and where it waits
 * with `run_waiting`; of two that begin one at once, one is refused so. Methods also reject with `other_agent` for the
 * session of another agent, with `other_subject` or `other_labels` for that of others, with `agent_closed` after the agent's `close()`, and with a `StoreError` where the store fails.
 */
export interface SessionOf<Run> {
  /** Changes with `rotate` and `rotateIfIdle`. */
  readonly id: string
  /** The session as it is stored; undefined where it is not. */
  state(): Promise<StoredSession | undefined>
  /**
   * Begins a run that goes on from the session's last one, and drives it as `agent.start` does. Resolves once it is stored.
   * What `steer` and `followUp` were told meanwhile is heard by it. Rejects with `bad_prompt`, `bad_option` and
   * `bad_config_id` for what is refused, and with `other_session` where `after` is no run of the session.
   *
   * @example
   * const run = await agent.session('talk-7').prompt('Weather in Oslo?')
   * const { text } = await run.settled()
   */
  prompt(prompt: Prompt, options?: SessionPromptOptions): Promise<Run>
  /**
   * Begins a run without a new message, after an error, a limit or a cancel. Rejects with `UsageError`
   * `nothing_to_answer` where the transcript is empty or ends with the model's message; an answer that failed or was cut
   * off is none.
   */
  continue(options?: SessionRunOptions): Promise<Run>
  /**
   * Has the message before a checkpoint answered again, in a run of its own; the earlier answer stays where it is. Rejects
   * with `bad_checkpoint` where `from` is none of this session or calls were open there, and with `nothing_to_answer` as
   * `continue` does.
   */
  rerun(options?: RerunOptions): Promise<Run>
  /**
   * Goes on elsewhere, with a prompt in the place of the message that the checkpoint's turn answers. Rejects as `rerun`; with
   * a prompt, calls that were open there are left out with their answer.
   */
  branch(options?: BranchOptions): Promise<Run>
  /**
   * Says something to the run under way or waiting, as `run.steer` does; where there is none, to the next one, and the
   * receipt then has the session's id as its target.
   */
  steer(said: Said): Promise<PostReceipt>
  /** Says something that the run takes in when it would end; where none is under way, the next one. Answers as `steer` does. */
  followUp(said: Said): Promise<PostReceipt>
  /** Ends the run under way or waiting. The receipt is `stale` where there is none; otherwise that of `run.cancel`. */
  cancel(reason?: string): Promise<PostReceipt>
  /**
   * Has what the model is sent made smaller before it is asked next: by the run under way or waiting, else by the next one,
   * as `run.compact` does. Messages and runs stay. Rejects with `UsageError` `nothing_to_compact` where there are no
   * messages.
   */
  compact(): Promise<void>
  /** Forgets transcript and queue: the next run begins anew. Runs and ids stay; a run under way is refused. */
  reset(): Promise<void>
  /** The transcript, the last messages of it; earlier ones with `before`, the `place` of the first. */
  messages(options?: MessagesOptions): Promise<readonly TranscriptMessage[]>
  /** What all runs of the session took. Damaged runs are left out. */
  usage(): Promise<SessionUsage>
  /** The transcript as JSON text, for `restore` here or elsewhere. */
  save(): Promise<string>
  /**
   * Takes a transcript in place of the present one: what `save` gave, or messages of ours, of OpenAI's chat completions, of
   * Anthropic or of the AI SDK, as values or as JSON text. It is stored as a run that is done, which the next one goes on
   * from; nothing is asked for it. Rejects with a `TranscriptError` for what is no transcript, and changes nothing then.
   */
  restore(transcript: unknown, options?: RestoreOptions): Promise<RestoredTranscript>
  /** Goes on under a new id, which it gives, with the messages and the queue. The earlier session keeps its runs. */
  rotate(): Promise<string>
  /**
   * Rotates where the session was last active more than so many milliseconds ago; gives the new id, undefined where it did
   * not: where it was never active, and while a run of it is under way or waits.
   */
  rotateIfIdle(ms: number): Promise<string | undefined>
  /**
   * Deletes the session with all its runs. Rejects with `StoreError` `run_is_driven` while one is driven, and with
   * `session_is_read`, which names them, while runs without the session go on from its transcript, unless what they read is
   * to be kept for them.
   */
  delete(options?: DeleteSessionOptions): Promise<DeletedRuns>
}
