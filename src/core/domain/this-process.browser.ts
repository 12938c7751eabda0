/** A page is no process of its host. */
export const ownPid = 0

/** Of processes a page knows nothing: none is known to have ended. */
export function answersSignals(): boolean {
  return true
}

/** Of processes a page knows nothing. */
export function startOf(): { readonly start: string; readonly ended: boolean } | undefined {
  return undefined
}

/** The origin of the page, whose runs nobody else can see. */
export function hostName(): string {
  return globalThis.location?.host ?? ''
}
