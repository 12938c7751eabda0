import { createHash, timingSafeEqual } from 'node:crypto'
import { failure } from './respond.ts'

/** The studio's address, and the token of every request under `/api`. */
export interface Guarded {
  readonly port: number
  readonly token: string
}

/**
 * Returns the refusal of a request that names another host, as a page does that has bound its own name to this machine;
 * that comes from a page elsewhere; or that asks for anything but the files of the page without the token.
 */
export function guardRequest(request: Request, url: URL, { port, token }: Guarded): Response | undefined {
  const own = ['127.0.0.1', 'localhost'].map((name) => `http://${name}:${port}`)
  if (!own.includes(url.origin))
    return failure(421, 'foreign_host', `This studio answers to ${own.join(' and ')} only.`)
  const origin = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site') ?? 'same-origin'
  const isOwn = (origin === null || origin === url.origin) && (site === 'same-origin' || site === 'none')
  const isVisit = request.headers.get('sec-fetch-mode') === 'navigate' && url.pathname === '/'
  if (!isOwn && !isVisit) return failure(403, 'foreign_origin', 'A page of another origin may not ask this studio.')
  // The page has no data of the store: it asks for the token.
  if (!url.pathname.startsWith('/api/')) return undefined
  const given = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1]
  const wish = 'Open the address that was printed when the studio started, or enter its token.'
  if (given === undefined) return failure(401, 'token_missing', `This studio shows nothing without its token. ${wish}`)
  if (!isSame(given, token)) return failure(401, 'token_wrong', `This is not the token of this studio. ${wish}`)
  return undefined
}

/** Compares in constant time. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(token))
}
