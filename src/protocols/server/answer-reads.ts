import { toResponse } from '../server-sent-events.ts'
import { findRun } from './find-run.ts'
import { json, HttpError } from './http-error.ts'
import type { Asked } from './asked.ts'

/** How a run stands. */
export async function show(asked: Asked): Promise<Response> {
  return json(await (await findRun(asked)).result())
}

/** The commits of a run that a fork may begin from. */
export async function history(asked: Asked): Promise<Response> {
  return json({ checkpoints: await (await findRun(asked)).history() })
}

/** The events of a run, with pieces of answers under way where this process drives it. */
export async function follow(asked: Asked): Promise<Response> {
  const { request, url } = asked
  const run = await findRun(asked)
  const after = numberIn(url, 'after') ?? 0
  return toResponse(run, { request, after, deltas: url.searchParams.get('deltas') !== '0', named: false })
}

function numberIn({ searchParams }: URL, name: string): number | undefined {
  const text = searchParams.get(name)
  if (text === null) return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new HttpError(400, 'bad_event_number', `?${name}= is refused. Expected the number of an event.`)
}
