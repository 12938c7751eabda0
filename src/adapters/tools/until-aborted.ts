/** Returns the promise's value, or rejects with the signal's reason if that comes first. The awaited work continues. */
export async function untilAborted<T>(awaited: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await awaited
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([awaited, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
