import type { InspectionEvent, Observer } from 'xstate'

/** Whoever looks on at the actors of a run. */
export type Inspect = Observer<InspectionEvent> | ((event: InspectionEvent) => void)

/** An onlooker that throws looks on no less, and the run goes on (requirement EVT-04). */
export function harmless(inspect: Inspect): (event: InspectionEvent) => void {
  const look = typeof inspect === 'function' ? inspect : inspect.next?.bind(inspect)
  return (event) => {
    try {
      look?.(event)
    } catch {
      // The fault is the onlooker's; nobody here can tell it of it.
    }
  }
}
