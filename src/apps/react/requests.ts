import { checkedResponse } from '../../core/domain/request-error.ts'

/** The server that has the routes of `createHandlers`. */
export interface ServerOptions {
  /** The origin and base path of the handlers, e.g. `/api`. Default: none. */
  readonly url?: string
  /** Returns the headers of a request, such as a token; called for each request. */
  readonly headers?: () => HeadersInit
  /** Default: the page's `fetch`. */
  readonly fetch?: typeof globalThis.fetch
}

/** Sends a request; throws a `RequestError` unless it succeeds. */
export function ask(server: ServerOptions, path: string, init: RequestInit = {}): Promise<Response> {
  const { url = '', headers = () => ({}), fetch = globalThis.fetch } = server
  const sent = new Headers(headers())
  new Headers(init.headers).forEach((value, name) => sent.set(name, value))
  return checkedResponse(fetch(`${url}${path}`, { ...init, headers: sent }))
}

/** Sends JSON; returns the JSON of the response. */
export async function post(server: ServerOptions, path: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  return (await ask(server, path, { method: 'POST', headers, body: JSON.stringify(body) })).json()
}
