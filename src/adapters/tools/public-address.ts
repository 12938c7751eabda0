import { HttpFailure } from './http-failure.ts'

/**
 * Returns true if an IP address can belong to a public server. Mapped, compatible and tunnelled forms are also checked.
 */
export type IsPublicAddress = (address: string) => boolean

/** Loads the package that classifies addresses. */
export async function loadPublicAddress(): Promise<IsPublicAddress> {
  const { default: ipaddr } = await loadPackage('ipaddr.js', () => import('ipaddr.js'))
  return (address) => {
    if (!ipaddr.isValid(address)) return false
    const parsed = ipaddr.process(address)
    if (parsed.range() !== 'unicast') return false
    // Only 2000::/3 of IPv6 has been assigned; other addresses may represent an IPv4 address.
    return parsed.kind() === 'ipv4' || (ipaddr.IPv6.parse(address).parts[0] ?? 0) >> 13 === 1
  }
}

/**
 * Loads an optional package on first use. Throws an `HttpFailure` with the install command for both if it is missing.
 */
export async function loadPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    const wish = 'It is an optional peer dependency: npm install undici ipaddr.js'
    throw new HttpFailure('package_missing', `The package ${name} could not be loaded. ${wish}`, { cause })
  }
}
