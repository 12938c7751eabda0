import {
  badOption,
  callback,
  checkedElsewhere,
  checkOptions,
  number,
  type OptionCheck,
  optional,
  type OptionShape,
} from '../domain/option-shape.ts'
import type { Agent } from '../index.ts'
import { type Access, accessOf, type Authorize, isWrite, refuseForeignPage } from './server/access.ts'
import { type AllowedOrigins, checkedOrigins, withOrigin } from './server/cors.ts'
import { errorResponse } from './server/http-error.ts'
import { findRoute } from './server/routes.ts'

export type { Access, Action, Authorize, AuthorizeRequest, RunsFilter } from './server/access.ts'
export type { AllowedOrigins } from './server/cors.ts'

/** How an agent is served; all of it optional. */
export interface HandlersOptions {
  /** Who may do what. Without it every write is refused, and reads are answered on loopback alone. */
  readonly authorize?: Authorize
  /** The path the routes stand under, e.g. `/api`. Default: none. */
  readonly basePath?: string
  /** Pages of other origins that may ask: a list of origins, or `*` for all. Default: none. */
  readonly cors?: AllowedOrigins
  /** Bytes a body may have. Default 5,000,000: a prompt may hold images. */
  readonly maxBodyBytes?: number
  /** Is told of an error that the client is not: nobody awaits it. Default: nobody is told. */
  readonly onError?: (error: unknown, request: Request) => unknown
}

/** One function for all methods, under the names that web frameworks ask for. */
export interface Handlers {
  /** Answers a request; never rejects. */
  fetch(request: Request): Promise<Response>
  GET(request: Request): Promise<Response>
  POST(request: Request): Promise<Response>
  OPTIONS(request: Request): Promise<Response>
}

const mostBodyBytes = 5_000_000

const pathCheck: OptionCheck = (value, option) => {
  if (typeof value === 'string' && /^(?:\/[A-Za-z0-9_.~-]+)*$/.test(value)) return
  throw badOption(option, value, 'Expected a path such as /api, without a slash at its end.')
}

const shape: OptionShape<HandlersOptions> = {
  authorize: optional(callback),
  basePath: optional(pathCheck),
  cors: checkedElsewhere,
  maxBodyBytes: optional(
    number('a whole number of bytes, 1 or more', (value) => Number.isInteger(value) && value >= 1),
  ),
  onError: optional(callback),
}

/**
 * Serves the runs of an agent over HTTP, on web-standard `Request` and `Response`. Errors are answered as
 * `{ code, message }`. A decision that is stored is carried out by this process, unless another one drives the run.
 * Throws a `UsageError` `bad_option` for an option that is refused.
 *
 * @example
 * const handlers = createHandlers(agent, { authorize: (request) => isSignedIn(request), basePath: '/api' })
 * export const { GET, POST } = handlers
 */
export function createHandlers(agent: Agent, options: HandlersOptions = {}): Handlers {
  checkOptions('createHandlers', options, shape)
  const { authorize, basePath = '', maxBodyBytes = mostBodyBytes, onError } = options
  const origins = checkedOrigins(options.cors)

  async function answered(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const { route, runId, callId } = findRoute(request.method, pathIn(url, basePath))
    const isForeign = refuseForeignPage(request, url, origins, isWrite(route.action))
    if (isForeign !== undefined) throw isForeign
    const access: Access | Response = await accessOf(authorize, request, {
      action: route.action,
      ...(runId && { runId }),
    })
    if (access instanceof Response) return access
    return await route.answer({ agent, request, url, access, maxBodyBytes, runId: runId ?? '', callId: callId ?? '' })
  }

  async function fetch(request: Request): Promise<Response> {
    const origin = request.headers.get('origin')
    try {
      if (request.method === 'OPTIONS') return withOrigin(new Response(null, { status: 204 }), origin, origins)
      return withOrigin(await answered(request), origin, origins)
    } catch (error) {
      return withOrigin(
        errorResponse(error, () => void tellError(error, request)),
        origin,
        origins,
      )
    }
  }

  /** What is thrown while it is told changes no answer. */
  async function tellError(error: unknown, request: Request): Promise<void> {
    try {
      await onError?.(error, request)
    } catch {
      // The one who is told of errors fails: nobody is left to tell.
    }
  }

  return { fetch, GET: fetch, POST: fetch, OPTIONS: fetch }
}

function pathIn({ pathname }: URL, basePath: string): string {
  if (basePath === '') return pathname
  return pathname === basePath || pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : ''
}
