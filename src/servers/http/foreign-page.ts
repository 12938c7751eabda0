import { type AllowedOrigins, isAllowed } from './cors.ts'
import { HttpError } from './http-error.ts'

/**
 * The pages that may send requests to a server, as far as browsers name them. This admits no request by itself:
 * `authorize` does.
 */
export interface KnownPages {
  readonly cors: AllowedOrigins
  /** The origin of the server as its pages see it; undefined if the host of each request says it. */
  readonly origin: string | undefined
  /** True if a proxy of the application sets the forwarded headers of every request. */
  readonly trustProxy: boolean
}

/**
 * Returns the refusal of a request from a page of another origin, or undefined for any other request. A browser that
 * reports the same origin is trusted, because no page can write that header. Otherwise the hosts are compared, not the
 * schemes: behind a proxy that terminates TLS the server sees `http:` while the page sees `https:`.
 */
export function refuseForeignPage(
  request: Request,
  url: URL,
  pages: KnownPages,
  isWrite: boolean,
): HttpError | undefined {
  const page = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site')
  if (page === null)
    return isWrite && isElsewhere(site) ? refusal('another origin', ownOrigin(request, url, pages)) : undefined
  const own = ownOrigin(request, url, pages)
  if (isAllowed(page, pages.cors) || isOwn(page, site, own, pages)) return undefined
  return refusal(page.slice(0, 200), own)
}

function isElsewhere(site: string | null): boolean {
  return site !== null && site !== 'same-origin' && site !== 'none'
}

function isOwn(page: string, site: string | null, own: string, { origin }: KnownPages): boolean {
  if (origin !== undefined) return page === origin
  return site === null ? isSameHost(page, own) : !isElsewhere(site)
}

/** Returns the server's origin by its option, or by the host in the request. */
function ownOrigin({ headers }: Request, url: URL, { origin, trustProxy }: KnownPages): string {
  if (origin !== undefined) return origin
  const host = headers.get('host') ?? url.host
  if (!trustProxy) return originOf(url.protocol.replace(/:$/, ''), host) ?? url.origin
  const first = (name: string) => headers.get(name)?.split(',')[0]?.trim() || undefined
  const scheme = first('x-forwarded-proto') ?? url.protocol.replace(/:$/, '')
  return originOf(scheme, first('x-forwarded-host') ?? host) ?? url.origin
}

function originOf(scheme: string, host: string): string | undefined {
  return URL.parse(`${scheme}://${host}`)?.origin
}

/** Returns true for two origins of one host and port; a missing port is that of the page's scheme. */
function isSameHost(page: string, own: string): boolean {
  const at = URL.parse(page)
  if (at === null || at.origin !== page) return false
  const host = own.replace(/^[a-z]+:\/\//, '')
  return URL.parse(`${at.protocol}//${host}`)?.host === at.host
}

function refusal(page: string, own: string): HttpError {
  const wish =
    'Behind a proxy, give the handlers an option origin with the address that a browser shows, or trustProxy. To allow pages of another origin, name it in the option cors.'
  return new HttpError(403, 'foreign_origin', `A page of ${page} may not call this server, which is ${own}. ${wish}`)
}
