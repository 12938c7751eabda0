import { HttpError } from './http-error.ts'

/** A method and a path of a server; `:run`, `:call` and `:session` stand for ids. */
export interface RoutePath {
  readonly method: 'GET' | 'POST'
  readonly path: string
}

/** The ids in the path of a request; empty if the route has none. */
export interface RouteIds {
  readonly run: string
  readonly call: string
  readonly session: string
}

/** Returns the route of a method and a path, with the ids of the path; throws if there is none. */
export function findRoute<Route extends RoutePath>(
  routes: readonly Route[],
  method: string,
  path: string,
): { readonly route: Route; readonly ids: RouteIds } {
  const given = path.split('/')
  const ofPath = routes.filter((route) => fits(route.path.split('/'), given))
  const route = ofPath.find((one) => one.method === method)
  if (route !== undefined) return { route, ids: idsIn(route.path.split('/'), given) }
  if (ofPath.length === 0) throw noRoute()
  const allow = ofPath.map((one) => one.method).join(', ')
  throw new HttpError(405, 'bad_method', `This path accepts ${allow}.`, { allow })
}

function fits(wanted: readonly string[], given: readonly string[]): boolean {
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith(':') || part === given[index])
}

function idsIn(wanted: readonly string[], given: readonly string[]): RouteIds {
  const idAt = (name: string) => {
    const index = wanted.indexOf(name)
    return index < 0 ? undefined : decoded(given[index] ?? '')
  }
  const [run, call, session] = [idAt(':run'), idAt(':call'), idAt(':session')]
  // An id that no run or conversation can have names none; nothing is looked for.
  if (run !== undefined && !/^[A-Za-z0-9_.-]{1,128}$/.test(run)) {
    throw new HttpError(404, 'run_unknown', 'No run can have this id.')
  }
  if (session !== undefined && !/^[A-Za-z0-9_-]{1,64}$/.test(session)) throw noRoute()
  return { run: run ?? '', call: call ?? '', session: session ?? '' }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw noRoute()
  }
}

function noRoute(): HttpError {
  return new HttpError(404, 'no_route', 'There is nothing at this path.')
}
