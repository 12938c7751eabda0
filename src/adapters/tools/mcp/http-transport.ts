import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/**
 * The JSON-RPC code for an answer whose stream ended before its result, from the range that is reserved for programs.
 */
export const streamEnded = -32_099

/** Returns the package's transport. A stream that ends early answers its request with an error. */
export function httpTransport(
  Base: typeof StreamableHTTPClientTransport,
  ...given: ConstructorParameters<typeof StreamableHTTPClientTransport>
): StreamableHTTPClientTransport {
  class HttpTransport extends Base {
    override async send(...[message, options = {}]: Parameters<StreamableHTTPClientTransport['send']>): Promise<void> {
      const onRequestStreamEnd = () => {
        options.onRequestStreamEnd?.()
        if (Array.isArray(message) || !('method' in message) || !('id' in message)) return
        // An answer to what has been answered is passed over.
        const error = { code: streamEnded, message: 'The stream ended before the result was there.' }
        this.onmessage?.({ jsonrpc: '2.0', id: message.id, error })
      }
      await super.send(message, { ...options, onRequestStreamEnd })
    }
  }
  return new HttpTransport(...given)
}
