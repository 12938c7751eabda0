import { checkedResponse } from '../../core/domain/request-error.ts'

/** Where the routes of `createHandlers` are, and how they are asked. */
export interface ServerOptions {
  /** The origin and base path of the handlers, e.g. `/api`. Default: none. */
  readonly url?: string
  /** Sent with each request, such as a token; asked each time. */
  readonly headers?: () => HeadersInit
  /** Default: that of the page. */
  readonly fetch?: typeof globalThis.fetch
}

/** Asks a route; throws a `RequestError` unless it succeeds. */
export function ask(server: ServerOptions, path: string, init: RequestInit = {}): Promise<Response> {
  const { url = '', headers = () => ({}), fetch = globalThis.fetch } = server
  const sent = new Headers(headers())
  new Headers(init.headers).forEach((value, name) => sent.set(name, value))
  return checkedResponse(fetch(`${url}${path}`, { ...init, headers: sent }))
}

/** Sends JSON; gives the JSON that is answered. */
export async function post(server: ServerOptions, path: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  return (await ask(server, path, { method: 'POST', headers, body: JSON.stringify(body) })).json()
}
