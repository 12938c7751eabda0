import { follow } from '../../../index.ts'
import { resumeCommand } from '../setup/command-table.ts'
import { exitCodes } from '../terminal/cli-error.ts'
import { nextChange } from '../runs/next-change.ts'
import { concludeRun, isDriven, readReport, type CommandResult } from '../runs/run-report.ts'
import { createRunView, type RunView } from '../runs/run-view.ts'
import { telling } from '../runs/shown-events.ts'
import type { Session } from '../setup/session.ts'

/** `watch <id>`: shows a run until it rests, regardless of its driver; claims and changes nothing. */
export async function watchRun(session: Session, runId: string): Promise<CommandResult> {
  const { io, store } = session
  const view = createRunView(session)
  const over = new AbortController()
  const warning = warnWhenStopped(session, runId, view, over.signal)
  try {
    const tell = telling(session, runId, view)
    for await (const event of follow({ store, runId, clock: io.clock }, { signal: io.signal })) await tell(event)
  } finally {
    over.abort()
    await warning
    view.finish()
  }
  if (io.signal.aborted) return { exitCode: exitCodes.interrupted, report: await readReport(session, runId) }
  return await concludeRun(session, runId)
}

/** Prints a warning each time the run loses its driver. */
async function warnWhenStopped(session: Session, runId: string, view: RunView, over: AbortSignal): Promise<void> {
  const { store, print, options } = session
  for (let wasDriven = true; !over.aborted; await nextChange(session, runId, over)) {
    const isStopped = (await isDriven(store, await store.record(runId))) === false
    if (isStopped && wasDriven && !over.aborted) {
      view.finish()
      print(`run ${runId} is stopped: nobody drives it. To continue it: ${resumeCommand(runId, options)}`)
    }
    wasDriven = !isStopped
  }
}
