import { textCommand } from '../setup/command-table.ts'
import { driveAfterward, storedOnly } from './run-commands.ts'
import { type CommandResult, isDriven } from '../runs/run-report.ts'
import type { Session } from '../setup/session.ts'

/**
 * `compact <id>`: has what the model is sent of a run made smaller before it is asked next. Behind a run that is done a new
 * one is stored, to go on from. A run that is stopped is driven on; one that another process drives is compacted there, and
 * one that waits once it goes on.
 */
export async function compactRun(session: Session, runId: string): Promise<CommandResult> {
  const { options, store } = session
  const record = await store.record(runId)
  const isStopped = record.status === 'running' && (await isDriven(store, record)) !== true
  const agent = options.drive && isStopped ? await session.agentOf(runId) : await session.agentWithoutModelOf(runId)
  const run = await (await agent.load(runId)).compact()
  if (run.id !== runId) {
    session.print(`run ${run.id}`, `It stands behind run ${runId}, which has ended and stays as it is.`)
    return await storedOnly(
      session,
      run.id,
      `its next prompt is made smaller: ${textCommand('prompt', run.id, options)}`,
    )
  }
  if (isStopped) return await driveAfterward(session, agent, run, 'wish stored')
  const whoDoesIt =
    record.status === 'waiting'
      ? 'it is carried out once the run goes on'
      : 'the process that drives the run carries it out'
  return await storedOnly(session, runId, `wish stored; ${whoDoesIt}`)
}
