import { isRecord } from '../../../core/domain/text/json.ts'
import { OpenApiError } from './openapi-error.ts'

/** Returns the address of the operations without a slash at its end: the option, or else the first server. */
export function baseAddress(
  option: string | URL | undefined,
  servers: unknown,
  documentAddress: string | undefined,
): string {
  if (option !== undefined) return addressOf(new URL(option))
  const url = serverUrl(servers, documentAddress)
  if (url !== undefined && /^https?:$/.test(url.protocol)) return addressOf(url)
  const found = url === undefined ? 'names no server that can be found' : `names a server of ${url.protocol}`
  throw new OpenApiError('no_server', `The document ${found}. Give option baseUrl, an http or https address.`)
}

const mostCharacters = 1_000_000

/** Returns the first server of a list as an address; undefined for an empty list. */
export function serverUrl(servers: unknown, documentAddress: string | undefined): URL | undefined {
  const first: unknown = Array.isArray(servers) ? servers[0] : undefined
  if (!isRecord(first) || typeof first['url'] !== 'string') return undefined
  const { url, variables } = first
  let length = url.length
  const filled = url.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => {
    const variable = isRecord(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined
    const given: unknown = isRecord(variable) ? variable['default'] : undefined
    if (typeof given !== 'string' && typeof given !== 'number') return whole
    length += String(given).length
    return length > mostCharacters ? '' : String(given)
  })
  return length > mostCharacters || /[{}]/.test(filled) ? undefined : (URL.parse(filled, documentAddress) ?? undefined)
}

/** Returns the origin and path of an address, without a slash at the end. Credentials in a document are not used. */
export function addressOf({ origin, pathname }: URL): string {
  let end = pathname.length
  while (end > 0 && pathname[end - 1] === '/') end--
  return `${origin}${pathname.slice(0, end)}`
}
