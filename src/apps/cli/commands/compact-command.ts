import { commandOn } from '../setup/command-table.ts'
import { driveAfterward, storedOnly } from './run-commands.ts'
import { type CommandResult, isDriven } from '../runs/run-report.ts'
import type { Session } from '../setup/session.ts'

/**
 * `compact <id>`: requests a smaller prompt for a run's next model call. For a finished run, stores a new run to
 * continue from. Drives a stopped run. If another process drives the run, that process compacts it; a waiting run is
 * compacted when it continues.
 */
export async function compactRun(session: Session, runId: string): Promise<CommandResult> {
  const { options, store } = session
  const record = await store.record(runId)
  const isStopped = record.status === 'running' && (await isDriven(store, record)) !== true
  const agent = options.drive && isStopped ? await session.agentOf(runId) : await session.agentWithoutModelOf(runId)
  const run = await (await agent.load(runId)).compact()
  if (run.id !== runId) {
    session.print(`run ${run.id}`, `It continues run ${runId}, which has ended and is unchanged.`)
    return await storedOnly(
      session,
      run.id,
      `the conversation is shortened before its next prompt: ${commandOn(['prompt', run.id], options)} "<text>"`,
    )
  }
  if (isStopped) return await driveAfterward(session, agent, run, 'request stored')
  const whoDoesIt =
    record.status === 'waiting' ? 'it is done when the run continues' : 'the process that drives the run does it'
  return await storedOnly(session, runId, `request stored; ${whoDoesIt}`)
}
