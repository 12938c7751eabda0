import type { CallStatus, SuspendedCall } from './call.ts'
import type { Json } from './text/json.ts'
import type { ToolResultMessage, UserMessage } from './message.ts'
import type { Outcome, RunStatus } from './outcome.ts'
import type { TranscriptMessage } from './transcript-message.ts'
import { noUsage, type Usage } from './usage.ts'

/** What the events of a run tell so far; plain data, which `foldEvent` never changes but copies. */
export interface RunView {
  /** Empty before the first event. */
  readonly runId: string
  /** Empty before the first event. */
  readonly subject: string
  /** `pending` until `run.started` or a later event says that the run goes on. */
  readonly status: RunStatus | 'pending'
  /** How the run ended, or why it waits; absent while it runs. A limit that stopped it is the outcome's `code`. */
  readonly outcome?: Outcome
  /** The number of the turn under way, or of the last one; 0 before the first. */
  readonly turn: number
  /** Answers of models. */
  readonly turns: number
  /** The run's own messages in order of their places, those of a run it goes on from left out. */
  readonly messages: readonly TranscriptMessage[]
  /** The last answer once the run is done; empty until then and where there is none. */
  readonly text: string
  /** The answer that is being written. */
  readonly underWay?: AnswerView
  /** Every call of the run, in the order in which they were made. */
  readonly calls: readonly CallView[]
  /** The calls that wait for a decision, with the arguments they would run with. */
  readonly suspended: readonly SuspendedCall[]
  readonly usage: Usage
  /** US dollars. */
  readonly cost: number
  /** Why an input filter refused the prompt. */
  readonly rejection?: { readonly filter: string; readonly reason: string }
  /** What was said to the run and no model has heard, where it has ended without. */
  readonly undelivered?: readonly UserMessage[]
  /** The run's state document, once plugins or tools have changed it. */
  readonly state?: Json
  /** Unix milliseconds of the last event; 0 before the first. */
  readonly at: number
  /** The highest number of a stored event; 0 where none had one. Events up to it change nothing any more. */
  readonly seq: number
}

/** An answer as far as it has come. */
export interface AnswerView {
  readonly turn: number
  readonly text: string
  readonly thinking: string
  /** Calls as they are written; `arguments` is the text of their JSON so far. */
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[]
  /** What the answer has of its output by now, where the agent has an output contract. Not checked. */
  readonly output?: Json
}

/** One call as far as it is told. */
export interface CallView {
  readonly callId: string
  readonly toolName: string
  readonly status: CallStatus
  /** What the call runs with: the latest edit, else what the model gave. */
  readonly arguments: unknown
  /** How often its tool was started; 0 before. */
  readonly attempt: number
  /** The last report of progress, while the tool works. */
  readonly progress?: string
  /** The last update, while the tool works. */
  readonly partial?: unknown
  readonly result?: ToolResultMessage
  /** The run that did the work, where the tool had another one do it. */
  readonly childRunId?: string
}

/** The view of a run of which nothing was told yet. */
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
