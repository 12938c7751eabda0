const runIds = new WeakMap<object, string>()

/** Notes which run an actor of XState's own is, for whoever inspects. */
export function nameInspectedRun(actor: object, runId: string): void {
  runIds.set(actor, runId)
}

/** The run an actor was named as; undefined for any other actor. */
export function inspectedRunOf(actor: object): string | undefined {
  return runIds.get(actor)
}
