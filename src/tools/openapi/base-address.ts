import { isRecord } from '../../domain/json.ts'
import { OpenApiError } from './openapi-error.ts'

/**
 * Where the operations are, without a slash at the end: the option, else the first server with the defaults of its
 * variables, a relative one from the document's own address.
 */
export function baseAddress(
  option: string | URL | undefined,
  servers: unknown,
  documentAddress: string | undefined,
): string {
  if (option !== undefined) return trimmed(new URL(option))
  const url = serverUrl(servers, documentAddress)
  if (url !== undefined && /^https?:$/.test(url.protocol)) return trimmed(url)
  const found = url === undefined ? 'names no server that can be found' : `names a server of ${url.protocol}`
  throw new OpenApiError('no_server', `The document ${found}. Give option baseUrl, an http or https address.`)
}

/** The first server of a list, as an address; undefined where there is none. */
export function serverUrl(servers: unknown, documentAddress: string | undefined): URL | undefined {
  const first: unknown = Array.isArray(servers) ? servers[0] : undefined
  if (!isRecord(first) || typeof first['url'] !== 'string') return undefined
  const { url, variables } = first
  const filled = url.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => {
    const variable = isRecord(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined
    const given: unknown = isRecord(variable) ? variable['default'] : undefined
    return typeof given === 'string' || typeof given === 'number' ? String(given) : whole
  })
  return /[{}]/.test(filled) ? undefined : (URL.parse(filled, documentAddress) ?? undefined)
}

/** Credentials a document holds are its own affair; they are not sent. */
function trimmed(url: URL): string {
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}
