/** The number of a page's process; a page has none. */
export const ownPid = 0

/** Returns true, because a page cannot know that a process has ended. */
export function answersSignals(): boolean {
  return true
}

/** Returns undefined, because a page knows nothing about processes. */
export function startOf(): { readonly start: string; readonly ended: boolean } | undefined {
  return undefined
}

/** Returns the origin of the page, whose runs nobody else can see. */
export function hostName(): string {
  return globalThis.location?.host ?? ''
}
