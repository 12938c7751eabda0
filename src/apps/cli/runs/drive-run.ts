import type { Agent, AgentEvent, Run } from '../../../index.ts'
import { resumeCommand } from '../setup/command-table.ts'
import { exitCodes } from '../terminal/cli-error.ts'
import { askCalls } from './ask-calls.ts'
import { concludeRun, readReport, type CommandResult } from './run-report.ts'
import { createRunView, type RunView } from './run-view.ts'
import { lastEventOf, showEvents, telling } from './shown-events.ts'
import type { Session } from '../setup/session.ts'

/**
 * Drives a run until it waits or is done, and shows it. On a terminal it asks about suspended calls and continues. A
 * question that is answered elsewhere is withdrawn, and the run is shown while another process drives it. Ctrl-C leaves
 * the run stored. `after` is the number of the last event so far; without it, another driver at the start is an error.
 */
export async function driveRun(session: Session, agent: Agent, first: Run, after?: number): Promise<CommandResult> {
  const { io, store, isInteractive } = session
  let last = after
  let tookMs = 0
  const view = createRunView(session)
  for (let run = first; ; run = await agent.load(first.id)) {
    const begun = io.clock.now()
    last = await watch(session, run, view, last)
    tookMs += io.clock.now() - begun
    const { status } = await store.record(run.id)
    if (status === 'running' && io.signal.aborted) return await leave(session, run.id)
    if (status !== 'waiting' || !isInteractive || io.signal.aborted) return await concludeRun(session, run.id, tookMs)
    // A run that was waiting has emitted nothing.
    if (last === 0) last = await lastEventOf(run)
    if (!(await askCalls(session, session.person, run))) return await concludeRun(session, run.id)
  }
}

/**
 * Drives and shows a run; after an event also while another process drives it. Returns the number of the last event that
 * was shown.
 */
async function watch(session: Session, run: Run, view: RunView, after: number | undefined): Promise<number> {
  const { signal } = session.io
  const detach = () => void run.detach()
  let last = after ?? 0
  const show = (event: AgentEvent) => {
    last = event.seq ?? last
    view.show(event)
  }
  const tellNew = telling(session, run.id, view)
  const tell = (event: AgentEvent) => {
    last = event.seq ?? last
    return tellNew(event)
  }
  signal.addEventListener('abort', detach, { once: true })
  try {
    if (signal.aborted) await run.detach()
    else if (after === undefined) for await (const event of run) show(event)
    else await showEvents(run, { after, drive: true, signal }, { show, tell })
    return last
  } finally {
    signal.removeEventListener('abort', detach)
    view.finish()
  }
}

async function leave(session: Session, runId: string): Promise<CommandResult> {
  session.print(`run ${runId} is stored; continue it: ${resumeCommand(runId, session.options)}`)
  return { exitCode: exitCodes.interrupted, report: await readReport(session, runId) }
}
