import {
  type Message,
  type RunRecord,
  type RunStanding,
  type Store,
  textOf,
  toolCallsOf,
  type Usage,
} from '../index.ts'
import { answerCommands, type AnswerCommands, resumeCommand } from './command-table.ts'
import { endedRetryably } from './continue-run.ts'
import { exitCodes, type ExitCode } from './cli-error.ts'
import { describeCost, describeDuration, describeTokens } from './describe-amount.ts'
import { describeCall } from './describe-call.ts'
import { oneLine } from './safe-text.ts'
import type { Session } from './session.ts'
import { suspendedCalls, type SuspendedCall } from './suspended-calls.ts'

/** What a command hands back: its exit code and, for `--json`, what it found. */
export interface CommandResult {
  readonly exitCode: ExitCode
  readonly report: object
}

/** The JSON keys that tell how a run stands. */
export interface RunReport {
  /** `root` and `model` are null for a run of another program. */
  readonly run: RunSummary & {
    readonly root: string | null
    readonly model: string | null
    /** Of a running one whether somebody drives it, where the store can tell. */
    readonly isDriven?: boolean
  }
  /** The last answer; null before the first. */
  readonly text: string | null
  /** What is wrong with the last answer; null where nothing is. */
  readonly warning: string | null
  /** Tokens of all its model calls. */
  readonly usage: Usage
  /** US dollars of all its model calls; one of a model without a price counts 0. */
  readonly cost: number
  readonly suspended: readonly (SuspendedCall & { readonly answers: AnswerCommands })[]
  /** The transcript, where the run was started with `history`. */
  readonly history?: RunStanding['messages']
  /** What the run was sent and nobody has carried out yet. */
  readonly stored: readonly StoredAnswer[]
}

/** A run record as JSON reports it: `doneReason` is called `reason`. */
export type RunSummary = Omit<RunRecord, 'doneReason'> & { readonly reason?: RunRecord['doneReason'] }

/** Whether somebody drives a run that is running; undefined for any other, and where the store cannot tell. */
export async function isDriven(store: Store, { id, status }: RunRecord, now: number): Promise<boolean | undefined> {
  return status === 'running' ? await store.isDriven?.(id, now) : undefined
}

/** A run record under the names reports use. */
export function summaryOf({ doneReason, ...record }: RunRecord): RunSummary {
  return { ...record, ...(doneReason === undefined ? {} : { reason: doneReason }) }
}

/** Reads how a run stands. */
export async function readReport(session: Session, runId: string): Promise<RunReport> {
  const { store, options } = session
  const home = await session.homeOf(runId)
  const own = { ...options, drive: home !== undefined }
  const record = await store.record(runId)
  const driven = await isDriven(store, record, session.io.clock.now())
  const run = {
    ...summaryOf(record),
    root: home?.root ?? null,
    model: home?.model ?? null,
    ...(driven === undefined ? {} : { isDriven: driven }),
  }
  const suspended = await suspendedCalls(session, runId)
  const { messages, usage, cost, run: details } = await session.standingOf(runId)
  const last = messages.findLast(({ role }) => role === 'assistant')
  return {
    run,
    text: last === undefined ? null : textOf(last),
    warning: warningOf(last),
    usage,
    cost,
    suspended: suspended.map((call) => ({ ...call, answers: answerCommands(runId, call, own) })),
    ...(details.history === true ? { history: messages } : {}),
    stored: run.status === 'done' ? [] : await storedAnswers(store, runId),
  }
}

/**
 * Prints how a run stands once it rests, and gives the exit code that says the same. `tookMs` is how long this command has
 * driven it.
 */
export async function concludeRun(session: Session, runId: string, tookMs?: number): Promise<CommandResult> {
  const report = await readReport(session, runId)
  if (tookMs !== undefined && report.run.status === 'done') session.print(describeEffort(session, report, tookMs))
  session.print(...closingLines(session, report))
  return { exitCode: exitCodeOf(report.run), report }
}

