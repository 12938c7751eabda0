import type { ToolEffects } from '../../../core/domain/call.ts'
import { isRecord } from '../../../core/domain/text/json.ts'
import { isTexts } from '../../../core/domain/text/shape.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { ProbeBy, ToolNeeds } from '../../../core/ports/tool.ts'
import type { ResolveName } from '../guarded-fetch.ts'
import { OpenApiError } from './openapi-error.ts'

/** A document: a path, an http or https address, or a text, in JSON or YAML. */
export type OpenApiSource = { readonly file: string } | { readonly url: string | URL } | { readonly text: string }

/** The credentials: none, a bearer token, or a key in a header. */
export type OpenApiAuth = 'none' | { readonly bearer: string } | { readonly header: string; readonly key: string }

/** The operations that become tools; those without an `operationId` never do. */
export type OpenApiFilter =
  | 'all'
  | { readonly ids: readonly string[] }
  | { readonly tags: readonly string[] }
  | { readonly pathPrefix: string }

/** The rules for the calls of one operation. */
export interface OpenApiRules {
  /** Default: no approval. */
  readonly needs?: ToolNeeds<Record<string, unknown>>
  /** Default: `none` for GET and HEAD, `idempotent` for PUT and DELETE, else `once`. */
  readonly effects?: ToolEffects
  /** Default 0. */
  readonly priority?: number
  readonly concurrency?: 'exclusive'
  /** Default: the description in the document. */
  readonly description?: string
  /** Asked after a crash or a time-out of a `once` call, before a person is. */
  readonly probe?: ProbeBy
}

/** The documents that a document may refer to. Default: none. */
export interface ExternalRefs {
  /** Files of this folder, links followed. */
  readonly folder?: string
  /** Documents at these origins, such as `https://example.com`. */
  readonly origins?: readonly string[]
}

/** Options of an OpenAPI toolset. */
export interface OpenApiOptions {
  readonly source: OpenApiSource
  /** The name in errors and events. Default `openapi`; two sets of one agent need two names. */
  readonly name?: string
  /** The tools are named `{prefix}__{operationId}`. Default: the id alone. */
  readonly prefix?: string
  /** True to leave the set out, with an event, if its document cannot be read. Default: it ends the run. */
  readonly optional?: boolean
  /** The address of the operations. Default: the document's first server. */
  readonly baseUrl?: string | URL
  /** Default `none`. Shown nowhere: results, errors and events hold `****` in its place. */
  readonly auth?: OpenApiAuth
  /** Sent with every call; values of names that look like secrets are shown nowhere either. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default `all`. */
  readonly filter?: OpenApiFilter
  /** Rules by `operationId`. */
  readonly rules?: Readonly<Record<string, OpenApiRules>>
  readonly externalRefs?: ExternalRefs
  /** Milliseconds for a call, and for reading the document. Default 30,000. */
  readonly timeoutMs?: number
  /** Bytes of a response's body that are kept. Default 65,536. */
  readonly maxResultBytes?: number
  /** Bytes a document may have. Default 50,000,000. */
  readonly maxDocumentBytes?: number
  /** Further origins that may be private. An address or `localhost` in `baseUrl` needs no mention, a name does. */
  readonly privateOrigins?: readonly string[]
  /** Receives what was left out. Default: a process warning. */
  readonly onWarning?: (warning: string) => void
  readonly clock?: Clock
  /** Resolves host names to addresses. Default: the system's resolver. */
  readonly resolve?: ResolveName
}

/** Returns valid options; throws an `OpenApiError` `bad_option` for invalid ones. */
export function checkedOptions(options: OpenApiOptions): OpenApiOptions {
  const { source, baseUrl, auth = 'none', headers = {}, filter = 'all', prefix } = options
  checkSource(source)
  if (baseUrl !== undefined) checkAddress('baseUrl', baseUrl, { isBase: true })
  checkAuth(auth)
  if (!isRecord(headers)) throw bad('headers', 'Expected texts by the name of a header.')
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value, 'headers')
  checkFilter(filter)
  if (prefix !== undefined && !/^[A-Za-z0-9_-]{1,32}$/.test(prefix)) {
    throw bad('prefix', 'Expected 1 to 32 of the characters A-Z, a-z, 0-9, "_" and "-".')
  }
  for (const name of ['timeoutMs', 'maxResultBytes', 'maxDocumentBytes'] as const) {
    const value = options[name]
    if (value !== undefined && !(Number.isFinite(value) && value > 0)) throw bad(name, 'Expected a number above 0.')
  }
  for (const origin of [...(options.privateOrigins ?? []), ...(options.externalRefs?.origins ?? [])]) {
    if (URL.parse(origin)?.origin !== origin)
      throw bad('origins', `${JSON.stringify(origin)} is not an origin such as "https://example.com".`)
  }
  return options
}

function checkSource(source: Partial<Record<'file' | 'url' | 'text', unknown>> | undefined): void {
  const { file, url, text, ...others } = source ?? {}
  const given = [file, url, text].filter((value) => value !== undefined)
  if (given.length !== 1 || Object.keys(others).length > 0) {
    throw bad('source', 'Expected { file }, { url } or { text }.')
  }
  if (url !== undefined) checkAddress('source.url', url as string | URL, { isBase: false })
  else if (typeof given[0] !== 'string') throw bad('source', 'Expected a text in { file } or { text }.')
}

/** The error does not repeat the address, which may hold a secret. */
function checkAddress(option: string, address: string | URL, { isBase }: { readonly isBase: boolean }): void {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) throw bad(option, 'Expected an http or https address.')
  if (url.username !== '' || url.password !== '') {
    throw bad(option, 'It has a user name or a password. Use the option auth or headers for credentials.')
  }
  if (isBase && (url.search !== '' || url.hash !== '')) {
    throw bad(
      option,
      'It has a query or a fragment. Give only the address; use the option auth or headers for credentials.',
    )
  }
}

function checkAuth(auth: OpenApiAuth): void {
  if (auth === 'none') return
  if (!isRecord(auth)) throw bad('auth', "Expected 'none', { bearer } or { header, key }.")
  if ('bearer' in auth) return checkHeader('authorization', auth.bearer, 'auth')
  if ('header' in auth) return checkHeader(auth.header, auth.key, 'auth')
  throw bad('auth', "Expected 'none', { bearer } or { header, key }.")
}

function checkHeader(name: string, value: string, option: string): void {
  const isName = typeof name === 'string' && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)
  // Visible characters, blanks and tabs, as HTTP takes them.
  const isValue = typeof value === 'string' && value !== '' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
  if (isName && isValue) return
  throw bad(option, 'Expected the name of a header, and a text without line breaks that is not empty.')
}

function checkFilter(filter: OpenApiFilter): void {
  if (filter === 'all') return
  if ('ids' in filter && isTexts(filter.ids)) return
  if ('tags' in filter && isTexts(filter.tags)) return
  if ('pathPrefix' in filter && typeof filter.pathPrefix === 'string') return
  throw bad('filter', "Expected 'all', { ids: [...] }, { tags: [...] } or { pathPrefix: '/…' }.")
}

function bad(option: string, wish: string): OpenApiError {
  return new OpenApiError('bad_option', `Option ${option} is refused. ${wish}`)
}
