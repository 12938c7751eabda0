const runIds = new WeakMap<object, string>()

/** Records the run of an XState actor, for inspectors. */
export function nameInspectedRun(actor: object, runId: string): void {
  runIds.set(actor, runId)
}

/** Returns the run of a recorded actor, or undefined for any other actor. */
export function inspectedRunOf(actor: object): string | undefined {
  return runIds.get(actor)
}