/** What there is to say of a run that rests. */
export function closingLines(session: Session, { run, suspended, stored, warning }: RunReport): readonly string[] {
  const { paint, options } = session
  const open = suspended.filter(({ callId }) => !stored.some((answer) => answer.callId === callId))
  const driver = run.root === null ? programOf(run) : resumeCommand(run.id, options)
  switch (run.status) {
    case 'done':
      return [
        ...(warning === null ? [] : [paint('yellow', `warning: ${warning}`)]),
        describeEnd(run, paint),
        ...(run.reason === 'error' ? [adviceAfterError(run, options)] : []),
      ]
    case 'waiting':
      return [
        ...open.map((call) => describeCall(call, call.answers, session)),
        ...stored.map(describeStored),
        stored.length === 0
          ? `run ${run.id} waits for ${suspended.length === 1 ? 'a decision' : 'decisions'}`
          : `run ${run.id} waits to be driven on: ${driver}`,
      ]
    case 'running':
      return [...stored.map(describeStored), describeRunning(run, driver)]
  }
}

function adviceAfterError(run: RunReport['run'], options: Session['options']): string {
  const isOurs = run.root !== null
  if (isOurs && endedRetryably(run.reason, run.error)) {
    return `To go on from its last checkpoint, under a new id: ${resumeCommand(run.id, options)}`
  }
  return 'It is over and is not driven on. Start again with: statewright run "<prompt>"'
}

/** E.g. `done in 6 s, 2.4k tokens, $0.012`; without the cost where no price is known. */
function describeEffort({ paint }: Session, { run, usage, cost }: RunReport, tookMs: number): string {
  const tokens = usage.totalTokens === 0 ? '' : `, ${describeTokens(usage.totalTokens)}`
  const paid = cost === 0 ? '' : `, ${describeCost(cost)}`
  return paint('dim', `${hasEndedWell(run) ? 'done in' : 'ended after'} ${describeDuration(tookMs)}${tokens}${paid}`)
}

function describeRunning({ id, isDriven: driven }: RunReport['run'], driver: string): string {
  if (driven === undefined) return `run ${id} is running; where its process has ended: ${driver}`
  return driven ? `run ${id} is running` : `run ${id} is stopped: nobody drives it. To drive it on: ${driver}`
}

function warningOf(answer: Message | undefined): string | null {
  if (answer?.role !== 'assistant') return null
  if (answer.stopReason === 'length') return 'the last answer was cut off at its limit of tokens'
  const isEmpty = textOf(answer).trim() === '' && toolCallsOf(answer).length === 0
  return isEmpty && answer.stopReason === 'stop' ? 'the last answer of the model is empty' : null
}

/** Who can drive a run that is not the command line's. */
export function programOf({ agent }: Pick<RunRecord, 'agent'>): string {
  return `by the program of its agent "${oneLine(agent)}"`
}

function describeEnd(run: RunSummary, paint: Session['paint']): string {
  const why = [run.reason ?? 'done', ...(run.code === undefined ? [] : [`(${run.code})`])].join(' ')
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

/** What a run was sent and nobody has carried out yet. */
export interface StoredAnswer {
  /** `cancelRun` ends the run, the others are about one call. */
  readonly action: 'resume' | 'cancel' | 'cancelRun'
  /** Null for the run itself. */
  readonly callId: string | null
  /** Unix milliseconds of receipt. */
  readonly at: number
}

/** The answers that wait in a run's inbox, oldest first. */
export async function storedAnswers(store: Store, runId: string): Promise<readonly StoredAnswer[]> {
  const rows = await store.inbox(runId, 0)
  return rows.flatMap(({ item, at }): readonly StoredAnswer[] => {
    if (item.kind === 'decision') return [{ action: item.decision.action, callId: item.decision.callId, at }]
    if (item.kind === 'cancelCall') return [{ action: 'cancel', callId: item.callId, at }]
    return item.kind === 'cancel' ? [{ action: 'cancelRun', callId: null, at }] : []
  })
}

/** A stored answer for a person. */
function describeStored({ action, callId }: StoredAnswer): string {
  const what =
    action === 'cancelRun' ? 'cancel of the run' : `${action === 'resume' ? 'approval' : 'refusal'} of call ${callId}`
  return `stored, not carried out yet: ${what}`
}
