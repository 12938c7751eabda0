type Onlooker<Seen> = ((seen: Seen) => unknown) | { readonly next?: (seen: Seen) => unknown }

/**
 * Wraps an observer so that an exception or a rejected promise neither removes it nor affects others (requirement
 * EVT-04). The error is dropped, because nobody here can report it to the observer.
 */
export function ignoreThrows<Seen>(onlooker: Onlooker<Seen>): (seen: Seen) => void {
  const look = typeof onlooker === 'function' ? onlooker : onlooker.next?.bind(onlooker)
  return (seen) => void tried(() => look?.(seen))
}

/** Returns the result of a function, or undefined if it throws. A rejection of a returned promise is ignored. */
export function tried<T>(act: () => T): T | undefined {
  try {
    const given = act()
    ignoreRejection(given)
    return given
  } catch {
    return undefined
  }
}

/** Computes a value now. The returned function returns it, or throws the exception of the computation. */
export function attempt<Result>(work: () => Result): () => Result {
  try {
    const result = work()
    return () => result
  } catch (error) {
    return () => {
      throw error
    }
  }
}

/** Handles the rejection of a promise that application code returned unexpectedly; else it would end the process. */
export function ignoreRejection(given: unknown): void {
  if (given instanceof Promise) given.catch(() => undefined)
}
