import type { Tool } from '../../../core/ports/tool.ts'
import type { Toolset } from '../../../core/ports/toolset.ts'
import { ignoreThrows } from '../../../core/domain/ignore-throws.ts'
import { defined, isRecord } from '../../../core/domain/text/json.ts'
import { badOption } from '../../../core/domain/text/option-shape.ts'
import { toolNamesOf } from '../../../core/domain/tool-name.ts'
import { type Redactor, redactorOf } from '../../../core/domain/text/redactor.ts'
import { causeWithout, headerSecrets } from '../header-secrets.ts'
import { GuardedClient, namesPrivateAddress } from '../guarded-fetch.ts'
import { untilAborted } from '../until-aborted.ts'
import { addressOf, baseAddress, serverUrl } from './base-address.ts'
import { Documents, MissingDocument } from './documents.ts'
import { listOperations, type Operation, refuseUnknown } from './list-operations.ts'
import { OpenApiError } from './openapi-error.ts'
import { operationArguments, parameterProblem } from './operation-arguments.ts'
import { type CallParts, operationTool, type OperationCall } from './operation-tool.ts'
import { checkedOptions, type OpenApiOptions } from './options.ts'
import { parseText } from './parse-text.ts'
import { bodyProblem, type OperationProblem } from './request-body.ts'
import { toldSize } from './told-size.ts'
import { readExternal, type ReadParts, readSource } from './read-source.ts'

/**
 * Returns the operations of an OpenAPI 3.0 or 3.1 document as tools, one for each operation with an `operationId`. The
 * document is read once, on first use. Throws an `OpenApiError` `bad_option` for invalid options; opening rejects with
 * the other codes, and with an `HttpFailure` if the packages `undici` and `ipaddr.js` are missing.
 *
 * @example
 * const petStore = openApiToolset({
 *   source: { file: 'petstore.yaml' },
 *   auth: { bearer: process.env.PET_STORE_TOKEN ?? '' },
 *   filter: { tags: ['pet'] },
 *   rules: { deletePet: { needs: 'approval' } },
 * })
 * const agent = createAgent({ name: 'clerk', model, tools: [petStore] })
 */
export function openApiToolset(options: OpenApiOptions): Toolset {
  if (!isRecord(options))
    throw badOption({ field: 'options', owner: 'openApiToolset' }, options, 'Expected { source, … }.')
  return new OpenApiToolset(checkedOptions(options))
}

class OpenApiToolset implements Toolset {
  readonly name: string
  readonly optional: boolean
  readonly #options: OpenApiOptions
  readonly #secrets: Redactor
  readonly #closing = new AbortController()
  #client: GuardedClient | undefined
  #tools: Promise<readonly Tool[]> | undefined

  constructor(options: OpenApiOptions) {
    this.#options = options
    this.#secrets = secretMask(options)
    this.name = options.name ?? 'openapi'
    this.optional = options.optional === true
  }

