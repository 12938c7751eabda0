import { GuardedClient, namesPrivateAddress } from '../guarded-fetch.ts'
import { boundedFetch, type Fetch } from './bounded-fetch.ts'
import { type McpHttpOptions, urlOf } from './mcp-options.ts'

/** How requests of one connection are sent. */
export interface ServerFetch {
  readonly fetch: Fetch
  /** Ends the connections to elsewhere. */
  close(): Promise<void>
}

/**
 * Requests to the server itself go where the options say. Those to other origins, which a server names for signing in,
 * go to public addresses only, unless the options themselves name a private one, and without the headers of the options.
 */
export function serverFetch(options: McpHttpOptions): ServerFetch {
  const { headers = {}, maxMessageBytes = 10_000_000, connectTimeoutMs: timeoutMs = 30_000 } = options
  const url = urlOf(options)
  const own = boundedFetch(options.fetch ?? fetch, maxMessageBytes)
  const client = new GuardedClient({ timeoutMs })
  return {
    fetch: async (target, init = {}) => {
      const at = new URL(target)
      if (at.origin === url.origin) return await own(at, init)
      const request = { ...init, headers: withoutHeaders(init.headers, headers) }
      if (await namesPrivateAddress(url)) return await boundedFetch(fetch, maxElsewhere)(at, request)
      return await guarded(client, at, request)
    },
    close: async () => await client.close(),
  }
}

/** Bytes of an answer in signing in. */
const maxElsewhere = 1_000_000

async function guarded(
  client: GuardedClient,
  target: URL,
  { method = 'GET', headers, body, signal }: Omit<RequestInit, 'headers'> & { readonly headers: Headers },
): Promise<Response> {
  if (body instanceof URLSearchParams && !headers.has('content-type')) {
    headers.set('content-type', 'application/x-www-form-urlencoded')
  }
  const text = typeof body === 'string' || body instanceof URLSearchParams ? String(body) : undefined
  const response = await client.request(target, {
    method,
    headers: Object.fromEntries(headers),
    ...(text === undefined ? {} : { body: text }),
    ...(signal ? { signal } : {}),
    maxBytes: maxElsewhere,
  })
  if (response.isCut) throw new Error(`${target.origin} sent more than ${maxElsewhere} bytes.`)
  const { status, bytes } = response
  return new Response(bytes.byteLength === 0 ? null : Uint8Array.from(bytes), { status, headers: response.headers })
}

/** Headers that are for the server are for nobody else. */
function withoutHeaders(given: RequestInit['headers'], own: Readonly<Record<string, string>>): Headers {
  const headers = new Headers(given)
  for (const [name, value] of Object.entries(own)) if (headers.get(name) === value) headers.delete(name)
  return headers
}
