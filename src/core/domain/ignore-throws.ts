/** Whoever looks on, as a function or as an observer. */
type Onlooker<Seen> = ((seen: Seen) => unknown) | { readonly next?: (seen: Seen) => unknown }

/**
 * An onlooker that throws, or whose promise is rejected, looks on no less, and stops nobody (requirement EVT-04). The fault is
 * the onlooker's; nobody here can tell it of it.
 */
export function ignoreThrows<Seen>(onlooker: Onlooker<Seen>): (seen: Seen) => void {
  const look = typeof onlooker === 'function' ? onlooker : onlooker.next?.bind(onlooker)
  return (seen) => void tried(() => look?.(seen))
}

/** What a function gives; undefined where it throws. A promise that it gives is nobody's concern when it is rejected. */
export function tried<T>(act: () => T): T | undefined {
  try {
    const given = act()
    ignoreRejection(given)
    return given
  } catch {
    return undefined
  }
}

/** Code of an application may give a promise where none is expected. One that is rejected unheard would end the process. */
export function ignoreRejection(given: unknown): void {
  if (given instanceof Promise) given.catch(() => undefined)
}
