import type { BedrockRuntimeClientConfig } from '@aws-sdk/client-bedrock-runtime'
import type { Line } from '../wire/answer-stream.ts'

/** A request as the package hands it over: signed, in parts. */
interface SignedRequest {
  readonly method: string
  readonly protocol: string
  readonly hostname: string
  readonly port?: number
  readonly path: string
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

/** Returns the handler that sends the package's signed requests by fetch, in place of its HTTP/2 connections. */
export function requestHandler(
  line: Line,
  headers: Readonly<Record<string, string>> | undefined,
): NonNullable<BedrockRuntimeClientConfig['requestHandler']> {
  return {
    handle: async (request: SignedRequest) => {
      const { method, protocol, hostname, port, path, query = {}, body = null } = request
      const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`)
      for (const [name, value] of Object.entries(query)) {
        for (const one of [value].flat()) url.searchParams.append(name, one ?? '')
      }
      const response = await line.fetch(url, {
        method,
        headers: { ...withoutHost(request.headers), ...headers },
        body,
        signal: line.signal,
      })
      return {
        response: {
          statusCode: response.status,
          headers: Object.fromEntries(response.headers),
          body: response.body,
        },
      }
    },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
  }
}

/** The host is signed, and sent by fetch itself. */
function withoutHost({ host: _host, ...headers }: SignedRequest['headers']): Record<string, string> {
  return headers
}
