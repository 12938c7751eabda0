import type { CheckpointInfo, DamagedRun, RunRecord, RunStatus, Store } from '../index.ts'
import { exitCodes, misuse } from './cli-error.ts'
import { runIdOf } from './parse-command.ts'
import { closingLines, type CommandResult, readReport, storedAnswers, summaryOf } from './run-report.ts'
import { oneLine } from './safe-text.ts'
import type { Session } from './session.ts'
import { describeTranscript } from './transcript.ts'

/** `show <id>`: how a run stands, the states it passed, its transcript, and what is suspended. */
export async function showRun(session: Session, given: string | undefined): Promise<CommandResult> {
  const { store, paint, print } = session
  const runId = runIdOf(given)
  const report = await readReport(session, runId)
  const checkpoints = await store.checkpoints(runId)
  const transcript = await session.messagesOf(runId)
  const { status, agent, root, model, createdAt, updatedAt } = report.run
  print(
    `run ${paint('bold', runId)} ${status}, agent ${oneLine(agent)}`,
    ...(root === null ? [] : [`folder ${oneLine(root, 1_000)}, model ${oneLine(model ?? '')}`]),
    `started ${timeOf(createdAt)}, changed ${timeOf(updatedAt)}`,
    '',
    paint('bold', 'states passed'),
    ...checkpoints.map(describeCheckpoint),
    '',
    ...describeTranscript(transcript, paint, session.options.full),
    '',
    ...closingLines(session, report),
  )
  const passed = checkpoints.map(({ version, names, at }) => ({ version, names, at }))
  return { exitCode: exitCodes.success, report: { ...report, checkpoints: passed, transcript } }
}

function describeCheckpoint({ version, names, at }: CheckpointInfo): string {
  return `  ${String(version).padStart(4)}  ${timeOf(at)}  ${names.join(', ')}`
}

function timeOf(at: number): string {
  return new Date(at).toISOString()
}

/** Runs listed at once. */
const mostListed = 100

/** `runs`: the newest stored runs; one that cannot be read is named and hides no other. */
export async function listRuns({ store, options, print }: Session): Promise<CommandResult> {
  const status = statusOf(options.status)
  const found = await store.list({ limit: mostListed + 1, ...(status === undefined ? {} : { status }) })
  const runs = found.slice(0, mostListed)
  const isCut = found.length > runs.length
  const lines = await Promise.all(runs.map(async (run) => describe(run, await isAnswered(store, run))))
  const note = `[There are more: these are the ${mostListed} newest. Narrow them with --status ${statuses.join('|')}.]`
  print(...(runs.length === 0 ? ['no runs'] : lines), ...(isCut ? [note] : []))
  const summaries = runs.map((run) => ('damaged' in run ? run : summaryOf(run)))
  return { exitCode: exitCodes.success, report: { runs: summaries, hasMore: isCut } }
}

const statuses: readonly RunStatus[] = ['running', 'waiting', 'done']

function statusOf(given: string | undefined): RunStatus | undefined {
  const status = statuses.find((each) => each === given)
  if (given === undefined || status !== undefined) return status
  throw misuse('bad_status', `Unknown status ${JSON.stringify(given)}.`, `Known: ${statuses.join(', ')}.`)
}

type ListedRun = RunRecord | DamagedRun

/** True where a run was sent something that nobody has carried out yet. */
async function isAnswered(store: Store, run: ListedRun): Promise<boolean> {
  if ('damaged' in run || run.status === 'done') return false
  return (await storedAnswers(store, run.id)).length > 0
}

function describe(run: ListedRun, isToBeDriven: boolean): string {
  if ('damaged' in run) return `${oneLine(run.id)}  damaged  ${oneLine(run.damaged, 500)}`
  const why =
    run.status === 'done' ? `done (${run.doneReason ?? '?'})` : `${run.status}${isToBeDriven ? ', answered' : ''}`
  return `${oneLine(run.id)}  ${why.padEnd(20)}  ${new Date(run.updatedAt).toISOString()}`
}
