import { type Agent, type DecisionReceipt, type Run, StoreError } from '../../../index.ts'
import type { PostReceipt, RunRecord } from '../../../ports.ts'
import { exitCodes, unusable } from '../terminal/cli-error.ts'
import { resumeCommand } from '../setup/command-table.ts'
import { continueRun, endedRetryably } from '../runs/continue-run.ts'
import { driveRun } from '../runs/drive-run.ts'
import { concludeRun, readReport, type CommandResult } from '../runs/run-report.ts'
import { oneLine } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'
import { suspendedCalls } from '../setup/suspended-calls.ts'
import { nameOfUser } from '../setup/user-name.ts'
import { whoGoesOn } from './workers-command.ts'

/** `run <prompt>`: starts a run and drives it. */
export async function runPrompt(session: Session, prompt = ''): Promise<CommandResult> {
  const { agent, run } = await session.start(prompt)
  session.print(`run ${run.id}`)
  return await driveRun(session, agent, run)
}

/**
 * `resume <id>`: drives a run. A run that waits for its model asks it again. A run that ended because its model was
 * unavailable continues under a new id. Any other finished run is only reported.
 */
export async function resumeRun(session: Session, runId: string): Promise<CommandResult> {
  const { status, doneReason, error } = await session.store.record(runId)
  if (status === 'done' && !endedRetryably(doneReason, error)) return await concludeRun(session, runId)
  const agent = await session.agentOf(runId)
  if (status !== 'done') {
    const run = await agent.load(runId)
    if (status === 'waiting') await askModelAgain(session, run)
    return await driveRun(session, agent, run)
  }
  const continued = await continueRun(session, agent, runId)
  if (continued === undefined) return await concludeRun(session, runId)
  const { run, from, isNew } = continued
  session.print(`run ${run.id}`, `It continues from checkpoint ${from} of run ${runId}, which has ended in an error.`)
  return isNew ? await driveRun(session, agent, run) : await resumeRun(session, run.id)
}

/** Approves the holds for the model, because resuming such a run means asking the model again. */
async function askModelAgain(session: Session, run: Run): Promise<void> {
  const holds = (await suspendedCalls(session, run.id)).filter(({ reason }) => reason === 'model_unavailable')
  const by = nameOfUser()
  await run.decide(holds.map(({ suspensionId }) => ({ target: suspensionId, action: 'resume', ...by })))
}

/** `cancel <id>`: cancels a run, regardless of its driver; an already cancelled run is a success. */
export async function cancelRun(session: Session, runId: string): Promise<CommandResult> {
  refuseEnded(await session.store.record(runId))
  const agent = session.options.drive ? await session.agentWithoutModelOf(runId) : session.storingAgent()
  const run = await agent.load(runId)
  const receipt = await run.cancel(session.options.reason)
  const isStale = receipt.answer === 'stale'
  if (isStale) refuseEnded(await session.store.record(runId))
  printReceipt(session, receipt)
  const result = isStale
    ? await concludeRun(session, runId)
    : await driveAfterward(session, agent, run, 'cancel stored')
  const { doneReason } = await session.store.record(runId)
  const exitCode = doneReason === 'cancelled' ? exitCodes.success : result.exitCode
  return { exitCode, report: { ...result.report, receipts: [receipt] } }
}

/** Throws for a run that has ended otherwise than by a cancel. */
function refuseEnded({ id, status, doneReason }: RunRecord): void {
  if (status !== 'done' || doneReason === 'cancelled') return
  throw unusable('run_done', `Run ${id} has ended already (${doneReason}).`)
}

/** Prints the receipt of an item that was sent to a run. */
export function printReceipt(session: Session, { target, answer, message }: DecisionReceipt | PostReceipt): void {
  session.print(`${oneLine(target)}: ${answer}${message === undefined ? '' : ` (${oneLine(message, 500)})`}`)
}

/**
 * Drives a run after something was stored for it. If another process drives the run, that process handles the item and
 * this command is done. `what` describes the item, such as `decision stored`.
 */
export async function driveAfterward(session: Session, agent: Agent, run: Run, what: string): Promise<CommandResult> {
  if (!session.options.drive) return await leaveStored(session, run.id, what)
  try {
    return await driveRun(session, agent, run)
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'run_is_driven') throw error
    return await storedOnly(session, run.id, `${what}; ${oneLine(error.message, 500)}`)
  }
}

async function leaveStored(session: Session, runId: string, what: string): Promise<CommandResult> {
  const isOwn = (await session.homeOf(runId)) !== undefined
  const who = isOwn
    ? `to continue the run: ${resumeCommand(runId, session.options)}`
    : await whoGoesOn(session, await session.store.record(runId))
  return await storedOnly(session, runId, `${what}; ${who}`)
}

/** Reports that an item was stored and that this command drives nothing. */
export async function storedOnly(session: Session, runId: string, line: string): Promise<CommandResult> {
  session.print(line)
  return { exitCode: exitCodes.success, report: await readReport(session, runId) }
}
