import { type DamagedSession, type ListedSession, listSessions as sessionsIn } from '../../../ports.ts'
import { counted, exitCodes } from '../terminal/cli-error.ts'
import { cutToColumns } from '../terminal/columns.ts'
import { describeTime } from '../terminal/describe-amount.ts'
import { wholeNumber } from '../setup/read-number.ts'
import type { CommandResult } from '../runs/run-report.ts'
import { oneLine } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'

/** The default maximum number of listed sessions. */
const mostListed = 100

/** `sessions`: lists the stored conversations; an unreadable one is listed by name and does not affect the others. */
export async function listSessions(session: Session): Promise<CommandResult> {
  const { store, options, print, io } = session
  const { agent, subject } = options
  const limit = wholeNumber('limit', options.limit) ?? mostListed
  const filter = { ...(agent === undefined ? {} : { agent }), ...(subject === undefined ? {} : { subject }) }
  const found = await sessionsIn(store, { ...filter, limit: limit + 1 })
  const listed = found.slice(0, limit)
  const width = io.isTTY ? Math.max(20, io.columns || 80) - 1 : Number.POSITIVE_INFINITY
  const lines = listed.map((each) => cutToColumns(lineOf(each, io.clock.now(), io.isTTY), width))
  const hasMore = found.length > limit
  print(...(lines.length === 0 ? ['no sessions'] : lines))
  if (hasMore) print(`[${limit} sessions: there are more. Name how many: --limit <n>]`)
  return { exitCode: exitCodes.success, report: { sessions: listed.map(reportOf), hasMore } }
}

function lineOf(each: ListedSession | DamagedSession, now: number, isShort: boolean): string {
  if ('damaged' in each) return `${oneLine(each.id)}  damaged  ${oneLine(each.damaged, 500)}`
  const { id, agent, subject, runs, active, lastActivity, createdAt } = each
  const at = lastActivity ?? createdAt
  const when = isShort ? `${describeTime(now - at)} ago` : new Date(at).toISOString()
  const state = active === undefined ? 'at rest' : active.status
  const about = subject === undefined || subject === id ? '' : `  ${oneLine(subject)}`
  return `${id}  ${when}  ${state}  ${counted(runs, 'run')}  ${oneLine(agent, 40)}${about}`
}

function reportOf(each: ListedSession | DamagedSession): object {
  if ('damaged' in each) return { id: each.id, damaged: each.damaged }
  const { id, agent, subject, runs, lastRun, lastActivity, createdAt, active, metadata } = each
  return { id, agent, subject, runs, lastRun, createdAt, lastActivity, active, metadata }
}
