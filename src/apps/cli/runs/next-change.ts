import type { Session } from '../setup/session.ts'

/** Milliseconds between two looks at a run. */
const lookMs = 250

/** Resolves when something was stored for the run, when `over` fires, or at the latest after a while. */
export async function nextChange(
  { io, store }: Pick<Session, 'io' | 'store'>,
  runId: string,
  over: AbortSignal,
): Promise<void> {
  const woken = new AbortController()
  const leave = store.watch(runId, () => woken.abort())
  await io.clock.sleepUntil(io.clock.now() + lookMs, AbortSignal.any([woken.signal, io.signal, over]))
  leave()
}
