/** Calls a function at the first of these signals of the process; gives what takes that back. */
export function drainOn(signal: NodeJS.Signals, drain: () => Promise<void>): () => void {
  const hear = () => void drain().catch(() => undefined)
  process.once(signal, hear)
  return () => void process.off(signal, hear)
}
