import { once } from 'node:events'
import { createServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { UsageError } from '../../../core/domain/text/usage-error.ts'
import {
  checkedElsewhere,
  checkOptions,
  filledText,
  listOf,
  number,
  optional,
  type OptionShape,
} from '../../../core/domain/text/option-shape.ts'

/** The part of the module `@restatedev/restate-sdk` that creates an endpoint. */
export interface EndpointSdk<Definition> {
  createEndpointHandler(options: {
    services: Definition[]
    identityKeys?: string[]
  }): (request: Http2ServerRequest, response: Http2ServerResponse) => void
}

/** The definitions to serve to Restate's server, and the callers that are allowed. */
export interface ServeObjectsOptions<Definition> {
  /** The definition that `restateObject` returned, and others. */
  readonly services: readonly Definition[]
  /**
   * The public keys of the server, such as `publickeyv1_2G8d…`. A request that was not signed with one of them, or whose
   * signature has expired, is refused. Required for a host that is no loopback address.
   */
  readonly identityKeys?: readonly string[]
  /** Default 9080; 0 for any free port. */
  readonly port?: number
  /** Default `127.0.0.1`. */
  readonly host?: string
}

/** A running endpoint. */
export interface ServedObjects extends AsyncDisposable {
  /** The address to register at the server, e.g. `http://127.0.0.1:9080`. */
  readonly url: string
}

const shape: OptionShape<ServeObjectsOptions<unknown>> = {
  services: checkedElsewhere,
  identityKeys: optional(listOf(filledText)),
  port: optional(number('a port from 0 to 65535', (port) => Number.isInteger(port) && port >= 0 && port <= 65_535)),
  host: optional(filledText),
}

/**
 * Serves objects to Restate's server, by default on loopback. Throws a `UsageError` for invalid options, and for
 * another host without `identityKeys`; rejects if the port is taken.
 *
 * @example
 * await serveObjects(restate, { services: [runs], identityKeys: ['publickeyv1_2G8d…'] })
 */
export async function serveObjects<Definition>(
  sdk: EndpointSdk<Definition>,
  options: ServeObjectsOptions<Definition>,
): Promise<ServedObjects> {
  checkOptions('serveObjects', options, shape)
  const { services, identityKeys = [], port = 9080, host = '127.0.0.1' } = options
  if (identityKeys.length === 0 && !/^(127\.[\d.]+|::1|localhost)$/.test(host)) {
    const wish = 'Give identityKeys, the public keys that the server prints at its start, or leave out host.'
    throw new UsageError('bad_option', `serveObjects would let everybody call the objects on ${host}. ${wish}`)
  }
  const given = { services: [...services], ...(identityKeys.length === 0 ? {} : { identityKeys: [...identityKeys] }) }
  const server = createServer(sdk.createEndpointHandler(given))
  const sessions = new Set<{ destroy(): void }>()
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })
  server.listen(port, host)
  await once(server, 'listening')
  const { port: bound, address, family } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      for (const session of sessions) session.destroy()
      await closed
    },
  }
}
