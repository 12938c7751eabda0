/** The real time that a case may take. Tests on their own clock are limited by their writes and answers instead. */
const usualPatienceMs = 30_000

/** Runs a case of a suite. A case that does not end fails with its name, however long the test runner would wait. */
export async function watched<Value>(
  name: string,
  run: () => Promise<Value>,
  patienceMs = usualPatienceMs,
): Promise<Value> {
  const patience = Promise.withResolvers<never>()
  const giveUp = () => {
    const seconds = patienceMs / 1000
    const why = 'something it waits for does not answer.'
    patience.reject(new Error(`"${name}" has not ended after ${seconds} s: ${why}`))
  }
  const timer = setTimeout(giveUp, patienceMs)
  try {
    return await Promise.race([run(), patience.promise])
  } finally {
    clearTimeout(timer)
  }
}
