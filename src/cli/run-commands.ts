import { type Agent, type Run, StoreError } from '../index.ts'
import { CliError, exitCodes } from './cli-error.ts'
import { resumeCommand } from './command-table.ts'
import { driveRun } from './drive-run.ts'
import { concludeRun, programOf, readReport, type CommandResult } from './run-report.ts'
import { runIdOf } from './parse-command.ts'
import { oneLine } from './safe-text.ts'
import type { Session } from './session.ts'

/** `run <prompt>`: starts a run and drives it. */
export async function runPrompt(session: Session, prompt = ''): Promise<CommandResult> {
  const { agent, run } = await session.start(prompt)
  session.print(`run ${run.id}`)
  return await driveRun(session, agent, run)
}

/** `resume <id>`: drives a run on; one that is done is only told of. */
export async function resumeRun(session: Session, given: string | undefined): Promise<CommandResult> {
  const runId = runIdOf(given)
  const { status } = await session.store.record(runId)
  if (status === 'done') return await concludeRun(session, runId)
  const agent = await session.agentOf(runId)
  return await driveRun(session, agent, await agent.load(runId))
}

/** `cancel <id>`: ends a run, whoever drives it; a cancelled run is what was asked for. */
export async function cancelRun(session: Session, given: string | undefined): Promise<CommandResult> {
  const runId = runIdOf(given)
  const before = await session.store.record(runId)
  if (before.status === 'done' && before.doneReason !== 'cancelled') {
    throw new CliError(exitCodes.unusable, 'run_done', `Run ${runId} has ended already (${before.doneReason}).`)
  }
  const agent = session.options.drive ? await session.agentWithoutModelOf(runId) : session.storingAgent()
  const run = await agent.load(runId)
  if (before.status !== 'done') await run.cancel(session.options.reason)
  const result = await driveAfterward(session, agent, run, 'cancel')
  const { doneReason } = await session.store.record(runId)
  return doneReason === 'cancelled' ? { ...result, exitCode: exitCodes.success } : result
}

/**
 * Drives a run on after something was stored for it; where another process drives it, that one will see to it
 * and this command is done.
 */
export async function driveAfterward(session: Session, agent: Agent, run: Run, what: string): Promise<CommandResult> {
  if (!session.options.drive) return await leaveStored(session, run.id, what)
  try {
    return await driveRun(session, agent, run)
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'run_is_driven') throw error
    return await stored(session, run.id, `${what} stored; ${oneLine(error.message, 500)}`)
  }
}

async function leaveStored(session: Session, runId: string, what: string): Promise<CommandResult> {
  const isOwn = (await session.homeOf(runId)) !== undefined
  const driver = isOwn ? resumeCommand(runId, session.options) : programOf(await session.store.record(runId))
  return await stored(session, runId, `${what} stored; the run is driven on: ${driver}`)
}

async function stored(session: Session, runId: string, line: string): Promise<CommandResult> {
  session.print(line)
  return { exitCode: exitCodes.success, report: await readReport(session, runId) }
}
