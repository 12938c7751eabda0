import { type Agent, type Decision, type Run, StoreError } from '../../../index.ts'
import { answerCommands, resumeCommand } from '../setup/command-table.ts'
import { askAnswer, type Answer } from './read-answer.ts'
import { exitCodes } from '../terminal/cli-error.ts'
import { describeCall } from './describe-call.ts'
import { askWhileOpen, withdrawing } from './open-question.ts'
import { concludeRun, readReport, type CommandResult } from './run-report.ts'
import { createRunView } from './run-view.ts'
import type { Session } from '../setup/session.ts'
import { suspendedCalls, type SuspendedCall } from '../setup/suspended-calls.ts'
import { nameOfUser } from '../setup/user-name.ts'
import { nextChange, WatchedRun } from './watched-run.ts'

/**
 * Drives a run until it rests and shows it. On a terminal it asks for answers to suspended calls and continues. A
 * question that is answered elsewhere is withdrawn, and the run is shown while another process drives it. Ctrl-C leaves
 * the run stored. `before` has the places of the existing messages; without it, another driver at the start is an
 * error.
 */
export async function driveRun(
  session: Session,
  agent: Agent,
  first: Run,
  before?: readonly number[],
): Promise<CommandResult> {
  const { io, store, isInteractive } = session
  const shown = new Set(before)
  let isShared = before !== undefined
  let tookMs = 0
  for (let run = first; ; run = await agent.load(first.id)) {
    const begun = io.clock.now()
    await (isShared ? watchShared(session, run, shown) : watch(session, run, shown))
    tookMs += io.clock.now() - begun
    const { status } = await store.record(run.id)
    if (status === 'running' && io.signal.aborted) return await leave(session, run.id)
    if (status === 'running' && isShared) continue
    if (status !== 'waiting' || !isInteractive || io.signal.aborted) return await concludeRun(session, run.id, tookMs)
    for (const place of await placesOf(session, run.id)) shown.add(place)
    const { decisions, hasOthers } = await ask(session, run.id)
    if (decisions.length === 0 && !hasOthers) return await concludeRun(session, run.id)
    isShared ||= hasOthers
    for (const { answer, message } of decisions.length === 0 ? [] : await run.decide(decisions)) {
      if (message !== undefined) session.print(`${answer}: ${message}`)
    }
  }
}

/** Returns the places of a run's messages so far. */
export async function placesOf({ standingOf }: Pick<Session, 'standingOf'>, runId: string): Promise<readonly number[]> {
  return (await standingOf(runId)).messages.map(({ place }) => place)
}

async function watch(session: Session, run: Run, shown: Set<number>): Promise<void> {
  const { io } = session
  const view = createRunView(session)
  const detach = () => void run.detach()
  io.signal.addEventListener('abort', detach, { once: true })
  try {
    if (io.signal.aborted) return await run.detach()
    for await (const event of run) {
      if (event.type === 'message.ended') shown.add(event.place)
      view.show(event)
    }
  } finally {
    io.signal.removeEventListener('abort', detach)
    view.finish()
  }
}

/** The number of looks at another process's run per attempt to drive it here. */
const looksPerTry = 4

/** Shows the stored state of a run until the run rests; drives the run as soon as no other process does. */
async function watchShared(session: Session, run: Run, shown: Set<number>): Promise<void> {
  const view = createRunView(session)
  const watched = new WatchedRun(session, run.id, view, shown)
  try {
    for (let looks = 0; !session.io.signal.aborted; looks++) {
      if ((await watched.look()) === 'atRest') return
      if (looks % looksPerTry === 0 && (await mayDrive(session, run, shown))) return
      await nextChange(session, run.id)
    }
  } finally {
    view.finish()
  }
}

async function mayDrive(session: Session, run: Run, shown: Set<number>): Promise<boolean> {
  try {
    await watch(session, run, shown)
    return true
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'run_is_driven') throw error
    return false
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
  for (const call of await suspendedCalls(session, runId)) {
    const answers = answerCommands(runId, call, options)
    const described = (full: boolean) => describeCall(call, answers, { ...session, options: { ...options, full } })
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
