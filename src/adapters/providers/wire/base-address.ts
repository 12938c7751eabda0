/** Returns an address without the slashes at its end. The time is proportional to its length, whatever it contains. */
export function withoutSlashes(address: string): string {
  let end = address.length
  while (address[end - 1] === '/') end--
  return address.slice(0, end)
}

/** Returns an address, or undefined if it is not known yet, which the first call will report. */
export function knownAddress(lookUp: () => string): string | undefined {
  try {
    return lookUp()
  } catch {
    return undefined
  }
}
