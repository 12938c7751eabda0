import { deleteRun, deleteSession as removeSession, findSession, type FoundLease } from '../../../ports.ts'
import { pruneRuns, StoreError } from '../../../index.ts'
import { counted, exitCodes, misuse, unusable } from '../terminal/cli-error.ts'
import { findConversation } from '../runs/find-conversation.ts'
import { findRun } from '../runs/find-run.ts'
import { timeBefore } from '../setup/read-number.ts'
import type { CommandResult } from '../runs/run-report.ts'
import { oneLine } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'

/** `delete <id>`, `delete --session <id>`: deletes a run with its family, or a conversation with all its runs. */
export async function deleteStored(session: Session, given: string | undefined): Promise<CommandResult> {
  const { store, options } = session
  if ((given === undefined) === (options.session === undefined)) {
    const wish = 'Name one: delete <id>, or delete --session <id>'
    throw misuse('bad_option', 'delete takes a run or a conversation.', wish)
  }
  if (options.session !== undefined) return await deleteSession(session, options.session)
  const id = await findRun(store, given)
  if (!(await isMeant(session, `Delete run ${id}, with the runs that work for it?`))) return undone(session)
  const { runs, readers } = await deletedAtLast(session, (found) => deleteRun(store, id, { cancel: true }, found))
  const others = runs.length === 1 ? '' : ` with ${counted(runs.length - 1, 'run')} that worked for it`
  session.print(`deleted run ${id}${others}`, ...keptFor(readers))
  return { exitCode: exitCodes.success, report: { deleted: { runs, readers } } }
}

async function deleteSession(session: Session, given: string): Promise<CommandResult> {
  const { store, options } = session
  // Nobody sees what the beginning of an id stands for.
  const found = await (options.yes ? findSession(store, given) : findConversation(store, given))
  if (found === undefined) {
    const message = `There is no conversation ${oneLine(JSON.stringify(given), 100)}.`
    const wish = options.yes ? ['With --yes the id must be whole.'] : []
    throw unusable('session_unknown', message, ...wish, 'List them with: statewright sessions')
  }
  const { id } = found
  const question = `Delete conversation ${id} with its ${counted(found.runs, 'run')}?`
  if (!(await isMeant(session, question))) return undone(session)
  const { runs, readers } = await deletedAtLast(session, (leases) =>
    removeSession(store, id, { whereRead: 'keep', cancel: true }, leases),
  )
  session.print(`deleted conversation ${id} with ${counted(runs.length, 'run')}`, ...keptFor(readers))
  return { exitCode: exitCodes.success, report: { deleted: { session: id, runs, readers } } }
}

/** `prune --before <time>`: deletes the finished runs that have not changed since that time. */
export async function prune(session: Session): Promise<CommandResult> {
  const { store, options, io } = session
  if (options.before === undefined) {
    throw misuse('missing_option', '"prune" needs a time.', 'For example: statewright prune --before 30d')
  }
  const before = timeBefore(options.before, io.clock.now())
  const since = new Date(before).toISOString()
  if (!(await isMeant(session, `Delete all runs that are done and have not changed since ${since}?`)))
    return undone(session)
  const pruned = await pruneRuns(store, { before })
  session.print(`deleted ${counted(pruned.length, 'run')} that had not changed since ${since}`)
  return { exitCode: exitCodes.success, report: { before, pruned } }
}

/** The default `leaseMs` of an agent, within which a living process renews its lease. */
const leaseMs = 30_000

/** Retries a deletion that a living process's expired lease has blocked, if the process does not renew it. */
async function deletedAtLast<Result>(
  session: Session,
  remove: (found: readonly FoundLease[]) => Promise<Result>,
  found: readonly FoundLease[] = [],
): Promise<Result> {
  try {
    return await remove(found)
  } catch (error) {
    const expired = error instanceof StoreError ? error.expired : undefined
    if (expired === undefined || found.some(({ runId }) => runId === expired.runId)) throw error
    const { clock } = session.io
    session.print(
      `The lease of run ${expired.runId} has expired, but its process is alive. Waiting ${leaseMs / 1000} seconds, in case the process renews the lease.`,
    )
    await clock.sleepUntil(clock.now() + leaseMs, new AbortController().signal)
    return deletedAtLast(session, remove, [...found, expired])
  }
}

/** Asks for a confirmation by one key; without a terminal, `--yes` is required. */
async function isMeant({ options, isInteractive, person }: Session, question: string): Promise<boolean> {
  if (options.yes) return true
  if (!isInteractive)
    throw misuse('not_confirmed', `${question} Nobody can confirm it here.`, 'Confirm it beforehand: --yes')
  return (await person.key(`${question} [y/n] `)) === 'y'
}

function undone({ print }: Session): CommandResult {
  print('Nothing was deleted.')
  return { exitCode: exitCodes.success, report: { deleted: null } }
}

function keptFor(readers: readonly string[]): readonly string[] {
  if (readers.length === 0) return []
  return [`What ${readers.length} other ${readers.length === 1 ? 'run needs' : 'runs need'} is kept.`]
}
