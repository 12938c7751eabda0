import type {
  AuthProvider,
  Client,
  ElicitRequest,
  ElicitResult,
  OAuthClientProvider,
  Transport,
} from '@modelcontextprotocol/client'
import { thrownText } from '../../../core/domain/text/thrown-text.ts'
import type { Fetch } from './bounded-fetch.ts'
import { httpTransport } from './http-transport.ts'
import { loadClient } from './load-client.ts'
import { type McpHttpOptions, type McpOptions, type McpProcessOptions, urlOf } from './mcp-options.ts'
import { processTransports } from './group-transport.ts'
import { serverFetch } from './server-fetch.ts'
import type { ServerSecrets } from './server-secrets.ts'
import { untilAborted } from '../until-aborted.ts'

/** A live connection to a server. */
export interface Link {
  readonly client: Client
  /** Resolves when the connection has ended, on either side. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

/** The callbacks of a connection. */
export interface LinkListener {
  changed(): void
  /** The server asks something while it performs a call, as those of older protocol versions do. */
  asked(request: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult>
}

/** Connects to a server. If that fails, or the signal fires, nothing of the attempt remains. */
export async function openLink(
  options: McpOptions,
  secrets: ServerSecrets,
  listener: LinkListener,
  signal: AbortSignal,
): Promise<Link> {
  const { connectTimeoutMs = 30_000, protocol = 'auto' } = options
  const isModern = protocol === 'auto'
  const attempt = async (transport: Transport, asksForModern: boolean) =>
    await connect(await newClient(listener, asksForModern, connectTimeoutMs), transport, connectTimeoutMs, signal)
  if ('command' in options) return await openProcess(options, isModern, attempt, signal)
  return await openHttp(options, secrets, isModern, attempt)
}

type Attempt = (transport: Transport, asksForModern: boolean) => Promise<Link>

/** A server that exits on an unknown request is started once more without that request. */
async function openProcess(
  options: McpProcessOptions,
  isModern: boolean,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<Link> {
  const startServer = await processTransports(options)
  let said = ''
  const start = () => {
    said = ''
    return startServer((text) => (said = (said + text).slice(-2_000)))
  }
  const started = async (asksForModern: boolean): Promise<Link> => {
    try {
      return await attempt(start(), asksForModern)
    } catch (error) {
      const isNotFound = error instanceof Error && 'code' in error && error.code === 'ENOENT'
      if (!asksForModern || isNotFound || signal.aborted) throw error
      return await started(false)
    }
  }
  try {
    return await started(isModern)
  } catch (error) {
    const last = said.trim().slice(-400)
    throw last === '' ? error : new Error(`${thrownText(error)} It wrote: ${last}`, { cause: error })
  }
}

async function openHttp(
  options: McpHttpOptions,
  secrets: ServerSecrets,
  isModern: boolean,
  attempt: Attempt,
): Promise<Link> {
  const { fetch, close } = serverFetch(options, secrets)
  try {
    const link = await openOver(options, fetch, isModern, attempt)
    return { ...link, close: async () => void (await Promise.all([link.close(), close()])) }
  } catch (error) {
    await close()
    throw error
  }
}

async function openOver(options: McpHttpOptions, fetch: Fetch, isModern: boolean, attempt: Attempt): Promise<Link> {
  const { StreamableHTTPClientTransport, SSEClientTransport, SseError } = await loadClient()
  const { headers = {}, auth, transport } = options
  const url = urlOf(options)
  const given = {
    requestInit: { headers: { ...headers } },
    fetch,
    ...(auth === undefined ? {} : { authProvider: auth as OAuthClientProvider | AuthProvider }),
  }
  const overEvents = async () => {
    const link = await attempt(new SSEClientTransport(url, given), false)
    // The package would connect again, to a session that knows of no handshake.
    Object.assign(link.client, { onerror: (error: Error) => void (error instanceof SseError && link.close()) })
    return link
  }
  if (transport === 'sse') return await overEvents()
  try {
    return await attempt(httpTransport(StreamableHTTPClientTransport, url, given), isModern)
  } catch (error) {
    if (transport === 'http' || !isRefusal(error)) throw error
    return await overEvents().catch(() => Promise.reject(error))
  }
}

/** A server from before 2025 does not take messages at the address of its events. */
function isRefusal(error: unknown): boolean {
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  return status === 400 || status === 404 || status === 405
}

async function newClient(listener: LinkListener, asksForModern: boolean, timeoutMs: number): Promise<Client> {
  const { Client: ClientClass } = await loadClient()
  const client = new ClientClass(
    { name: 'statewright', version: '1' },
    {
      capabilities: { elicitation: { form: {}, url: {} } },
      inputRequired: { autoFulfill: false },
      // Results are read by kind, never by a schema of the server's, whose patterns might not end.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
      versionNegotiation: asksForModern ? { mode: 'auto', probe: { timeoutMs: timeoutMs / 2 } } : { mode: 'legacy' },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => listener.changed() } },
    },
  )
  client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => listener.asked(params, mcpReq.signal))
  return client
}

async function connect(client: Client, transport: Transport, timeoutMs: number, signal: AbortSignal): Promise<Link> {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  // An unreadable message does not end the connection; its receiver has a time limit.
  Object.assign(client, { onclose: resolve, onerror: () => undefined })
  const deadline = AbortSignal.timeout(timeoutMs)
  try {
    const connecting = client.connect(transport, { timeout: timeoutMs / 2 })
    await untilAborted(connecting, AbortSignal.any([signal, deadline]))
  } catch (error) {
    await transport.close()
    throw error
  }
  const close = async () => {
    await leaveSession(transport)
    await client.close()
    await transport.close()
  }
  return { client, ended, close }
}

/** Milliseconds for telling a server that its session is over. */
const farewellMs = 2_000

/** Over HTTP the server keeps a session, which would outlive the connection. */
async function leaveSession(transport: Transport): Promise<void> {
  if (transport.sessionId === undefined || !('terminateSession' in transport)) return
  const { terminateSession } = transport
  if (typeof terminateSession !== 'function') return
  const leaving = Promise.resolve(Reflect.apply(terminateSession, transport, []))
  await untilAborted(leaving, AbortSignal.timeout(farewellMs)).catch(() => undefined)
}
