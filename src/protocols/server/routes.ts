import type { Action } from './access.ts'
import {
  type Answer,
  cancelCall,
  cancelRun,
  decide,
  fork,
  resume,
  start,
  steer,
  followUp,
  prompt,
} from './answer-writes.ts'
import { follow, history, list, listSuspended, show } from './answer-reads.ts'
import { followSuspended } from './follow-suspended.ts'
import { HttpError } from './http-error.ts'

/** One thing the server does. */
export interface Route {
  readonly method: 'GET' | 'POST'
  /** The path; `:run` and `:call` stand for ids. */
  readonly path: string
  readonly action: Action
  readonly answer: Answer
}

/** Every route. */
const routes: readonly Route[] = [
  { method: 'POST', path: '/runs', action: 'start', answer: start },
  { method: 'GET', path: '/runs', action: 'list', answer: list },
  { method: 'GET', path: '/suspended', action: 'list', answer: listSuspended },
  { method: 'GET', path: '/suspended/events', action: 'list', answer: followSuspended },
  { method: 'GET', path: '/runs/:run', action: 'read', answer: show },
  { method: 'GET', path: '/runs/:run/events', action: 'follow', answer: follow },
  { method: 'GET', path: '/runs/:run/history', action: 'read', answer: history },
  { method: 'POST', path: '/runs/:run/decisions', action: 'decide', answer: decide },
  { method: 'POST', path: '/runs/:run/cancel', action: 'cancel', answer: cancelRun },
  { method: 'POST', path: '/runs/:run/calls/:call/cancel', action: 'cancel', answer: cancelCall },
  { method: 'POST', path: '/runs/:run/steer', action: 'steer', answer: steer },
  { method: 'POST', path: '/runs/:run/follow-up', action: 'steer', answer: followUp },
  { method: 'POST', path: '/runs/:run/prompt', action: 'prompt', answer: prompt },
  { method: 'POST', path: '/runs/:run/resume', action: 'resume', answer: resume },
  { method: 'POST', path: '/runs/:run/fork', action: 'fork', answer: fork },
]

/** What a request means. */
export interface FoundRoute {
  readonly route: Route
  readonly runId?: string
  readonly callId?: string
}

/** The route of a method and a path; throws where there is none. */
export function findRoute(method: string, path: string): FoundRoute {
  const given = path.split('/')
  const ofPath = routes.filter((route) => fits(route.path.split('/'), given))
  const route = ofPath.find((one) => one.method === method)
  if (route !== undefined) return { route, ...idsIn(route.path.split('/'), given) }
  if (ofPath.length === 0) throw new HttpError(404, 'no_route', 'There is nothing at this path.')
  const allow = ofPath.map((one) => one.method).join(', ')
  throw new HttpError(405, 'bad_method', `This path takes ${allow}.`, { allow })
}

function fits(wanted: readonly string[], given: readonly string[]): boolean {
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith(':') || part === given[index])
}

function idsIn(wanted: readonly string[], given: readonly string[]): Pick<FoundRoute, 'runId' | 'callId'> {
  const run = wanted.indexOf(':run')
  const call = wanted.indexOf(':call')
  return {
    ...(run < 0 ? {} : { runId: checkedRunId(decoded(given[run] ?? '')) }),
    ...(call < 0 ? {} : { callId: decoded(given[call] ?? '') }),
  }
}

/** An id that no run can have names none; nothing is looked for. */
function checkedRunId(id: string): string {
  if (/^[A-Za-z0-9_.-]{1,128}$/.test(id)) return id
  throw new HttpError(404, 'run_unknown', 'No run can have this id.')
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new HttpError(404, 'no_route', 'There is nothing at this path.')
  }
}
