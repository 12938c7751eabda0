/** An address without the slashes at its end. The time grows with its length alone, whatever it holds. */
export function withoutSlashes(address: string): string {
  let end = address.length
  while (address[end - 1] === '/') end--
  return address.slice(0, end)
}

/** An address that is looked up; undefined where it is not known yet, which the first call says. */
export function knownAddress(lookUp: () => string): string | undefined {
  try {
    return lookUp()
  } catch {
    return undefined
  }
}
