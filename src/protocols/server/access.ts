import type { StartDetails } from '../../index.ts'
import { type AllowedOrigins, isAllowed } from './cors.ts'
import { HttpError } from './http-error.ts'

/** What a request asks for. */
export type Action = 'start' | 'list' | 'read' | 'follow' | 'decide' | 'cancel' | 'steer' | 'prompt' | 'resume' | 'fork'

/** What is asked, and of which run. */
export interface AuthorizeRequest {
  readonly action: Action
  /** Absent for a start and a list, and where the conversation is asked for, not one run of it. */
  readonly runId?: string
  /** The conversation, where a client of a chat asks for one. */
  readonly sessionId?: string
}

/** Which runs somebody sees: those with this subject and all of these labels. A run that is started gets them. */
export interface RunsFilter {
  readonly subject?: string
  readonly labels?: Readonly<Record<string, string>>
}

/** What somebody may do. */
export interface Access {
  /** The runs there are for them; others are unknown. Default: all. */
  readonly filter?: RunsFilter
  /** Who they are: stands as `by` in the record of what they decide. A name in the request is never taken. */
  readonly by?: string
  /** What a run they start is given beside its prompt. */
  readonly details?: Pick<StartDetails, 'accessControl' | 'userId' | 'delegatedBy' | 'quota'>
}

/**
 * Says whether a request may do what it asks: `true`, or an `Access`. Anything else but a `Response` is a no, answered
 * with the status 403. A `Response` is sent as it is. What it throws is answered with 500, and nothing is done.
 */
export type Authorize = (
  request: Request,
  asked: AuthorizeRequest,
) => boolean | Access | Response | undefined | Promise<boolean | Access | Response | undefined>

const reads: ReadonlySet<Action> = new Set(['list', 'read', 'follow'])

/** Whether an action changes anything. */
export function isWrite(action: Action): boolean {
  return !reads.has(action)
}

/** A response that `authorize` gave, on its way to the client. */
export class SentResponse extends Error {
  override readonly name = 'SentResponse'
  readonly response: Response

  constructor(response: Response) {
    super('authorize has answered the request itself')
    this.response = response
  }
}

/** What the request may do; throws where that is nothing. */
export async function accessOf(
  authorize: Authorize | undefined,
  request: Request,
  asked: AuthorizeRequest,
): Promise<Access> {
  if (authorize === undefined) return withoutAuthorize(request, asked)
  const answer = await authorize(request, asked)
  if (answer === true) return {}
  if (answer instanceof Response) throw new SentResponse(answer)
  if (typeof answer === 'object' && answer !== null) return checkedAccess(answer)
  throw new HttpError(403, 'not_allowed', `This request may not ${asked.action}.`)
}

const known: ReadonlySet<string> = new Set(['filter', 'by', 'details'] satisfies (keyof Access)[])

/**
 * An object that says something else, such as a user, is no `Access`. A filter that names nothing, such as the subject of
 * nobody, would let all runs through: both are errors of the server, and nothing is done.
 */
function checkedAccess(answer: Access): Access {
  const unknown = Object.keys(answer).find((field) => !known.has(field))
  if (Array.isArray(answer) || unknown !== undefined) throw badAccess('has a field that is not known')
  const { filter, by } = answer
  if ('by' in answer && typeof by !== 'string') throw badAccess('has a name that is no text')
  if (!('filter' in answer)) return answer
  if (typeof filter !== 'object' || filter === null) throw badAccess('has a filter that is none')
  const { subject, labels, ...others } = filter
  const names = [...('subject' in filter ? [subject] : []), ...Object.values(labels ?? {})]
  const isNamed = names.length > 0 && names.every((name) => typeof name === 'string')
  if (!isNamed || Object.keys(others).length > 0) throw badAccess('has a filter that names no runs')
  return answer
}

function badAccess(what: string): HttpError {
  return new HttpError(500, 'bad_access', `What authorize says of this request ${what}. Nothing is done.`)
}

function withoutAuthorize(request: Request, { action }: AuthorizeRequest): Access {
  if (isWrite(action)) {
    const wish = 'Give createHandlers an option authorize that says who may.'
    throw new HttpError(403, 'no_authorize', `Nobody may ${action} here. ${wish}`)
  }
  if (isLoopback(new URL(request.url).hostname)) return {}
  const wish = 'Give createHandlers an option authorize that says who may read.'
  throw new HttpError(403, 'no_authorize', `Runs are read on loopback alone. ${wish}`)
}

/**
 * Why a page may not ask: it is of another origin, as its `Origin` says. Without `authorize` a foreign name for this
 * host is refused as well, by the address of the request.
 */
export function refuseForeignPage(
  request: Request,
  url: URL,
  allowed: AllowedOrigins,
  writes: boolean,
): HttpError | undefined {
  const origin = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site')
  const isOwn = origin === null ? site === null || site !== 'cross-site' : origin === url.origin
  if (isOwn || (origin !== null && isAllowed(origin, allowed)) || (!writes && origin === null)) return undefined
  const wish = 'Name its origin in the option cors of createHandlers.'
  return new HttpError(403, 'foreign_origin', `A page of another origin may not ask this server. ${wish}`)
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}
