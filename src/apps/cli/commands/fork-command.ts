import { misuse, unusable } from '../terminal/cli-error.ts'
import { commandOn } from '../setup/command-table.ts'
import { oneLine } from '../terminal/safe-text.ts'
import { driveAfterward } from './run-commands.ts'
import type { CommandResult } from '../runs/run-report.ts'
import type { Session } from '../setup/session.ts'

/** The maximum number of checkpoints listed for a fork without one. */
const mostNamed = 20

/** `fork <id> --from <checkpoint>`: forks a run at a checkpoint, and drives the fork. */
export async function forkRun(session: Session, runId: string): Promise<CommandResult> {
  const { options, store, print } = session
  const checkpoints = await store.checkpoints(runId)
  const known = checkpoints.slice(-mostNamed).map(({ version, names }) => `  ${version}  ${oneLine(names.join(', '))}`)
  if (options.from === undefined) {
    throw misuse(
      'missing_option',
      `"fork" needs a checkpoint of the run: ${commandOn(['fork', runId], options)} --from <checkpoint>`,
      ...known,
    )
  }
  const from = checkpoints.find(({ version }) => String(version) === options.from)?.version
  if (from === undefined) {
    const message = `Run ${runId} has no checkpoint ${oneLine(JSON.stringify(options.from), 100)}. It has:`
    throw unusable('unknown_checkpoint', message, ...known)
  }
  const agent = options.drive ? await session.agentOf(runId) : session.storingAgent()
  const run = await agent.fork(runId, { from })
  print(
    `run ${run.id}`,
    `It continues from checkpoint ${from} of run ${runId}, which is unchanged: ${commandOn(['show', runId], options)}`,
  )
  return await driveAfterward(session, agent, run, 'fork stored')
}
