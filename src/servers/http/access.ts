import { isPlainObject } from '../../core/domain/text/json-copy.ts'
import { isRecord } from '../../core/domain/text/json.ts'
import type { StartDetails } from '../../ports.ts'
import { HttpError } from './http-error.ts'

/** The action of a request. */
export type Action = 'start' | 'list' | 'read' | 'follow' | 'decide' | 'cancel' | 'steer' | 'prompt' | 'resume' | 'fork'

/** The action, and its run. */
export interface AuthorizeRequest {
  readonly action: Action
  /** Absent for a start and a list, and if the request is for the conversation, not for one run of it. */
  readonly runId?: string
  /** The conversation, if a client of a chat asks for one. */
  readonly sessionId?: string
}

/** A filter of the visible runs: those with this subject and all of these labels. A new run gets them. */
export interface RunsFilter {
  readonly subject?: string
  readonly labels?: Readonly<Record<string, string>>
}

/** The access of a requester. */
export interface Access {
  /** The runs that this client may see; others are unknown. Default: all. */
  readonly filter?: RunsFilter
  /** The requester's name, stored as `by` with decisions. A name in the request is ignored. */
  readonly by?: string
  /** The details of runs that the requester starts. */
  readonly details?: Pick<StartDetails, 'accessControl' | 'userId' | 'delegatedBy' | 'quota'>
}

/**
 * Decides whether a request may perform its action: `true`, or an `Access` with at least one field, allows it. `false`
 * and undefined deny it, with the status 403. A `Response` is sent unchanged. Any other answer, including `{}` and
 * class instances, is an error of the server: the client gets 500, as for an exception, and nothing is done.
 */
export type Authorize = (
  request: Request,
  asked: AuthorizeRequest,
) => boolean | Access | Response | undefined | Promise<boolean | Access | Response | undefined>

/** Actions that anyone may perform without a credential: reads, for demos. */
export type OpenReads = 'anyone'

const reads: ReadonlySet<Action> = new Set(['list', 'read', 'follow'])

/** Returns true if an action changes anything. */
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

/** The source of the access rules: the application, or none for open reads. */
export interface AccessRules {
  readonly authorize: Authorize | undefined
  readonly reads: OpenReads | undefined
}

/** Returns the access of a request; throws if it has none. No header by itself grants anything. */
export async function accessOf(
  { authorize, reads: open }: AccessRules,
  request: Request,
  asked: AuthorizeRequest,
): Promise<Access> {
  const { action } = asked
  if (authorize === undefined) {
    if (open === 'anyone' && !isWrite(action)) return {}
    const wish = 'Give the handlers an option authorize that decides who may.'
    throw new HttpError(403, 'no_authorize', `Nobody may ${action} here. ${wish}`)
  }
  const answer: unknown = await authorize(request, asked)
  if (answer === true) return {}
  if (answer instanceof Response) throw new SentResponse(answer)
  if (answer === false || answer === undefined || answer === null) {
    throw new HttpError(403, 'not_allowed', `This request may not ${action}.`)
  }
  return checkedAccess(answer)
}

const fieldsOfAccess = ['filter', 'by', 'details'] as const satisfies readonly (keyof Access)[]
const fieldsOfFilter = ['subject', 'labels'] as const satisfies readonly (keyof RunsFilter)[]
const fieldsOfDetails = [
  'accessControl',
  'userId',
  'delegatedBy',
  'quota',
] as const satisfies readonly (keyof NonNullable<Access['details']>)[]

/**
 * Returns an answer of `authorize` that is an `Access`. Throws for another value, such as a user, a Map or a class
 * instance, and for a filter without a value, such as an undefined subject, which would let all runs through.
 */
function checkedAccess(answer: unknown): Access {
  if (!isFieldsOf(answer, fieldsOfAccess)) throw badAccess('is neither true nor an object with filter, by or details')
  const { filter, by, details } = answer
  if ('by' in answer && typeof by !== 'string') throw badAccess('has a name that is not a text')
  if ('details' in answer && !isFieldsOf(details, fieldsOfDetails)) throw badAccess('has details that are not known')
  if ('filter' in answer && !isFilter(filter)) throw badAccess('has a filter that names no runs')
  return answer as Access
}

function isFilter(filter: unknown): boolean {
  if (!isFieldsOf(filter, fieldsOfFilter)) return false
  const { subject, labels = {} } = filter
  if (!isRecord(labels) || !isPlainObject(labels)) return false
  const names = [...('subject' in filter ? [subject] : []), ...Object.values(labels)]
  return names.length > 0 && names.every((name) => typeof name === 'string')
}

/** Returns true for a plain object with at least one of these fields, and no other. */
function isFieldsOf<Field extends string>(
  value: unknown,
  known: readonly Field[],
): value is { readonly [Name in Field]?: unknown } {
  if (!isRecord(value) || !isPlainObject(value)) return false
  const names: readonly string[] = known
  const found = Reflect.ownKeys(value)
  return found.length > 0 && found.every((name) => typeof name === 'string' && names.includes(name))
}

function badAccess(problem: string): HttpError {
  return new HttpError(500, 'bad_access', `The answer of authorize for this request ${problem}. Nothing is done.`)
}
