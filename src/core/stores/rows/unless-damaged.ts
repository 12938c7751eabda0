import { cursorOf, type ListPlace } from '../../domain/list-cursor.ts'
import { damageIn } from '../../domain/store-error.ts'
import type { DamagedRun } from '../../ports/store-lists.ts'
import { number, type SqlRow, text } from './columns.ts'

/** Returns a list's entry for a run, or its damage, so that one damaged run hides no other. */
export function unlessDamaged<Found>(id: string, place: ListPlace, work: () => Found): Found | DamagedRun {
  try {
    return work()
  } catch (error) {
    return { id, ...damageIn(error), cursor: cursorOf(place) }
  }
}

/** Works as `unlessDamaged`, for the row of a run. */
export function rowUnlessDamaged<Found>(row: SqlRow, work: () => Found): Found | DamagedRun {
  return unlessDamaged(text('', row, 'id'), listPlaceOf(row), work)
}

/** Returns the position of a run in lists by its row. */
export function listPlaceOf(row: SqlRow): ListPlace {
  return { time: number('', row, 'created_at'), number: number('', row, 'number') }
}
