import { type ListPlace, placeBefore } from '../../../core/domain/list-cursor.ts'

/** Returns the position after which a list begins, unless it begins with the newest. */
export function placeValues(before: string | undefined, until?: number): readonly ListPlace[] {
  const place = placeBefore(before, until)
  return before === undefined && until === undefined ? [] : [place]
}

/** Returns the maximum number of listed rows as a number that Postgres accepts. */
export function limitOf(limit = 100): number {
  return Math.max(Math.min(limit, 2 ** 31 - 1), 0)
}
