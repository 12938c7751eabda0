import { having } from '../domain/text/option-shape.ts'
import type { Records } from '../ports/records.ts'

const isStore = having('a store, such as sqliteStore(path) gives', 'records', 'change')

/** Refuses what is not a store, with a `UsageError` that names the function it was given to. */
export function checkRecords(store: Records, owner: string): void {
  isStore(store, { field: 'store', owner })
}
