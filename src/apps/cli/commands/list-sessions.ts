import { type DamagedSession, type ListedSession, listSessions as sessionsIn } from '../../../ports.ts'
import type { Store } from '../../../index.ts'
import { counted, exitCodes } from '../terminal/cli-error.ts'
import { describeTime } from '../terminal/describe-amount.ts'
import { type ListRow, listRows } from '../terminal/list-rows.ts'
import { shortTexts } from '../runs/find-run.ts'
import type { CommandResult } from '../runs/run-report.ts'
import { oneLine } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'

/** The default maximum number of listed sessions. */
const mostListed = 100

/** `sessions`: lists the stored conversations; an unreadable one is listed by name and does not affect the others. */
export async function listSessions(session: Session): Promise<CommandResult> {
  const { store, options, print, io } = session
  const { agent, subject } = options
  const { limit = mostListed } = options
  const filter = { ...(agent === undefined ? {} : { agent }), ...(subject === undefined ? {} : { subject }) }
  const found = await sessionsIn(store, { ...filter, limit: limit + 1 })
  const listed = found.slice(0, limit)
  const titled = await Promise.all(listed.map(async (each) => ({ each, title: await titleOf(store, each) })))
  const lines = io.isTTY ? table(titled, session) : titled.map(plainLine)
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

interface Titled {
  readonly each: ListedSession | DamagedSession
  readonly title: string
}

/** Returns a line with the full id and time, for programs. */
function plainLine({ each, title }: Titled): string {
  if ('damaged' in each) return `${oneLine(each.id)}  damaged  ${oneLine(each.damaged, 500)}`
  const at = new Date(each.lastActivity ?? each.createdAt).toISOString()
  const { id, agent, runs } = each
  return `${oneLine(id)}  ${at}  ${stateOf(each)}  ${counted(runs, 'run')}  ${oneLine(agent, 40)}  ${aboutOf(each, title)}`.trimEnd()
}

function table(titled: readonly Titled[], session: Session): readonly string[] {
  const short = shortTexts(titled.map(({ each }) => each.id))
  const now = session.io.clock.now()
  const rows = titled.map(({ each, title }): ListRow => {
    const id = short.get(each.id) ?? oneLine(each.id)
    if ('damaged' in each) return [id, '', 'damaged', '', oneLine(each.damaged)]
    const age = describeTime(now - (each.lastActivity ?? each.createdAt))
    return [id, age, `${stateOf(each)}, ${counted(each.runs, 'run')}`, oneLine(each.agent, 20), aboutOf(each, title)]
  })
  return listRows(rows, session)
}

function stateOf({ active }: ListedSession): string {
  return active === undefined ? 'at rest' : active.status
}

function aboutOf({ id, subject }: ListedSession, title: string): string {
  return subject === undefined || subject === id ? title : `${oneLine(subject)}: ${title}`
}

function reportOf(each: ListedSession | DamagedSession): object {
  if ('damaged' in each) return { id: each.id, damaged: each.damaged }
  const { id, agent, subject, runs, lastRun, lastActivity, createdAt, active, metadata } = each
  return { id, agent, subject, runs, lastRun, createdAt, lastActivity, active, metadata }
}