  /** Reads once for all concurrent callers. A caller that stops waiting does not end the read of the others. */
  async tools({ signal }: { readonly signal?: AbortSignal } = {}): Promise<readonly Tool[]> {
    if (this.#closing.signal.aborted) throw closed(this.name)
    signal?.throwIfAborted()
    const reading = (this.#tools ??= this.#read().catch((error: unknown) => this.#fail(error)))
    reading.catch(() => {
      if (this.#tools === reading) this.#tools = undefined
    })
    return await untilAborted(reading, signal)
  }

  async close(): Promise<void> {
    this.#closing.abort(closed(this.name))
    await this.#client?.close()
  }

  async #read(): Promise<readonly Tool[]> {
    const { source, filter = 'all', rules = {}, maxDocumentBytes = 50_000_000, prefix } = this.#options
    await this.#client?.close()
    const named = ['url' in source ? source.url : undefined, this.#options.baseUrl]
    this.#client = await this.#clientFor(named.filter((address) => address !== undefined))
    await this.#client.open()
    this.#closing.signal.throwIfAborted()
    const parts: ReadParts = { client: this.#client, maxBytes: maxDocumentBytes, signal: this.#closing.signal }
    const { text, address, place } = await readSource(source, parts)
    const root = checkedDocument(parseText(text, place), place)
    const documents = new Documents(root, address)
    const base = baseAddress(this.#options.baseUrl, root['servers'], address)
    const { operations, warnings } = await this.#complete(documents, parts, () => listOperations(documents, filter))
    const ids = new Set(operations.map(({ id }) => id))
    refuseUnknown(Object.keys(rules), ids, 'rules')
    const isAlone = !refersElsewhere(text)
    const tools: Tool[] = []
    const told: string[] = [...warnings]
    const byId = new Map<string, OperationCall>()
    const calls = this.#callParts(this.#client, base, (id) => byId.get(id))
    const names = toolNamesOf(ids, prefix)
    const warn = (warning: string) => this.#warn([warning])
    for (const operation of operations) {
      const checking = this.#complete(documents, parts, () => this.#problemOf(documents, operation, base, address))
      const problem = checking instanceof Promise ? await checking : checking
      if (problem !== undefined) {
        const what = problem.isFatal ? 'is left out' : 'is called without its body'
        told.push(`Operation "${operation.id}" ${what}: ${problem.text}.`)
        if (problem.isFatal) continue
      }
      if (byId.has(operation.id)) {
        told.push(twice(operation))
        continue
      }
      const shape = () => operationArguments(documents, operation, Object.keys(calls.headers))
      if (!isAlone) await this.#complete(documents, parts, () => shape().schema())
      const own = Object.hasOwn(rules, operation.id) ? rules[operation.id] : undefined
      const call = { operation, shape, warn }
      byId.set(operation.id, call)
      tools.push(operationTool(names.get(operation.id) ?? operation.id, call, own ?? {}, calls))
    }
    this.#warn([...told, ...toldSize(tools)])
    return tools
  }

  #complete<T>(documents: Documents, parts: ReadParts, reading: () => T): T | Promise<T> {
    try {
      return reading()
    } catch (error) {
      if (!(error instanceof MissingDocument)) throw error
      return this.#load(error.document, documents, parts).then(() => this.#complete(documents, parts, reading))
    }
  }

  async #load(document: string, documents: Documents, parts: ReadParts): Promise<void> {
    const { text, place } = await readExternal(document, this.#options.externalRefs ?? {}, parts)
    documents.add(document, parseText(text, place))
  }

  /** Credentials go to one server only: an operation that has another one is no part of this set. */
  #problemOf(
    documents: Documents,
    operation: Operation,
    base: string,
    address: string | undefined,
  ): OperationProblem | undefined {
    const server = this.#options.baseUrl === undefined ? serverUrl(operation.servers, address) : undefined
    if (server !== undefined && addressOf(server) !== base) {
      const text = `it has a server of its own, ${server.origin}${server.pathname}. Make another toolset with that as baseUrl`
      return { text, isFatal: true }
    }
    const text = parameterProblem(documents, operation)
    return text === undefined ? bodyProblem(documents, operation) : { text, isFatal: true }
  }

  #callParts(client: GuardedClient, base: string, find: CallParts['find']): CallParts {
    const { auth = 'none', headers = {}, maxResultBytes = 65_536 } = this.#options
    const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
    const credentials =
      auth === 'none'
        ? {}
        : 'bearer' in auth
          ? { authorization: `Bearer ${auth.bearer}` }
          : { [auth.header.toLowerCase()]: auth.key }
    return {
      base,
      client,
      headers: { ...credentials, ...Object.fromEntries(own) },
      secrets: this.#secrets,
      maxBytes: maxResultBytes,
      find,
    }
  }

  async #clientFor(named: readonly (string | URL)[]): Promise<GuardedClient> {
    const { privateOrigins = [], timeoutMs, clock, resolve } = this.#options
    const urls = named.map((address) => new URL(address))
    const isPrivate = await Promise.all(urls.map(namesPrivateAddress))
    return new GuardedClient({
      privateOrigins: [...privateOrigins, ...urls.filter((_, index) => isPrivate[index]).map(({ origin }) => origin)],
      ...defined({ timeoutMs, clock, resolve }),
    })
  }

  /** Masks errors, because a foreign document may repeat the credentials of its request. */
  #fail(error: unknown): never {
    if (!(error instanceof OpenApiError)) throw error
    const { code, message, cause } = error
    throw new OpenApiError(code, this.#secrets.text(message), causeWithout(cause, this.#secrets))
  }

  #warn(warnings: readonly string[]): void {
    const { onWarning = (warning) => process.emitWarning(warning, 'OpenApiWarning') } = this.#options
    const warn = ignoreThrows(onWarning)
    for (const warning of warnings) warn(this.#secrets.text(`Toolset "${this.name}": ${warning}`))
  }
}

/** Looks for a reference that does not begin with `#`. A text of many megabytes is searched faster than it is walked. */
function refersElsewhere(text: string): boolean {
  const rest = /["']?\s*:\s*["']?[^#"'\s]/y
  for (let at = text.indexOf('$ref'); at !== -1; at = text.indexOf('$ref', at + 1)) {
    rest.lastIndex = at + '$ref'.length
    if (rest.test(text)) return true
  }
  return false
}

function checkedDocument(root: Readonly<Record<string, unknown>>, place: string): Readonly<Record<string, unknown>> {
  const { openapi, swagger } = root
  if (typeof openapi === 'string' && /^3\.[01](\.|$)/.test(openapi)) return root
  const version = openapi ?? swagger
  const found = version === undefined ? 'has no version' : `is of version ${JSON.stringify(version).slice(0, 50)}`
  const wish = 'Expected OpenAPI 3.0 or 3.1, as "openapi": "3.1.0". Convert the document first.'
  throw new OpenApiError('bad_document', `${place} ${found}. ${wish}`)
}

function twice({ id, method, path }: Operation): string {
  return `Operation "${id}" at ${method} ${path} is left out: another one has the same operationId.`
}

function closed(name: string): OpenApiError {
  return new OpenApiError('closed', `Toolset "${name}" was closed. Make another one.`)
}

const secretName = /auth|key|token|secret|passw|cookie|session|credential|signature/i

/** Characters below which a value is too common to be masked. */
const shortest = 4

/** Replaces the credentials of a toolset by `****` in every response of a server, also if they were encoded. */
function secretMask({ auth = 'none', headers = {}, source }: OpenApiOptions): Redactor {
  const values = [
    ...(auth === 'none' ? [] : 'bearer' in auth ? [auth.bearer] : headerSecrets(auth.key)),
    ...Object.entries(headers).flatMap(([name, value]) => (secretName.test(name) ? headerSecrets(value) : [])),
    ...('url' in source ? [...new URL(source.url).searchParams.values()] : []),
  ]
  const secrets = values.filter(({ length }) => length >= shortest).map((value) => ({ name: '', value }))
  return redactorOf(secrets, () => '****')
}
