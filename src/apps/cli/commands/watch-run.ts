import { resumeCommand } from '../setup/command-table.ts'
import { exitCodes } from '../terminal/cli-error.ts'
import { concludeRun, type CommandResult, readReport } from '../runs/run-report.ts'
import { createRunView } from '../runs/run-view.ts'
import type { Session } from '../setup/session.ts'
import { nextChange, WatchedRun, type WatchedStanding } from '../runs/watched-run.ts'

/** `watch <id>`: shows a run until it rests, regardless of its driver; claims and changes nothing. */
export async function watchRun(session: Session, runId: string): Promise<CommandResult> {
  const { io, print, options } = session
  const view = createRunView(session)
  const watched = new WatchedRun(session, runId, view)
  let before: WatchedStanding = 'driven'
  try {
    for (;;) {
      const standing = await watched.look()
      if (standing === 'atRest') break
      if (standing === 'alone' && before !== 'alone') {
        view.finish()
        print(`run ${runId} is stopped: nobody drives it. To drive it on: ${resumeCommand(runId, options)}`)
      }
      before = standing
      if (io.signal.aborted) return { exitCode: exitCodes.interrupted, report: await readReport(session, runId) }
      await nextChange(session, runId)
    }
  } finally {
    view.finish()
  }
  return await concludeRun(session, runId)
}
