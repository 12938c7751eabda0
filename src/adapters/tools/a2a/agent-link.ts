import { AgentCard } from '@a2a-js/sdk'
import { type Client, ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client'
import { thrownText } from '../../../core/domain/text/thrown-text.ts'
import { systemClock } from '../../../core/ports/system-clock.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import { foreignText } from '../foreign-text.ts'
import { boundedFetch } from '../mcp/bounded-fetch.ts'
import type { RemoteAgentOptions } from './options.ts'

/** A connection to a remote agent. */
export interface AgentLink {
  readonly card: AgentCard
  readonly client: Client
  readonly clock: Clock
}

const maxMessageBytes = 10_000_000

/** Reads the card of an agent. Rejects if the card cannot be read, or names no interface at the agent's own address. */
export async function openLink(address: URL, options: RemoteAgentOptions, closing: AbortSignal): Promise<AgentLink> {
  const { origin, pathname } = address
  const send = boundedFetch(fetch, maxMessageBytes)
  const fetchImpl: typeof fetch = async (target, init) => {
    const at = new URL(target instanceof Request ? target.url : target)
    if (at.origin !== origin) throw new Error(`Requests go to ${origin} alone, and not to ${at.origin}.`)
    const headers = new Headers(init?.headers)
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value)
    const signal = AbortSignal.any([closing, ...(init?.signal ? [init.signal] : [])])
    const response = await send(at, { ...init, headers, signal, redirect: 'manual' })
    if (response.status < 300 || response.status > 399) return response
    throw new Error(`The agent at ${origin} redirects, which is not followed.`)
  }
  const cardResolver = new DefaultAgentCardResolver({ fetchImpl })
  const found = await cardResolver.resolve(address.href).catch((error: unknown) => {
    const why = foreignText(thrownText(error), 300)
    throw new Error(`The agent card at ${origin}${pathname} cannot be read: ${why} Ask the operator of the agent.`)
  })
  const card = AgentCard.fromJSON(found ?? {})
  const supportedInterfaces = card.supportedInterfaces.filter(
    ({ url, protocolBinding, protocolVersion }) =>
      protocolBinding === 'JSONRPC' && protocolVersion === '1.0' && URL.parse(url)?.origin === origin,
  )
  if (supportedInterfaces.length === 0) {
    const wish = 'Expected an interface of A2A 1.0 with the binding JSONRPC, at the address of the card.'
    throw new Error(`The agent card at ${origin}${pathname} names no interface that can be used. ${wish}`)
  }
  const factory = new ClientFactory({ transports: [new JsonRpcTransportFactory({ fetchImpl })], cardResolver })
  const client = await factory.createFromAgentCard({ ...card, supportedInterfaces })
  return { card, client, clock: options.clock ?? systemClock }
}
