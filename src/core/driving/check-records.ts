import { having } from '../domain/text/option-shape.ts'
import type { Records } from '../ports/records.ts'

const isStore = having('a store, such as sqliteStore(path) gives', 'records', 'change')

/** Throws a `UsageError` that names the called function if a value is not a store. */
export function checkRecords(store: Records, owner: string): void {
  isStore(store, { field: 'store', owner })
}
