import { decodedPart } from './decoded-part.ts'

/** The studio's own routes. `createHandlers` answers all other routes of a run. */
export const ownRoutes = [
  'GET /api/studio',
  'GET /api/charts',
  'GET /api/charts/:chart',
  'GET /api/coverage/:chart',
  'GET /api/runs',
  'POST /api/runs',
  'GET /api/suspended',
  'GET /api/store',
  'POST /api/grants/:grant/revoke',
  'POST /api/postponed/:run/retry',
  'GET /api/runs/:run/summary',
  'GET /api/runs/:run/family',
  'GET /api/runs/:run/answers',
  'GET /api/runs/:run/way',
  'GET /api/runs/:run/at/:version',
  'GET /api/runs/:run/tools/:tool',
] as const

/** A route of the studio, with the parts of the path for its names with a colon. */
export interface FoundOwnRoute {
  /** `kit` for a request that the handlers of the run's agent answer; undefined if there is nothing. */
  readonly route: (typeof ownRoutes)[number] | 'kit' | undefined
  readonly parts: readonly string[]
}

/** Returns the route of a request under `/api`. */
export function findOwnRoute(method: string, path: string): FoundOwnRoute {
  const given = path.replace(/\/+$/, '').split('/').map(decodedPart)
  const route = ownRoutes.find((own) => fits(own.split('/'), [`${method} `, ...given.slice(1)]))
  if (route !== undefined) {
    const wanted = route.split('/')
    return { route, parts: given.filter((_, index) => wanted[index]?.startsWith(':') === true) }
  }
  const [, , kind, ...parts] = given
  return kind === 'runs' && parts.length > 0 ? { route: 'kit', parts } : { route: undefined, parts: [] }
}

function fits(wanted: readonly string[], given: readonly string[]): boolean {
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith(':') || part === given[index])
}
