import * as is from '../../core/domain/text/option-shape.ts'
import { isText } from '../../core/domain/text/shape.ts'
import { UsageError } from '../../core/domain/text/usage-error.ts'
import type { Agent } from '../../index.ts'
import {
  type Access,
  accessOf,
  type Authorize,
  type AuthorizeRequest,
  isWrite,
  type OpenReads,
  SentResponse,
} from './access.ts'
import { type AllowedOrigins, checkedOrigins, isOrigin, withOrigin } from './cors.ts'
import { refuseForeignPage } from './foreign-page.ts'
import { errorResponse } from './http-error.ts'

/** Options for serving an agent; all are optional. */
export interface HandlersOptions {
  /** Grants access. Without it every request is rejected. */
  readonly authorize?: Authorize
  /** Allows everybody to read, for demos, if there is no `authorize`; writes stay refused. Default: nobody may read. */
  readonly reads?: OpenReads
  /** The path prefix of the routes, e.g. `/api`. Default: none. */
  readonly basePath?: string
  /** Pages of other origins that may ask: a list of origins, or `*` for all. Default: none. */
  readonly cors?: AllowedOrigins
  /**
   * The server's own origin as a browser shows it, such as `https://shop.example`: requests of pages of any other origin
   * are refused, unless `cors` names it. Default: each request's host says it.
   */
  readonly origin?: string
  /**
   * True if a proxy of yours sets `X-Forwarded-Host` and `X-Forwarded-Proto` of every request. They say what the
   * server's own origin is, and grant nothing. Default false: they are not read.
   */
  readonly trustProxy?: boolean
  /**
   * False for a server in front of workers: runs, decisions and messages are only stored, and this process drives nothing.
   * Default true.
   */
  readonly drive?: boolean
  /** Bytes a body may have. Default 5,000,000: a prompt may hold images. */
  readonly maxBodyBytes?: number
  /** Receives errors that the client does not see. It is not awaited. Default: errors are dropped. */
  readonly onError?: (error: unknown, request: Request) => unknown
}

/** One function for all methods, under the names that web frameworks require. */
export interface Handlers {
  /** Answers a request; never rejects. */
  fetch(request: Request): Promise<Response>
  GET(request: Request): Promise<Response>
  POST(request: Request): Promise<Response>
  OPTIONS(request: Request): Promise<Response>
}

/** A request under the base path, with the facts for its answer. */
export interface Exchange {
  readonly agent: Agent
  readonly request: Request
  readonly url: URL
  /** The path after the base path; empty for the base path itself. */
  readonly path: string
  readonly maxBodyBytes: number
  readonly drives: boolean
  /** Returns the access of the request; throws if it is not allowed. */
  allow(asked: AuthorizeRequest): Promise<Access>
}

const mostBodyBytes = 5_000_000

const pathCheck = is.expecting(
  'a path such as /api, without a slash at its end',
  (value) => isText(value) && /^(?:\/[A-Za-z0-9_.~-]+)*$/.test(value),
)

/** The checks of the options that all handlers have. */
export const handlersShape: is.OptionShape<HandlersOptions> = {
  authorize: is.optional(is.callback),
  reads: is.optional(is.oneOf('anyone' satisfies OpenReads)),
  basePath: is.optional(pathCheck),
  cors: is.checkedElsewhere,
  origin: is.optional(is.expecting('an origin such as https://shop.example', isOrigin)),
  trustProxy: is.optional(is.flag),
  drive: is.optional(is.flag),
  maxBodyBytes: is.optional(
    is.number('a whole number of bytes, 1 or more', (value) => Number.isInteger(value) && value >= 1),
  ),
  onError: is.optional(is.callback),
}

/**
 * Creates handlers from a function that answers requests. The handlers check access, and convert exceptions to
 * responses.
 */
export function serve<Options extends HandlersOptions>(
  agent: Agent,
  {
    owner,
    options,
    shape,
  }: { readonly owner: string; readonly options: Options; readonly shape: is.OptionShape<Options> },
  answer: (exchange: Exchange) => Promise<Response>,
): Handlers {
  is.checkOptions(owner, options, shape)
  const { authorize, reads, basePath = '', drive = true, maxBodyBytes = mostBodyBytes, onError } = options
  const { origin: own, trustProxy = false } = options
  if (authorize !== undefined && reads !== undefined) throw doubleRule(owner)
  const origins = checkedOrigins(options.cors)
  const pages = { cors: origins, origin: own, trustProxy }

  async function answered(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const allow = async (asked: AuthorizeRequest) => {
      const foreign = refuseForeignPage(request, url, pages, isWrite(asked.action))
      if (foreign !== undefined) throw foreign
      return accessOf({ authorize, reads }, request, asked)
    }
    const path = pathIn(url, basePath).replace(/\/$/, '')
    return answer({ agent, request, url, path, maxBodyBytes, drives: drive, allow })
  }

  async function fetch(request: Request): Promise<Response> {
    const origin = request.headers.get('origin')
    try {
      if (request.method === 'OPTIONS') return withOrigin(new Response(null, { status: 204 }), origin, origins)
      return withOrigin(await answered(request), origin, origins)
    } catch (error) {
      const response = error instanceof SentResponse ? error.response : undefined
      const sent = response ?? errorResponse(error, () => void tellError(error, request))
      return withOrigin(sent, origin, origins)
    }
  }

  /** An error while an error is reported does not change the response. */
  async function tellError(error: unknown, request: Request): Promise<void> {
    try {
      await onError?.(error, request)
    } catch {
      // The error listener itself has failed; there is no other one.
    }
  }

  return { fetch, GET: fetch, POST: fetch, OPTIONS: fetch }
}

function doubleRule(owner: string): UsageError {
  const wish = 'Leave reads out, and let authorize answer true to the actions list, read and follow.'
  return new UsageError('bad_option', `Options authorize and reads of ${owner} both decide who may read. ${wish}`)
}

/** A path outside the base path has no route. */
function pathIn({ pathname }: URL, basePath: string): string {
  if (basePath === '') return pathname
  return pathname === basePath || pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : '/?'
}
