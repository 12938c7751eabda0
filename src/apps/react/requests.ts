/** Where the routes of `createHandlers` are, and how they are asked. */
export interface ServerOptions {
  /** The origin and base path of the handlers, e.g. `/api`. Default: none. */
  readonly url?: string
  /** Sent with each request, such as a token; asked each time. */
  readonly headers?: () => HeadersInit
  /** Default: that of the page. */
  readonly fetch?: typeof globalThis.fetch
}

/** What the server has answered to a request that it refused. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  /** Of HTTP; 0 where there was no answer. */
  readonly status: number
  /** As the server gives it, e.g. `run_unknown`. */
  readonly code: string

  constructor(status: number, code: string, message: string, cause?: unknown) {
    super(message, { cause })
    this.status = status
    this.code = code
  }
}

/** Asks a route; throws a `RequestError` for an answer that is none. */
export async function ask(server: ServerOptions, path: string, init: RequestInit = {}): Promise<Response> {
  const { url = '', headers = () => ({}), fetch = globalThis.fetch } = server
  const sent = new Headers(headers())
  new Headers(init.headers).forEach((value, name) => sent.set(name, value))
  const response = await fetch(`${url}${path}`, { ...init, headers: sent }).catch((cause: unknown) => {
    throw new RequestError(0, 'unreachable', 'The server could not be reached.', cause)
  })
  if (response.ok) return response
  const { code, message } = await response.json().then(toldIn, () => toldIn({}))
  throw new RequestError(response.status, code, message)
}

/** Sends JSON; gives the JSON that is answered. */
export async function post(server: ServerOptions, path: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  return (await ask(server, path, { method: 'POST', headers, body: JSON.stringify(body) })).json()
}

function toldIn(body: unknown): { readonly code: string; readonly message: string } {
  const { code, message } = (body ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  return {
    code: typeof code === 'string' ? code : 'refused',
    message: typeof message === 'string' ? message : 'The server has refused the request.',
  }
}
