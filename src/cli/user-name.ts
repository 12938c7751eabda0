import { userInfo } from 'node:os'

/** Who runs the command, as the system knows this user; undefined where it does not. */
export function userName(): string | undefined {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}
