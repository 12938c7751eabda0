import type { DamagedRun, RunRecord } from '../../../ports.ts'
import type { Store } from '../../../index.ts'
import { exitCodes } from '../terminal/cli-error.ts'
import { describeTime } from '../terminal/describe-amount.ts'
import { type ListRow, listRows } from '../terminal/list-rows.ts'
import { allRuns, isMember, type Named, shortIds } from '../runs/find-run.ts'
import { type CommandResult, isDecided, isDriven, storedAnswers, summaryOf } from '../runs/run-report.ts'
import { statuses } from '../setup/options.ts'
import { parentIn } from '../runs/run-parent.ts'
import { oneLine } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'

/** The default maximum number of listed runs. */
const mostListed = 100

/** `runs`: lists the newest stored runs; an unreadable run is listed by name and does not affect the others. */
export async function listRuns(session: Session): Promise<CommandResult> {
  const { store, options, print, io } = session
  const { agent, subject, status, limit = mostListed } = options
  const all = await allRuns(store)
  const wanted = { ...(agent === undefined ? {} : { agent }), ...(subject === undefined ? {} : { subject }) }
  const isNarrowed = agent !== undefined || subject !== undefined
  const asked = isNarrowed ? await store.list({ ...wanted, limit: Number.MAX_SAFE_INTEGER }) : all
  const found = asked.filter(
    (run) => 'damaged' in run || ((status === undefined || run.status === status) && !isMember(run)),
  )
  const runs = found.slice(0, limit)
  const listed = await Promise.all(runs.map((run) => lookAt(store, run)))
  const note = `[${runs.length} of ${found.length} runs: these are the newest. Narrow them with --status ${statuses.join('|')}.]`
  const isCut = found.length > runs.length
  const lines = io.isTTY ? table(listed, all, session) : listed.map(plainLine)
  print(...(runs.length === 0 ? ['no runs'] : lines), ...(isCut ? [note] : []))
  return { exitCode: exitCodes.success, report: { runs: listed.map(reportOf), hasMore: isCut, total: found.length } }
}

/** A run with the data for its line in the list. */
interface ListedRun {
  readonly run: RunRecord | DamagedRun
  /** For a running run, true if a process drives it; undefined if that is unknown or irrelevant. */
  readonly isDriven: boolean | undefined
  /** True if a stored item lets the run continue and nobody has carried it out yet. */
  readonly isAnswered: boolean
  readonly prompt: string
  /** The run whose conversation it continues. */
  readonly parentRunId: string | undefined
}

async function lookAt(store: Store, run: RunRecord | DamagedRun): Promise<ListedRun> {
  if ('damaged' in run) return { run, isDriven: undefined, isAnswered: false, prompt: '', parentRunId: undefined }
  const [driven, answers, input] = await Promise.all([
    isDriven(store, run),
    run.status === 'done' ? [] : storedAnswers(store, run.id),
    store.input(run.id).catch(() => undefined),
  ])
  const { parentRunId } = parentIn(input) ?? {}
  return { run, isDriven: driven, isAnswered: isDecided(answers), prompt: oneLine(run.prompt ?? ''), parentRunId }
}

function reportOf({ run, isDriven: driven, prompt, parentRunId }: ListedRun): object {
  if ('damaged' in run) return run
  return {
    ...summaryOf(run),
    ...(parentRunId === undefined ? {} : { parentRunId }),
    ...(driven === undefined ? {} : { isDriven: driven }),
    prompt,
  }
}

/** Returns the prompt, preceded by the run that it continues, unless that is the run before in the same session. */
function describePrompt({ run, prompt, parentRunId }: ListedRun, nameOf: (runId: string) => string): string {
  const [, session = '', number = ''] = ('damaged' in run ? null : /^(.+\.)(\d+)$/.exec(run.id)) ?? []
  const isNext = parentRunId === `${session}${Number(number) - 1}`
  return parentRunId === undefined || isNext ? prompt : `(after ${nameOf(parentRunId)}) ${prompt}`.trimEnd()
}

/** Returns the state of a run; `stopped` is a run with stored status `running` and without a driver. */
function stateOf({ run, isDriven: driven, isAnswered }: ListedRun, isShort: boolean): string {
  if ('damaged' in run) return 'damaged'
  if (run.status === 'done') {
    return isShort && run.doneReason === 'natural_end' ? 'done' : `done (${run.doneReason ?? '?'})`
  }
  const state = run.status === 'running' && driven === false ? 'stopped' : run.status
  return isAnswered ? `${state}, answered` : state
}

/** Returns a line with full ids and times, for programs. */
function plainLine(listed: ListedRun): string {
  const { run } = listed
  if ('damaged' in run) return `${oneLine(run.id)}  damaged  ${oneLine(run.damaged, 500)}`
  const state = stateOf(listed, false).padEnd(20)
  const prompt = describePrompt(listed, (runId) => oneLine(runId))
  return `${oneLine(run.id)}  ${state}  ${new Date(run.updatedAt).toISOString()}  ${oneLine(run.agent)}  ${prompt}`.trimEnd()
}

function table(listed: readonly ListedRun[], all: readonly Named[], session: Session): readonly string[] {
  const short = shortIds(all)
  const nameOf = (runId: string) => short.get(runId) ?? oneLine(runId)
  const now = session.io.clock.now()
  const rows = listed.map((each): ListRow => {
    const { run } = each
    const id = nameOf(run.id)
    if ('damaged' in run) return [id, '', 'damaged', '', oneLine(run.damaged)]
    return [
      id,
      describeTime(now - run.createdAt),
      stateOf(each, true),
      oneLine(run.agent, 20),
      describePrompt(each, nameOf),
    ]
  })
  return listRows(rows, session)
}
