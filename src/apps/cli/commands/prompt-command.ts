import { unusable } from '../terminal/cli-error.ts'
import { commandOn, resumeCommand } from '../setup/command-table.ts'
import { driveRun } from '../runs/drive-run.ts'
import { foreignRun } from '../setup/places.ts'
import { type CommandResult, describeAwaited, isDecided, readReport, type RunReport } from '../runs/run-report.ts'
import type { Session } from '../setup/session.ts'

/** `prompt <id> <prompt>`: continues the conversation of a finished run in a new run, and drives the new run. */
export async function promptRun(session: Session, originalId: string, prompt = ''): Promise<CommandResult> {
  await refuseUnlessDone(session, originalId)
  const { agent, run } = await session.goOn(originalId, prompt)
  session.print(`run ${run.id}`, `It goes on from run ${originalId}.`)
  return await driveRun(session, agent, run)
}

/** Reports problems with the run before a model is looked up. */
async function refuseUnlessDone(session: Session, runId: string): Promise<void> {
  const record = await session.store.record(runId)
  if (record.status === 'done') return
  const report = await readReport(session, runId)
  if (report.run.root === null) throw foreignRun(record)
  const code = record.status === 'running' ? 'run_busy' : 'run_waiting'
  const message = `Run ${runId} ${describeStanding(report)}, and only a run that is done can be continued by a prompt.`
  throw unusable(code, message, ...hintsFor(report, session.options))
}

function describeStanding({ run, suspended }: RunReport): string {
  if (run.status === 'waiting') return `waits for ${describeAwaited(suspended)}`
  return run.isDriven === false ? 'is stopped' : 'is running'
}

/** Returns the hints to continue the run, to send it a message, and to cancel it. */
function hintsFor(report: RunReport, options: Session['options']): readonly string[] {
  const { id } = report.run
  return [
    ...wayOn(report, options),
    `Send it for the next turn: ${commandOn(['steer', id], options)} "<text>"`,
    `Send it for when the run would end: ${commandOn(['follow-up', id], options)} "<text>"`,
    `End it: ${commandOn(['cancel', id], options)}`,
  ]
}

function wayOn({ run, suspended, stored }: RunReport, options: Session['options']): readonly string[] {
  const driveOn = `Continue it: ${resumeCommand(run.id, options)}`
  if (run.status === 'running') return run.isDriven === true ? [] : [driveOn]
  const waitsForModel = suspended.every(({ reason }) => reason === 'model_unavailable')
  if (waitsForModel || isDecided(stored)) return [driveOn]
  return [`See what it waits for, and what answers it: ${commandOn(['show', run.id], options)}`]
}
