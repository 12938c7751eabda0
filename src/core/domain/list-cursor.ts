import { UsageError } from './text/usage-error.ts'

/** A place in a list that is ordered by time and then by number, the newest first. */
export interface ListPlace {
  /** Unix milliseconds. */
  readonly time: number
  readonly number: number
}

/** Returns a place in a list as text. */
export function cursorOf({ time, number }: ListPlace): string {
  return `${time}_${number}`
}

/**
 * Returns the place after which a list begins, so that it has no entry of time `until` or later. Throws a `UsageError`
 * for an invalid cursor.
 */
export function placeBefore(cursor: string | undefined, until = Number.POSITIVE_INFINITY): ListPlace {
  const newest = { time: until, number: 0 }
  if (cursor === undefined) return newest
  const [time = '', number = '', ...rest] = typeof cursor === 'string' ? cursor.split('_') : []
  const isPlace = time !== '' && Number.isFinite(Number(time)) && /^\d{1,15}$/.test(number) && rest.length === 0
  const place = { time: Number(time), number: Number(number) }
  if (isPlace) return isBehind(place, newest) ? place : newest
  const shown = typeof cursor === 'string' ? JSON.stringify(cursor.slice(0, 80)) : typeof cursor
  throw new UsageError('bad_cursor', `The cursor ${shown} is invalid. Give the \`cursor\` of the last listed item.`)
}

/** Returns true for entries after a place. */
export function isBehind(place: ListPlace, { time, number }: ListPlace): boolean {
  return place.time < time || (place.time === time && place.number < number)
}
