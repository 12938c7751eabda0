import type { Agent, AgentEvent, Decision, Run } from '../../../index.ts'
import { answerCommands, resumeCommand } from '../setup/command-table.ts'
import { askAnswer, type Answer } from './read-answer.ts'
import { exitCodes } from '../terminal/cli-error.ts'
import { describeCall, placeOf } from './describe-call.ts'
import { askWhileOpen, withdrawing } from './open-question.ts'
import { concludeRun, readReport, type CommandResult } from './run-report.ts'
import { createRunView } from './run-view.ts'
import { lastEventOf, showEvents, telling } from './shown-events.ts'
import type { Session } from '../setup/session.ts'
import { suspendedCalls, type SuspendedCall } from '../setup/suspended-calls.ts'
import { nameOfUser } from '../setup/user-name.ts'

/**
 * Drives a run until it rests and shows it. On a terminal it asks for answers to suspended calls and continues. A
 * question that is answered elsewhere is withdrawn, and the run is shown while another process drives it. Ctrl-C leaves
 * the run stored. `after` is the number of the last event so far; without it, another driver at the start is an error.
 */
export async function driveRun(session: Session, agent: Agent, first: Run, after?: number): Promise<CommandResult> {
  const { io, store, isInteractive } = session
  let last = after
  let tookMs = 0
  for (let run = first; ; run = await agent.load(first.id)) {
    const begun = io.clock.now()
    last = await watch(session, run, last)
    tookMs += io.clock.now() - begun
    const { status } = await store.record(run.id)
    if (status === 'running' && io.signal.aborted) return await leave(session, run.id)
    if (status !== 'waiting' || !isInteractive || io.signal.aborted) return await concludeRun(session, run.id, tookMs)
    // A run that was waiting has emitted nothing.
    if (last === 0) last = await lastEventOf(run)
    const { decisions, hasOthers } = await ask(session, run.id)
    if (decisions.length === 0 && !hasOthers) return await concludeRun(session, run.id)
    for (const { answer, message } of decisions.length === 0 ? [] : await run.decide(decisions)) {
      if (message !== undefined) session.print(`${answer}: ${message}`)
    }
  }
}

/**
 * Drives and shows a run; after an event also while another process drives it. Returns the number of the last event that
 * was shown.
 */
async function watch(session: Session, run: Run, after: number | undefined): Promise<number> {
  const { signal } = session.io
  const view = createRunView(session)
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

/** The answers to the suspended calls; `hasOthers` if somebody answered one of them elsewhere. */
interface Asked {
  readonly decisions: readonly Decision[]
  readonly hasOthers: boolean
}

/** Asks about each suspended call until the person leaves. */
async function ask(session: Session, runId: string): Promise<Asked> {
  const { io, options, person } = session
  const decisions: Decision[] = []
  let hasOthers = false
  const calls = await suspendedCalls(session, runId)
  for (const [index, call] of calls.entries()) {
    const answers = answerCommands(runId, call, options)
    const place = placeOf(index, calls)
    const described = (full: boolean) =>
      describeCall(call, answers, { ...session, options: { ...options, full }, ...place })
    const given = await askWhileOpen(session, runId, call, (withdrawn) => {
      session.print(described(options.full))
      return askAnswer(call, withdrawing(person, withdrawn), io, () => described(true))
    })
    if ('elsewhere' in given) {
      session.print(given.elsewhere)
      hasOthers = true
    } else if (given.answer === undefined) {
      session.print('')
      break
    } else decisions.push(decisionOf(call, given.answer))
  }
  return { decisions, hasOthers }
}

function decisionOf({ suspensionId }: SuspendedCall, answer: Answer): Decision {
  const head = { target: suspensionId, ...nameOfUser() }
  switch (answer.kind) {
    case 'approve':
      return { ...head, action: 'resume' }
    case 'deny':
      return { ...head, action: 'cancel', ...(answer.reason === undefined ? {} : { reason: answer.reason }) }
    case 'respond':
      return { ...head, action: 'resume', mode: 'use-as-result', result: answer.value }
  }
}

async function leave(session: Session, runId: string): Promise<CommandResult> {
  session.print(`run ${runId} is stored; drive it on: ${resumeCommand(runId, session.options)}`)
  return { exitCode: exitCodes.interrupted, report: await readReport(session, runId) }
}
