import { userInfo } from 'node:os'

/** Who runs the command, as the system knows this user; undefined where it does not. */
export function userName(): string | undefined {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}

/** Gives the field of a decision that says who decided; empty if the system does not know this user. */
export function nameOfUser(): { readonly by?: string } {
  const by = userName()
  return by === undefined ? {} : { by }
}
