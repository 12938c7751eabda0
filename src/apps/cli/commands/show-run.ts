import type { CallDecision, CheckpointInfo } from '../../../ports.ts'
import type { CallPreview } from '../../../testing/index.ts'
import { exitCodes } from '../terminal/cli-error.ts'
import { allRuns, shortIds } from '../runs/find-run.ts'
import { closingLines, type CommandResult, readReport, type RunReport } from '../runs/run-report.ts'
import { oneLine } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'
import { describeTranscript } from '../runs/transcript.ts'

/** `show <id>`: the state of a run, its checkpoints, its transcript, and its suspended calls. */
export async function showRun(session: Session, runId: string): Promise<CommandResult> {
  const { store, paint, print } = session
  const report = await readReport(session, runId)
  const checkpoints = await store.checkpoints(runId)
  const { messages, decisions } = await session.standingOf(runId)
  const previews = report.run.status === 'waiting' ? await session.previewsOf(runId) : []
  const { status, isDriven, agent, root, model, createdAt, updatedAt } = report.run
  print(
    `run ${paint('bold', runId)} ${isDriven === false ? 'stopped' : status}, agent ${oneLine(agent)}`,
    ...(root === null ? [] : [`folder ${oneLine(root, 1_000)}, model ${oneLine(model ?? '')}`]),
    ...(await describeOrigin(session, report)),
    `started ${timeOf(createdAt)}, changed ${timeOf(updatedAt)}`,
    '',
    paint('bold', 'checkpoints'),
    ...checkpoints.map(describeCheckpoint),
    '',
    ...describeTranscript(messages, session),
    '',
    ...(decisions.length === 0 ? [] : [paint('bold', 'decisions'), ...decisions.map(describeDecision), '']),
    ...(previews.length === 0 ? [] : [paint('bold', 'each answer leads to'), ...previews.flatMap(describePreview), '']),
    ...closingLines(session, report),
  )
  const passed = checkpoints.map(({ version, names, at }) => ({ version, names, at }))
  return {
    exitCode: exitCodes.success,
    report: { ...report, checkpoints: passed, decisions, previews, transcript: messages },
  }
}

/** Returns the line about the run that this run continues; for a fork, that is its original. */
async function describeOrigin({ store }: Session, { run }: RunReport): Promise<readonly string[]> {
  const { forkedFrom, parentRunId } = run
  if (forkedFrom !== undefined) {
    return [`continues from checkpoint ${forkedFrom.version} of run ${oneLine(forkedFrom.runId)}`]
  }
  if (parentRunId === undefined) return []
  const short = shortIds(await allRuns(store))
  return [`goes on from run ${short.get(parentRunId) ?? oneLine(parentRunId)}`]
}

function describeCheckpoint({ version, names, at }: CheckpointInfo): string {
  return `  ${String(version).padStart(4)}  ${timeOf(at)}  ${names.join(', ')}`
}

function describeDecision({ at, callId, action, by, reason }: CallDecision): string {
  const who = by === undefined ? '' : ` by ${oneLine(by, 200)}`
  return `  ${timeOf(at)}  ${action} ${oneLine(callId)}${who}${reason === undefined ? '' : `: ${oneLine(reason, 500)}`}`
}

function describePreview({ callId, toolName, answers }: CallPreview): readonly string[] {
  const lines = answers.map(({ action, text }) => `    ${action.padEnd(7)}  ${oneLine(text, 1_000)}`)
  return [`  ${oneLine(toolName)} (${oneLine(callId)})`, ...lines]
}

function timeOf(at: number): string {
  return new Date(at).toISOString()
}
