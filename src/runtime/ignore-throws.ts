/** Whoever looks on, as a function or as an observer. */
type Onlooker<Seen> = ((seen: Seen) => void) | { readonly next?: (seen: Seen) => void }

/** An onlooker that throws looks on no less, and the run goes on (requirement EVT-04). */
export function ignoreThrows<Seen>(onlooker: Onlooker<Seen>): (seen: Seen) => void {
  const look = typeof onlooker === 'function' ? onlooker : onlooker.next?.bind(onlooker)
  return (seen) => {
    try {
      look?.(seen)
    } catch {
      // The fault is the onlooker's; nobody here can tell it of it.
    }
  }
}
