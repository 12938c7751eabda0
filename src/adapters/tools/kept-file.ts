import { isStoreHeader, storeHeaderBytes } from '../../core/domain/store-file.ts'
import { readIn } from './held-folder.ts'
import { type HeldPlace, kindAt } from './held-place.ts'

const besideStore = /-(?:wal|shm|journal)$/

/**
 * Returns true for a store of this package, recognised by its content and not its name, and for the files of SQLite
 * beside one.
 */
export async function isOfStore(place: HeldPlace): Promise<boolean> {
  const beside = { ...place, name: place.name.replace(besideStore, '') }
  return (await isStore(place)) || (beside.name !== place.name && (await isStore(beside)))
}

async function isStore(place: HeldPlace): Promise<boolean> {
  if ((await kindAt(place)) !== 'file') return false
  return isStoreHeader(await readIn(place.folder, place.name, storeHeaderBytes))
}
