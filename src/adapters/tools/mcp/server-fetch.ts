import { GuardedClient, namesPrivateAddress } from '../guarded-fetch.ts'
import { boundedFetch, type Fetch } from './bounded-fetch.ts'
import { type McpHttpOptions, urlOf } from './mcp-options.ts'
import { mendedFetch } from './mended-fetch.ts'
import type { ServerSecrets } from './server-secrets.ts'

interface ServerFetch {
  readonly fetch: Fetch
  close(): Promise<void>
}

/**
 * Returns a server's fetch. Other origins receive none of its headers, and must be public unless the server is private.
 */
export function serverFetch(options: McpHttpOptions, secrets: ServerSecrets): ServerFetch {
  const { headers = {}, maxMessageBytes = 10_000_000, connectTimeoutMs: timeoutMs = 30_000 } = options
  const url = urlOf(options)
  const own = mendedFetch(boundedFetch(options.fetch ?? fetch, maxMessageBytes))
  const client = new GuardedClient({ timeoutMs })
  return {
    fetch: async (target, init = {}) => {
      const at = new URL(target)
      secrets.noteRequest(new Headers(init.headers), init.body)
      if (at.origin === url.origin) return await withinOrigin(own, at, init)
      const request = { ...init, headers: withoutHeaders(init.headers, headers) }
      if (await namesPrivateAddress(url)) return await boundedFetch(fetch, maxElsewhere)(at, request)
      return await guarded(client, at, request)
    },
    close: async () => await client.close(),
  }
}

const mostRedirects = 5

/** Follows redirects within the origin only, because no other origin may receive the headers and the call. */
async function withinOrigin(own: Fetch, target: URL, init: RequestInit): Promise<Response> {
  let at = target
  for (let hops = 0; hops <= mostRedirects; hops++) {
    const response = await own(at, { ...init, redirect: 'manual' })
    const location = response.headers.get('location')
    // A redirect that would change the method is the caller's to judge.
    const isSame = [307, 308].includes(response.status) || (init.method ?? 'GET') === 'GET'
    if (response.status < 300 || response.status > 399 || location === null || !isSame) return response
    await response.body?.cancel()
    const next = URL.parse(location, at)
    if (next?.origin !== at.origin) {
      const place = next === null ? 'somewhere that is not an address' : next.origin
      throw new Error(
        `The server sends its clients on to ${place}, another origin. Give that address, if you trust it.`,
      )
    }
    at = next
  }
  throw new Error(`The server redirected more than ${mostRedirects} times.`)
}

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

function withoutHeaders(given: RequestInit['headers'], own: Readonly<Record<string, string>>): Headers {
  const headers = new Headers(given)
  for (const [name, value] of Object.entries(own)) if (headers.get(name) === value) headers.delete(name)
  return headers
}
