import type { ToolEffects } from '../../../core/domain/call.ts'
import { isRecord } from '../../../core/domain/text/json.ts'
import { isTextsByName } from '../../../core/domain/text/shape.ts'
import type { Secret } from '../../../core/domain/text/redactor.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { ProbeBy, ToolNeeds } from '../../../core/ports/tool.ts'
import { headerSecrets } from '../header-secrets.ts'
import { secretsIn } from '../secrets.ts'
import { McpError } from './mcp-error.ts'

/** The rules for the calls of one tool. The server's own statements about its tools do not change them. */
export interface McpToolRules {
  /** Default: no approval. */
  readonly needs?: ToolNeeds<Record<string, unknown>>
  /** Default `once`. */
  readonly effects?: ToolEffects
  /** Default 0. */
  readonly priority?: number
  readonly concurrency?: 'exclusive'
  /** Milliseconds; default: that of the toolset. */
  readonly timeoutMs?: number
  /** Asked after a crash or a time-out of a `once` call, before a person is. */
  readonly probe?: ProbeBy
}

/** Options of every MCP toolset; times in milliseconds. */
export interface McpSharedOptions {
  /** For errors and events. */
  readonly name: string
  /** The tools are named `{prefix}__{name}`. Default: their own names. */
  readonly prefix?: string
  /** A server that cannot be reached is left out with an event. Default: it ends the run. */
  readonly optional?: boolean
  /** The server's own names of the tools to take. Default: all. */
  readonly only?: readonly string[]
  /** Rules by the server's own names of its tools. */
  readonly rules?: Readonly<Record<string, McpToolRules>>
  /** The rules for tools that `rules` does not name, and for fields that it omits. */
  readonly defaults?: McpToolRules
  /** The default time limit of a call in milliseconds. Default 60,000; `Infinity` for none. */
  readonly timeoutMs?: number
  /** The time limits of connecting and of listing in milliseconds, each. Default 30,000. */
  readonly connectTimeoutMs?: number
  /** The milliseconds that an open call waits for the answer to a question that cannot be stored. Default 600,000. */
  readonly questionTimeoutMs?: number
  /** Attempts after a lost connection, with growing delays. */
  readonly reconnect?: McpReconnectOptions
  /** Bytes of one message of the server. Default 10,000,000. */
  readonly maxMessageBytes?: number
  /** Characters of a tool's description. Default 2,000. */
  readonly maxDescriptionLength?: number
  /** Receives a warning for each tool that is left out. Default: a warning of the process. */
  readonly onWarning?: (warning: string) => void
  readonly clock?: Clock
  /** `legacy` never asks for the protocol of 2026; default `auto`. */
  readonly protocol?: 'auto' | 'legacy'
}

/** The reconnection after a lost connection; times in milliseconds. */
export interface McpReconnectOptions {
  /** After the first attempt. Default 3. */
  readonly retries?: number
  /** Default 500. */
  readonly initialDelayMs?: number
  /** Default 2. */
  readonly factor?: number
  /** Default 10,000. */
  readonly maxDelayMs?: number
}

/** A server that runs as a child process and communicates over its standard input and output. */
export interface McpProcessOptions extends McpSharedOptions {
  readonly command: string
  readonly args?: readonly string[]
  /**
   * Variables in addition to the harmless ones (PATH, HOME and the like); no other variable of this process is passed
   * on.
   */
  readonly env?: Readonly<Record<string, string>>
  /** Working folder. Default: that of this process. */
  readonly cwd?: string
}

/** Returns the bearer token of each request; undefined sends none. */
export interface McpTokenSource {
  token(): Promise<string | undefined>
}

/** The used part of an `OAuthClientProvider` of `@modelcontextprotocol/client`, which does the rest. */
export interface McpOAuthProvider {
  readonly redirectUrl: string | URL | undefined
  readonly clientMetadata: object
  tokens(): unknown
  saveTokens(tokens: never): unknown
}

/** A server that listens at an address. */
export interface McpHttpOptions extends McpSharedOptions {
  readonly url: string | URL
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: none. */
  readonly auth?: McpTokenSource | McpOAuthProvider
  /** `sse` is the transport of servers from before 2025. Default: `http`, and `sse` if the server refuses that. */
  readonly transport?: 'http' | 'sse'
  /** Sends the requests to the server itself. Default: that of the platform. */
  readonly fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>
}

/** Options of an MCP toolset. */
export type McpOptions = McpProcessOptions | McpHttpOptions

/** Returns the address of a server; throws an `McpError` `bad_option` for an invalid one. */
export function urlOf({ name, url }: McpHttpOptions): URL {
  const parsed = URL.parse(url)
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') return parsed
  throw new McpError(
    'bad_option',
    `MCP server "${name}" has no address that can be used. Expected an http or https URL.`,
  )
}

/** Throws an `McpError` `bad_option` for invalid credentials, without repeating the value, which may be a secret. */
export function checkCredentials(options: McpOptions): void {
  const refuse = (option: string, wish: string) => {
    throw new McpError('bad_option', `Option ${option} of MCP server "${options.name}" is refused. Expected ${wish}.`)
  }
  if ('command' in options) {
    if (options.env !== undefined && !isTextsByName(options.env)) refuse('env', 'texts by the name of a variable')
    return
  }
  const { headers, auth } = options
  if (headers !== undefined && !isTextsByName(headers)) refuse('headers', 'texts by the name of a header')
  const isAuth = isRecord(auth) && ('token' in auth || 'tokens' in auth)
  if (auth !== undefined && !isAuth) refuse('auth', '{ token } with a function, or an OAuth provider')
}

/** Returns the server's name for errors, without the secrets in an address. */
export function placeOf(options: McpOptions): string {
  if ('command' in options) return `MCP server "${options.name}" (${options.command})`
  const { origin, pathname } = urlOf(options)
  return `MCP server "${options.name}" (${origin}${pathname})`
}

const plainHeader = /^(accept|content-type|user-agent|mcp-)/i

/** Returns the secrets in address, headers or environment. */
export function secretsOf(options: McpOptions): readonly Secret[] {
  if ('command' in options) return secretsIn(options.env ?? {})
  const { search, username, password } = urlOf(options)
  const headers = Object.entries(options.headers ?? {}).flatMap(([name, value]) =>
    plainHeader.test(name) ? [] : headerSecrets(value).map((word) => ({ name, value: word })),
  )
  const inAddress = [search.slice(1), username, password].map((value) => ({ name: 'of the address', value }))
  return [...headers, ...inAddress].filter(({ value }) => value.length >= 4)
}
