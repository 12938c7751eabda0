import { type CallRecord, type SuspendedCall, withArguments } from '../domain/call.ts'
import { carriedIn, ownEntries } from '../domain/carried.ts'
import type { LogEntry } from '../domain/log.ts'
import type { Rejection } from '../../../machines/run/run.input-types.ts'
import { defined, isRecord, type Json } from '../domain/text/json.ts'
import { textOf, type UserMessage } from '../domain/message.ts'
import { valueIn } from '../domain/value-in.ts'
import { messagesIn, type TranscriptMessage, type TranscriptPart } from '../domain/transcript-message.ts'
import type { Outcome, RunStatus } from '../domain/outcome.ts'
import { evaluationsIn, refusalsIn, summariesIn } from '../domain/paid-requests.ts'
import { detailsIn, type RunDetails } from '../domain/run-details.ts'
import type { RunRecord } from '../domain/run-record.ts'
import { addUsage, cacheHitRate, noUsage, type Usage } from '../domain/usage.ts'
import type { StoredRun } from '../ports/store.ts'
import type { DriveRest } from '../runtime/drive-options.ts'

/** The state of a run at rest: it waits or is done. */
export interface RunResult<Output = unknown> extends RunStanding<Output> {
  readonly status: 'waiting' | 'done'
  readonly outcome: Outcome
}

/** The state of a stored run, at rest or not. */
export interface RunStanding<Output = unknown> {
  readonly runId: string
  /** The details of the run from its start. */
  readonly run: RunDetails
  readonly status: RunStatus
  /** Absent while the run is running. */
  readonly outcome?: Outcome
  /** The model's last answer in this run; empty while the run waits, without an answer, and after a refused answer. */
  readonly text: string
  /**
   * The output of the last answer by the agent's output contract; absent without a contract, and if the answer does not
   * fit.
   */
  readonly output?: Output
  /** The reason for which an input filter rejected the prompt. */
  readonly rejection?: Rejection
  /** The messages to an ended run that no model has received. */
  readonly undelivered?: readonly UserMessage[]
  /**
   * The transcript with the turn and the run of each message, including the transcript of the continued run. A call
   * without a result has no message yet. Usage, cost and units are those of this run only.
   */
  readonly messages: readonly TranscriptMessage[]
  /** Answers of models in this run. */
  readonly turns: number
  /** The number of model calls of this run, and their maximum; `max` is absent without a limit. */
  readonly toolInteractions: { readonly current: number; readonly max?: number }
  readonly usage: Usage
  /** The usage of this run and all its descendants: sub-agents and what they had others do. */
  readonly totalUsage: Usage
  /** US dollars of all answers, refused ones too, and summaries; one of a model without a price counts 0. */
  readonly cost: number
  /** The execution units of the answers, as reported by adapters. */
  readonly executionUnits: number
  /** The share of the models' input tokens that came from a provider's cache: 0 to 1. */
  readonly cacheHitRate: number
  /** The calls that wait for a decision. */
  readonly suspended: readonly SuspendedCall[]
}

/** The facts of a run's state, from the store or from its driver. The calls are at least those that wait. */
export interface RunFacts extends Pick<DriveRest, 'outcome' | 'input' | 'log' | 'calls'> {
  readonly status: RunStatus
}

/** Returns the state of a run. By default, only the messages of the run itself have a turn. */
export function standingOf(
  runId: string,
  { status, outcome, input, log, calls }: RunFacts,
  parts: readonly TranscriptPart[] = [{ after: carriedIn(input) }],
): RunStanding {
  const carried = carriedIn(input)
  const messages = messagesIn(log, parts)
  const answers = messages.filter((message) => message.role === 'assistant').filter(({ place }) => place > carried)
  const own = ownEntries(log, input)
  const hasValues = own.some(({ kind }) => kind === 'value')
  const refusals = hasValues ? refusalsIn(own) : []
  const paid = hasValues ? [...answers, ...refusals, ...summariesIn(own), ...evaluationsIn(own)] : answers
  const usage = paid.reduce((sum, answer) => addUsage(sum, answer.usage), noUsage)
  return {
    runId,
    run: detailsIn(runId, input),
    status,
    ...(outcome === undefined ? {} : { outcome }),
    text: status === 'done' ? finalText(answers, refusals) : '',
    ...(hasValues ? toldBy(own) : {}),
    messages,
    turns: answers.length,
    toolInteractions: { current: answers.length + refusals.length, ...grantedIn(input) },
    usage,
    totalUsage: usage,
    cost: paid.reduce((sum, { cost = 0 }) => sum + cost, 0),
    executionUnits: [...answers, ...refusals].reduce((sum, { executionUnits = 0 }) => sum + executionUnits, 0),
    cacheHitRate: cacheHitRate(usage),
    suspended: suspendedCalls(calls, log),
  }
}

function grantedIn(input: Json): { readonly max?: number } {
  const options = isRecord(input) ? input['options'] : undefined
  const limits = isRecord(options) && Array.isArray(options['limits']) ? options['limits'] : []
  const limit: unknown = limits.find((item) => isRecord(item) && item['code'] === 'max_tool_interactions')
  return isRecord(limit) && typeof limit['max'] === 'number' ? { max: limit['max'] } : {}
}

function toldBy(log: readonly LogEntry[]): Pick<RunStanding, 'output' | 'rejection' | 'undelivered'> {
  const output = valueIn(log, 'output')
  const rejection = valueIn(log, 'rejection') as Rejection | undefined
  const undelivered = valueIn(log, 'undelivered') as readonly UserMessage[] | undefined
  return defined({ output, rejection, undelivered })
}

/** Returns the suspended calls among these, with their arguments from the log. */
export function suspendedCalls(calls: readonly CallRecord[], log: readonly LogEntry[]): readonly SuspendedCall[] {
  const suspended = calls.filter(({ status }) => status === 'suspended')
  if (suspended.length === 0) return []
  const messages = new Map(
    log.flatMap((entry) => (entry.kind === 'message' ? [[entry.seq, entry.message] as const] : [])),
  )
  const view = { message: (seq: number) => messages.get(seq) }
  return suspended.map((call) => withArguments(call, view))
}

/** Returns the facts about a run that the store has. */
export function storedFacts({ record, input, log, calls }: StoredRun): RunFacts {
  return { status: record.status, ...outcomeOf(record), input, log, calls: calls.map((row) => row.record) }
}

function outcomeOf({ status, doneReason, code, error }: RunRecord): { readonly outcome?: Outcome } {
  if (status === 'running' || doneReason === undefined) return {}
  return {
    outcome: {
      reason: doneReason,
      ...defined({ code, error }),
    },
  }
}

/** Returns true if the run waits or is done. */
export function isAtRest(standing: RunStanding): standing is RunResult {
  return standing.status !== 'running' && standing.outcome !== undefined
}

/** A run whose last answer was rejected has no text. */
function finalText(answers: readonly TranscriptMessage[], refusals: readonly { readonly place: number }[]): string {
  const answer = answers.at(-1)
  const refusal = refusals.at(-1)
  if (answer === undefined || (refusal !== undefined && refusal.place > answer.place)) return ''
  return textOf(answer)
}
