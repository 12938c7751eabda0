/** Calls a function once, at the process's next signal of this kind; returns a function that removes the handler. */
export function drainOn(signal: NodeJS.Signals, drain: () => Promise<void>): () => void {
  const hear = () => void drain().catch(() => undefined)
  process.once(signal, hear)
  return () => void process.off(signal, hear)
}
