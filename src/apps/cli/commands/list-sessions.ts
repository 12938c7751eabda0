import { type DamagedSession, type ListedSession, listSessions as sessionsIn } from '../../../ports.ts'
import type { Store } from '../../../index.ts'
import { counted, exitCodes } from '../terminal/cli-error.ts'
import { cutToColumns } from '../terminal/columns.ts'
import { describeTime } from '../terminal/describe-amount.ts'
import { shortTexts } from '../runs/find-run.ts'
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
  const short = shortTexts(listed.map(({ id }) => id))
  const titled = await Promise.all(listed.map(async (each) => ({ each, title: await titleOf(store, each) })))
  const lines = titled.map(({ each, title }) => {
    const name = (io.isTTY ? short.get(each.id) : undefined) ?? oneLine(each.id)
    return cutToColumns(lineOf(each, { name, title, now: io.clock.now(), isShort: io.isTTY }), width)
  })
  const hasMore = found.length > limit
  print(...(lines.length === 0 ? ['no sessions'] : lines))
  if (hasMore) print(`[${limit} sessions: there are more. Name how many: --limit <n>]`)
  return {
    exitCode: exitCodes.success,
    report: { sessions: titled.map(({ each, title }) => ({ ...reportOf(each), title })), hasMore },
  }
}

/** The prompt of the first run; of the last one if the first is not there. */
async function titleOf(store: Store, each: ListedSession | DamagedSession): Promise<string> {
  if ('damaged' in each || each.lastRun === undefined) return ''
  for (const runId of [each.lastRun.replace(/\.\d+$/, '.1'), each.lastRun]) {
    const record = await store.record(runId).catch(() => undefined)
    if (record?.session === each.id && record.prompt !== undefined) return oneLine(record.prompt)
  }
  return ''
}

interface Line {
  readonly name: string
  readonly title: string
  readonly now: number
  readonly isShort: boolean
}

function lineOf(each: ListedSession | DamagedSession, { name, title, now, isShort }: Line): string {
  if ('damaged' in each) return `${name}  damaged  ${oneLine(each.damaged, 500)}`
  const { id, agent, subject, runs, active, lastActivity, createdAt } = each
  const at = lastActivity ?? createdAt
  const when = isShort ? `${describeTime(now - at)} ago` : new Date(at).toISOString()
  const state = active === undefined ? 'at rest' : active.status
  const about = subject === undefined || subject === id ? title : `${oneLine(subject)}: ${title}`
  return `${name}  ${when}  ${state}  ${counted(runs, 'run')}  ${oneLine(agent, 40)}  ${about}`.trimEnd()
}

function reportOf(each: ListedSession | DamagedSession): object {
  if ('damaged' in each) return { id: each.id, damaged: each.damaged }
  const { id, agent, subject, runs, lastRun, lastActivity, createdAt, active, metadata } = each
  return { id, agent, subject, runs, lastRun, createdAt, lastActivity, active, metadata }
}
