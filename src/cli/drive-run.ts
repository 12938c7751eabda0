import type { Agent, Decision, Run } from '../index.ts'
import { answerCommands, resumeCommand } from './command-table.ts'
import { askAnswer, type Answer } from './read-answer.ts'
import { exitCodes } from './cli-error.ts'
import { describeCall } from './describe-call.ts'
import { concludeRun, readReport, type CommandResult } from './run-report.ts'
import { createRunView } from './run-view.ts'
import type { Session } from './session.ts'
import { suspendedCalls, type SuspendedCall } from './suspended-calls.ts'

/**
 * Drives a run until it rests, showing it. On a terminal whatever suspends it is asked for and the drive goes
 * on; Ctrl-C leaves the run stored.
 */
export async function driveRun(session: Session, agent: Agent, first: Run): Promise<CommandResult> {
  const { io, store, isInteractive } = session
  let tookMs = 0
  for (let run = first; ; run = await agent.load(first.id)) {
    const begun = io.clock.now()
    await watch(session, run)
    tookMs += io.clock.now() - begun
    const { status } = await store.record(run.id)
    if (status === 'running' && io.signal.aborted) return await leave(session, run.id)
    if (status !== 'waiting' || !isInteractive || io.signal.aborted) return await concludeRun(session, run.id, tookMs)
    const decisions = await ask(session, run.id)
    if (decisions.length === 0) return await concludeRun(session, run.id)
    for (const { answer, message } of await run.decide(decisions)) {
      if (message !== undefined) session.print(`${answer}: ${message}`)
    }
  }
}

async function watch(session: Session, run: Run): Promise<void> {
  const { io } = session
  const view = createRunView(session)
  const detach = () => void run.detach()
  io.signal.addEventListener('abort', detach, { once: true })
  try {
    if (io.signal.aborted) return await run.detach()
    for await (const event of run) view.show(event)
  } finally {
    io.signal.removeEventListener('abort', detach)
    view.finish()
  }
}

/** Asks for each suspended call until the person leaves; gives what was decided. */
async function ask(session: Session, runId: string): Promise<readonly Decision[]> {
  const { io, options, person } = session
  const decisions: Decision[] = []
  for (const call of await suspendedCalls(session, runId)) {
    const answers = answerCommands(runId, call, options)
    const described = (full: boolean) => describeCall(call, answers, { ...session, options: { ...options, full } })
    session.print(described(options.full))
    const answer = await askAnswer(call, person, io, () => described(true))
    if (answer === undefined) {
      session.print('')
      break
    }
    decisions.push(decisionOf(call, answer))
  }
  return decisions
}

function decisionOf({ suspensionId }: SuspendedCall, answer: Answer): Decision {
  switch (answer.kind) {
    case 'approve':
      return { target: suspensionId, action: 'resume' }
    case 'deny':
      return {
        target: suspensionId,
        action: 'cancel',
        ...(answer.reason === undefined ? {} : { reason: answer.reason }),
      }
    case 'respond':
      return { target: suspensionId, action: 'resume', mode: 'use-as-result', result: answer.value }
  }
}

async function leave(session: Session, runId: string): Promise<CommandResult> {
  session.print(`run ${runId} is stored; drive it on: ${resumeCommand(runId, session.options)}`)
  return { exitCode: exitCodes.interrupted, report: await readReport(session, runId) }
}
