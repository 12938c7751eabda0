import { type Message, type Store, textOf, type Usage } from '../../../index.ts'
import { type RunRecord, type RunStanding, toolCallsOf } from '../../../ports.ts'
import { answerCommands, commandOn, resumeCommand, type AnswerCommands } from '../setup/command-table.ts'
import { endedRetryably } from './continue-run.ts'
import { exitCodes, type ExitCode } from '../terminal/cli-error.ts'
import { describeCost, describeDuration, describeTokens } from '../terminal/describe-amount.ts'
import { describeCall } from './describe-call.ts'
import { parentIn } from './run-parent.ts'
import { oneLine } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'
import { suspendedCalls, type SuspendedCall } from '../setup/suspended-calls.ts'

/** The result of a command: its exit code and, for `--json`, its report. */
export interface CommandResult {
  readonly exitCode: ExitCode
  readonly report: object
}

/** The JSON report of a run's state. */
export interface RunReport {
  /** `root` and `model` are null for a run of another program. */
  readonly run: RunSummary & {
    readonly root: string | null
    readonly model: string | null
    /** The run whose conversation it continues. */
    readonly parentRunId?: string
    /** For a running run, true if a process drives it; absent if the store cannot tell. */
    readonly isDriven?: boolean
  }
  /** The last answer in this run; null before the first. */
  readonly text: string | null
  /** The problem with the last answer; null without one. */
  readonly warning: string | null
  /** Tokens of all its model calls. */
  readonly usage: Usage
  /** US dollars of all its model calls; a call of a model without a price counts 0. */
  readonly cost: number
  /** The value of the last answer by the output contract; absent without one. */
  readonly output?: RunStanding['output']
  /** The reason for which an input filter rejected the prompt. */
  readonly rejection?: RunStanding['rejection']
  /** The messages to the run that no model had read when it ended. */
  readonly undelivered?: readonly string[]
  readonly suspended: readonly (SuspendedCall & { readonly answers: AnswerCommands })[]
  /** The transcript, if the run was started with `history`. */
  readonly history?: RunStanding['messages']
  /** Stored items for the run that nobody has carried out yet. */
  readonly stored: readonly StoredAnswer[]
}

/** A run record as reported in JSON, with `reason` instead of `doneReason`. */
export type RunSummary = Omit<RunRecord, 'doneReason'> & { readonly reason?: RunRecord['doneReason'] }

/** Returns true if a process drives a running run; undefined for other runs, and if the store cannot tell. */
export async function isDriven(store: Store, { id, status }: RunRecord): Promise<boolean | undefined> {
  return status === 'running' ? (await store.record(id)).isDriven : undefined
}

/** Returns a run record with the names of reports. */
export function summaryOf({ doneReason, ...record }: RunRecord): RunSummary {
  return { ...record, ...(doneReason === undefined ? {} : { reason: doneReason }) }
}

/** Reads the state of a run. */
export async function readReport(session: Session, runId: string): Promise<RunReport> {
  const { store, options } = session
  const home = await session.homeOf(runId)
  const { record, input } = await store.read(runId)
  const own = { ...options, drive: home !== undefined || session.agents.some(({ name }) => name === record.agent) }
  const { parentRunId, carried = 0 } = parentIn(input) ?? {}
  const driven = await isDriven(store, record)
  const run = {
    ...summaryOf(record),
    root: home?.root ?? null,
    model: home?.model ?? null,
    ...(parentRunId === undefined ? {} : { parentRunId }),
    ...(driven === undefined ? {} : { isDriven: driven }),
  }
  const standing = await session.standingOf(runId)
  const suspended = await suspendedCalls(session, runId, standing)
  const { messages, usage, cost, output, rejection, undelivered, run: details } = standing
  const last = messages.findLast(({ role, place }) => role === 'assistant' && place > carried)
  return {
    run,
    text: last === undefined ? null : textOf(last),
    warning: warningOf(last),
    usage,
    cost,
    ...(output === undefined ? {} : { output }),
    ...(rejection === undefined ? {} : { rejection }),
    ...(undelivered === undefined ? {} : { undelivered: undelivered.map(textOf) }),
    suspended: suspended.map((call) => ({ ...call, answers: answerCommands(runId, call, own) })),
    ...(details.history === true ? { history: messages } : {}),
    stored: run.status === 'done' ? [] : await storedAnswers(store, runId),
  }
}

