import type { Store } from '../index.ts'
import { exitCodes } from './cli-error.ts'
import { runIdOf } from './run-id.ts'
import { closingLines, readReport, type CommandResult } from './run-report.ts'
import { oneLine } from './safe-text.ts'
import type { Session } from './session.ts'
import { describeTranscript, transcriptOf } from './transcript.ts'

/** `show <id>`: how a run stands, the states it passed, its transcript, and what is suspended. */
export async function showRun(session: Session, given: string | undefined): Promise<CommandResult> {
  const { store, paint, print } = session
  const runId = runIdOf(given)
  const report = await readReport(session, runId)
  const checkpoints = await store.checkpoints(runId)
  const transcript = await transcriptOf(store, runId)
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

function describeCheckpoint({ version, names, at }: Awaited<ReturnType<Store['checkpoints']>>[number]): string {
  return `  ${String(version).padStart(4)}  ${timeOf(at)}  ${names.join(', ')}`
}

function timeOf(at: number): string {
  return new Date(at).toISOString()
}
