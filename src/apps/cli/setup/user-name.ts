import { userInfo } from 'node:os'

/** Returns the system's name of the user, or undefined if it is unknown. */
export function userName(): string | undefined {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}

/** Returns the `by` field of a decision; empty if the user's name is unknown. */
export function nameOfUser(): { readonly by?: string } {
  const by = userName()
  return by === undefined ? {} : { by }
}