/** Prints the state of a resting run; returns the matching exit code. `tookMs` is the time of this command's drive. */
export async function concludeRun(session: Session, runId: string, tookMs?: number): Promise<CommandResult> {
  const report = await readReport(session, runId)
  if (tookMs !== undefined && report.run.status === 'done') session.print(describeEffort(session, report, tookMs))
  session.print(...closingLines(session, report))
  return { exitCode: exitCodeOf(report.run), report }
}

/** Returns the lines about a resting run. */
export function closingLines(session: Session, report: RunReport): readonly string[] {
  const { run, suspended, stored, warning, rejection, undelivered = [] } = report
  const { paint, options } = session
  const open = suspended.filter(({ callId }) => !stored.some((answer) => answer.callId === callId))
  const isDrivable = run.root !== null || session.agents.some(({ name }) => name === run.agent)
  const driver = isDrivable ? resumeCommand(run.id, options) : programOf(run)
  switch (run.status) {
    case 'done':
      return [
        ...(warning === null ? [] : [paint('yellow', `warning: ${warning}`)]),
        ...(rejection === undefined ? [] : [describeRejection(rejection)]),
        ...undelivered.map((text) => `not delivered: ${oneLine(text, 500)}`),
        describeEnd(run, paint),
        ...(run.reason === 'error' ? [adviceAfterError(run, options)] : []),
      ]
    case 'waiting':
      return [
        ...open.map((call) => describeCall(call, call.answers, session)),
        ...stored.map(describeStored),
        isDecided(stored)
          ? `run ${run.id} waits for a driver: ${driver}`
          : `run ${run.id} waits for ${describeAwaited(suspended)}`,
      ]
    case 'running':
      return [...stored.map(describeStored), describeRunning(run, driver)]
  }
}

function describeRejection({ filter, reason }: NonNullable<RunReport['rejection']>): string {
  return `${oneLine(filter)} refused the prompt: ${oneLine(reason, 500)}`
}

/** Describes what a waiting run waits for. */
export function describeAwaited(suspended: RunReport['suspended']): string {
  if (suspended.length !== 1) return 'decisions'
  return suspended[0]?.reason === 'model_unavailable' ? 'its model' : 'a decision'
}

function adviceAfterError(run: RunReport['run'], options: Session['options']): string {
  const isOurs = run.root !== null
  if (isOurs && endedRetryably(run.reason, run.error)) {
    return `To continue from its last checkpoint, with a new id: ${resumeCommand(run.id, options)}`
  }
  const wayOn = isOurs
    ? `Continue it in a new run: ${commandOn(['prompt', run.id], options)} "<text>"`
    : 'Start again with: statewright run "<prompt>"'
  return `The run has ended. ${wayOn}`
}

/** Returns a line such as `done in 6 s, 2.4k tokens, $0.012`, without the cost if no price is known. */
function describeEffort({ paint }: Session, { run, usage, cost }: RunReport, tookMs: number): string {
  const tokens = usage.totalTokens === 0 ? '' : `, ${describeTokens(usage.totalTokens)}`
  const paid = cost === 0 ? '' : `, ${describeCost(cost)}`
  return paint('dim', `${hasEndedWell(run) ? 'done in' : 'ended after'} ${describeDuration(tookMs)}${tokens}${paid}`)
}

