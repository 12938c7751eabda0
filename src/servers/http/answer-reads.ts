import { toResponse } from './server-sent-events.ts'
import { findRun } from './find-run.ts'
import { json, HttpError } from './http-error.ts'
import { isRunStatus } from '../../core/domain/outcome.ts'
import type { Asked } from './asked.ts'

/** Answers with the state of a run. */
export async function show(asked: Asked): Promise<Response> {
  return json(await (await findRun(asked)).result())
}

/** Lists the runs that the requester may see, the newest first. `before` is the cursor of the last run on a page. */
export async function list({ agent, url, access: { filter = {} } }: Asked): Promise<Response> {
  const { searchParams: given } = url
  const status = given.get('status') ?? undefined
  if (status !== undefined && !isRunStatus(status)) {
    throw new HttpError(400, 'bad_status', '?status= is refused. Expected running, waiting or done.')
  }
  const runs = await agent.runs({
    status,
    session: given.get('session') ?? undefined,
    subject: filter.subject ?? given.get('subject') ?? undefined,
    labels: filter.labels,
    before: given.get('before') ?? undefined,
    limit: Math.min(numberIn(url, 'limit') ?? 50, mostListed),
  })
  return json({ runs })
}

/**
 * Lists the runs that the requester may see and that wait for answers, with their suspended calls. Damaged runs are
 * left out.
 */
export async function listSuspended({ agent, url, access: { filter = {} } }: Asked): Promise<Response> {
  const { subject, labels } = filter
  const found = await agent.suspended({
    subject,
    labels,
    before: url.searchParams.get('before') ?? undefined,
    limit: Math.min(numberIn(url, 'limit') ?? 50, mostListed),
  })
  return json({ runs: found.filter((run) => 'calls' in run) })
}

const mostListed = 500

/** Lists the commits of a run from which a fork may begin. */
export async function history(asked: Asked): Promise<Response> {
  return json({ checkpoints: await (await findRun(asked)).history() })
}

/** Streams the events of a run, with pieces of answers if this process drives it. */
export async function follow(asked: Asked): Promise<Response> {
  const { request, url } = asked
  const run = await findRun(asked)
  const after = numberIn(url, 'after') ?? 0
  const is = (name: string) => url.searchParams.get(name) !== '0'
  return toResponse(run, { request, after, deltas: is('deltas'), wait: is('wait'), named: false })
}

function numberIn({ searchParams }: URL, name: string): number | undefined {
  const text = searchParams.get(name)
  if (text === null) return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new HttpError(400, 'bad_number', `?${name}= is refused. Expected a whole number of 0 or more.`)
}
