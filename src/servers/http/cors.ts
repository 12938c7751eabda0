import { expecting, listOf } from '../../core/domain/text/option-shape.ts'

/** Origins such as `https://shop.example`, or `*` for all. */
export type AllowedOrigins = '*' | readonly string[]

/** Returns the origins in the form of the `origin` header. Throws a `UsageError` for an invalid one. */
export function checkedOrigins(given: AllowedOrigins | undefined): AllowedOrigins {
  if (given === undefined) return []
  if (given === '*') return given
  checkOrigins(given, { field: 'cors', owner: 'createHandlers' })
  return given
}

const checkOrigins = listOf(expecting('"*" for all origins, or whole ones such as "https://shop.example"', isOrigin))

/**
 * Returns true for an origin as browsers write it, such as `https://shop.example`. A pattern with a star is not an
 * origin.
 */
export function isOrigin(value: unknown): boolean {
  return typeof value === 'string' && !value.includes('*') && URL.parse(value)?.origin === value
}

/** Returns true if pages of an origin may send requests. */
export function isAllowed(origin: string, allowed: AllowedOrigins): boolean {
  return allowed === '*' || allowed.includes(origin)
}

/** Returns the response with the headers that let a page of an allowed origin read it. */
export function withOrigin(response: Response, origin: string | null, allowed: AllowedOrigins): Response {
  if (allowed !== '*' && allowed.length === 0) return response
  const { headers } = response
  headers.append('vary', 'Origin')
  if (origin === null || !isAllowed(origin, allowed)) return response
  headers.set('access-control-allow-origin', origin)
  headers.set('access-control-allow-methods', 'GET, POST')
  headers.set('access-control-allow-headers', 'authorization, content-type, last-event-id')
  headers.set('access-control-max-age', '600')
  return response
}