function describeRunning({ id, isDriven: driven }: RunReport['run'], driver: string): string {
  if (driven === undefined) return `run ${id} is running; if its process has ended, continue it: ${driver}`
  return driven ? `run ${id} is running` : `run ${id} is stopped: nobody drives it. To continue it: ${driver}`
}

function warningOf(answer: Message | undefined): string | null {
  if (answer?.role !== 'assistant') return null
  if (answer.stopReason === 'length') return 'the last answer reached its token limit and was cut off'
  const isEmpty = textOf(answer).trim() === '' && toolCallsOf(answer).length === 0
  return isEmpty && answer.stopReason === 'stop' ? 'the last answer is empty' : null
}

/** Names the program that can drive a run of another agent. */
export function programOf({ agent }: Pick<RunRecord, 'agent'>): string {
  return `use the program of its agent "${oneLine(agent)}", or its module: --agents <file>`
}

function describeEnd(run: RunSummary, paint: Session['paint']): string {
  const why = [
    run.reason === 'natural_end' ? 'done' : (run.reason ?? 'done'),
    ...(run.code === undefined ? [] : [`(${run.code})`]),
  ].join(' ')
  const error = run.error === undefined ? '' : `: ${oneLine(run.error.message, 500)}`
  return `run ${run.id} ${paint(hasEndedWell(run) ? 'green' : 'red', why)}${error}`
}

function exitCodeOf(run: RunSummary): ExitCode {
  if (run.status === 'waiting') return exitCodes.waiting
  if (run.status === 'running') return exitCodes.unusable
  return hasEndedWell(run) ? exitCodes.success : exitCodes.ended
}

function hasEndedWell({ reason }: RunSummary): boolean {
  return reason === 'natural_end' || reason === 'plugin_requested'
}

/** A stored item for a run that has not been carried out yet. */
export interface StoredAnswer {
  /**
   * The kind of the item: `cancelRun` cancels the run, `steer` and `followUp` are messages, `compact` requests a
   * smaller prompt, and the others concern one call.
   */
  readonly action: 'resume' | 'cancel' | 'cancelRun' | 'steer' | 'followUp' | 'compact'
  /** Null for the run itself. */
  readonly callId: string | null
  /** Unix milliseconds of receipt. */
  readonly at: number
}

/** Returns true if a stored item lets the run continue. */
export function isDecided(stored: readonly StoredAnswer[]): boolean {
  return stored.some(({ action }) => !isSaid(action))
}

function isSaid(action: StoredAnswer['action']): action is 'steer' | 'followUp' | 'compact' {
  return action === 'steer' || action === 'followUp' || action === 'compact'
}

/** Returns the items in a run's inbox, oldest first. */
export async function storedAnswers(store: Store, runId: string): Promise<readonly StoredAnswer[]> {
  const rows = await store.inbox(runId, { isOpen: true })
  return rows.flatMap(({ item, at }): readonly StoredAnswer[] => {
    if (item.kind === 'decision') return [{ action: item.decision.action, callId: item.decision.callId, at }]
    if (item.kind === 'cancelCall') return [{ action: 'cancel', callId: item.callId, at }]
    if (item.kind === 'steer' || item.kind === 'followUp') return [{ action: item.kind, callId: null, at }]
    if (item.kind === 'extension' && item.message.kind === 'context.compact') {
      return [{ action: 'compact', callId: null, at }]
    }
    return item.kind === 'cancel' ? [{ action: 'cancelRun', callId: null, at }] : []
  })
}

/** Describes a stored item for a person. */
function describeStored({ action, callId }: StoredAnswer): string {
  return `stored, not carried out yet: ${actionTexts[action]}${callId === null ? '' : ` of call ${callId}`}`
}

const actionTexts: Readonly<Record<StoredAnswer['action'], string>> = {
  cancelRun: 'cancel of the run',
  steer: 'steering',
  followUp: 'a follow-up',
  compact: 'a smaller prompt',
  resume: 'approval',
  cancel: 'refusal',
}
