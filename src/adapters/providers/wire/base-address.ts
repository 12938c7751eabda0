/** An address without the slashes at its end. The time grows with its length alone, whatever it holds. */
export function withoutSlashes(address: string): string {
  let end = address.length
  while (address[end - 1] === '/') end--
  return address.slice(0, end)
}

/** Returns an address, or undefined if it is not known yet, which the first call reports. */
export function knownAddress(lookUp: () => string): string | undefined {
  try {
    return lookUp()
  } catch {
    return undefined
  }
}
