import { badOption } from '../../core/domain/text/option-shape.ts'

/** Origins such as `https://shop.example`, or `*` for all. */
export type AllowedOrigins = '*' | readonly string[]

/** The origins as a page tells its own; throws a `UsageError` for what is none. */
export function checkedOrigins(given: AllowedOrigins | undefined): AllowedOrigins {
  if (given === undefined) return []
  if (given === '*') return given
  const wrong: unknown = Array.isArray(given) ? given.find((origin) => !isOrigin(origin)) : given
  if (Array.isArray(given) && wrong === undefined) return given
  const wish = 'Expected "*" for all origins, or whole origins such as "https://shop.example".'
  throw badOption({ field: 'cors', owner: 'createHandlers' }, wrong, wish)
}

/** Returns true for a whole origin as browsers write it, such as `https://shop.example`. A pattern such as `https://*.example` is no origin. */
export function isOrigin(value: unknown): boolean {
  return typeof value === 'string' && !value.includes('*') && URL.parse(value)?.origin === value
}

/** Whether pages of an origin may ask. */
export function isAllowed(origin: string, allowed: AllowedOrigins): boolean {
  return allowed === '*' || allowed.includes(origin)
}

/** The response with what lets a page of an allowed origin read it. */
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
