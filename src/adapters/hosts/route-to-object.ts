import { UsageError } from '../../core/domain/text/usage-error.ts'

/** The binding of a class of Durable Objects. */
export interface ObjectNamespace {
  getByName(name: string): { fetch(request: Request): Promise<Response> }
}

/**
 * Sends a request to the object that its path begins with. The object answers the rest of the path: `POST
 * /order-17/runs` is `POST /runs` of the object `order-17`. A name has 1 to 128 of the characters A-Z, a-z, 0-9, `_`,
 * `-` and `.`.
 *
 * @example
 * export default { fetch: (request, env) => routeToObject(request, env.RUNS) }
 */
export async function routeToObject(request: Request, namespace: ObjectNamespace): Promise<Response> {
  if (!(request instanceof Request)) throw new UsageError('bad_option', 'routeToObject expects a Request.')
  const url = new URL(request.url)
  const [, name = '', ...path] = url.pathname.split('/')
  if (!/^[A-Za-z0-9_.-]{1,128}$/.test(name)) return noObject()
  url.pathname = `/${path.join('/')}`
  return namespace.getByName(name).fetch(new Request(url, request))
}

function noObject(): Response {
  const message = 'The path does not begin with the name of an object, such as /order-17/runs.'
  return Response.json({ code: 'no_route', message }, { status: 404 })
}
