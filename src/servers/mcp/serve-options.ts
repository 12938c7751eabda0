/** Options for serving an agent over standard input and output. */
export interface ServeMcpOptions {
  readonly transport?: 'stdio'
  /** Name of the tool. Default: the agent's, with every character a name may not hold as `_`. */
  readonly toolName?: string
  /** The description of the tool. Default: it gives a task to the agent. */
  readonly description?: string
  /**
   * A secret of at least 32 characters with which the state of a question is signed. A client's answer is taken by
   * whichever process knows it. Default: over HTTP the token, else a fresh one for this process.
   */
  readonly stateKey?: string
}

/** Options for serving an agent at an address. */
export interface ServeMcpHttpOptions extends Omit<ServeMcpOptions, 'transport'> {
  readonly transport: 'http'
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default: one that is free. */
  readonly port?: number
  /** The bearer token of every request: at least 32 characters. Default: a fresh one. */
  readonly token?: string
  /** Names the address may be asked for under. Default: those of loopback. */
  readonly allowedHosts?: readonly string[]
  /** Names of hosts whose pages may ask. Default: those of loopback. */
  readonly allowedOrigins?: readonly string[]
}

/** An agent that is being served. */
export interface McpService {
  /** Takes no more requests; runs stay as they are stored. */
  close(): Promise<void>
}

/** An agent that is served at an address. */
export interface McpHttpService extends McpService {
  readonly url: string
  readonly token: string
}
