/** A pool of connections, such as a `Pool` of the package pg. */
export interface PostgresPool {
  readonly options: { readonly max?: number | undefined }
  connect(): Promise<PostgresClient>
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'connect', listener: (client: PostgresClient) => void): unknown
  removeListener(event: 'error', listener: (error: Error) => void): unknown
  removeListener(event: 'connect', listener: (client: PostgresClient) => void): unknown
}

/** A connection while it is checked out of its pool. */
export interface PostgresClient {
  /** The server process that the greeting of the connection names. */
  readonly processID?: number | null
  query(config: PostgresQuery): Promise<PostgresAnswer>
  /** With true, or an error, the connection is closed and not used again. */
  release(destroy?: boolean | Error): void
  /** Lets the process end while the connection is open. */
  unref?(): void
  on(event: 'error' | 'end', listener: (error?: Error) => void): unknown
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown
}

/** One statement with its values. */
export interface PostgresQuery {
  readonly text: string
  readonly values: unknown[]
  /** Statements of one name are prepared once a connection. */
  readonly name?: string
  readonly types: { getTypeParser(oid: number, format?: unknown): (value: string) => unknown }
  /** The maximum number of milliseconds to wait for an answer. */
  readonly query_timeout: number
}

/** The result of a statement. */
export interface PostgresAnswer {
  readonly command: string
  readonly rows: Readonly<Record<string, unknown>>[]
}
