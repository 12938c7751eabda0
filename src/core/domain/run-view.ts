import type { CallStatus, SuspendedCall } from './call.ts'
import type { Json } from './text/json.ts'
import type { ToolResultMessage, UserMessage } from './message.ts'
import type { Outcome, RunStatus } from './outcome.ts'
import type { TranscriptMessage } from './transcript-message.ts'
import { noUsage, type Usage } from './usage.ts'

/** The state of a run according to its events so far; plain data, which `foldEvents` copies and never changes. */
export interface RunView {
  /** Empty before the first event. */
  readonly runId: string
  /** Empty before the first event. */
  readonly subject: string
  /** `pending` until `run.started` or a later event shows that the run is in progress. */
  readonly status: RunStatus | 'pending'
  /** The reason of the run's end or wait; absent while it runs. A limit that stopped it is the outcome's `code`. */
  readonly outcome?: Outcome
  /** The number of the current or last turn; 0 before the first. */
  readonly turn: number
  /** The number of model answers. */
  readonly turns: number
  /** The run's own messages in order of their places, without those of the continued run. */
  readonly messages: readonly TranscriptMessage[]
  /** The last answer after the run is done; empty before that and without an answer. */
  readonly text: string
  /** The answer in progress. */
  readonly underWay?: AnswerView
  /** Every call of the run, in order of creation. */
  readonly calls: readonly CallView[]
  /** The calls that wait for a decision, with their arguments. */
  readonly suspended: readonly SuspendedCall[]
  readonly usage: Usage
  /** US dollars. */
  readonly cost: number
  /** The reason for which an input filter rejected the prompt. */
  readonly rejection?: { readonly filter: string; readonly reason: string }
  /** Messages that no model had read when the run ended. */
  readonly undelivered?: readonly UserMessage[]
  /** The run's state document, after plugins or tools have changed it. */
  readonly state?: Json
  /** Unix milliseconds of the last event; 0 before the first. */
  readonly at: number
  /** The highest number of a stored event; 0 without one. Events up to it have no further effect. */
  readonly seq: number
}

/** An answer in progress. */
export interface AnswerView {
  readonly turn: number
  readonly text: string
  readonly thinking: string
  /** The calls in progress; `arguments` is the text of their JSON so far. */
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[]
  /** The partial output of the answer, if the agent has an output contract. Not checked. */
  readonly output?: Json
}

/** The known state of one call. */
export interface CallView {
  readonly callId: string
  readonly toolName: string
  readonly status: CallStatus
  /** The call's arguments: the latest edit, or else the model's. */
  readonly arguments: unknown
  /** The number of starts of its tool; 0 before the first. */
  readonly attempt: number
  /** The last progress report while the tool runs. */
  readonly progress?: string
  /** The last update while the tool runs. */
  readonly partial?: unknown
  readonly result?: ToolResultMessage
  /** The run that did the work, if the tool delegated it to another run. */
  readonly childRunId?: string
}

/** The view before the first event. */
export const emptyRunView: RunView = {
  runId: '',
  subject: '',
  status: 'pending',
  turn: 0,
  turns: 0,
  messages: [],
  text: '',
  calls: [],
  suspended: [],
  usage: noUsage,
  cost: 0,
  at: 0,
  seq: 0,
}
