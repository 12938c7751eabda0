import type { Dirent } from 'node:fs'
import { opendir, readdir } from 'node:fs/promises'
import { hasInvisible, replaceInvisible } from '../../core/domain/text/invisible.ts'
import { errorCode } from './file-failure.ts'
import type { HeldFolder } from './held-folder.ts'
import type { HeldPlace } from './held-place.ts'

const skippedFolders: readonly string[] = ['node_modules', '.git', '.statewright']

/** Folders in folders that a walk enters at most; each of them is held open. */
const depthLimit = 100

/**
 * Returns a name for the model: as JSON, with invisible characters escaped, so that it cannot be mistaken for another
 * one.
 */
export function quoteName(shown: string): string {
  return hasInvisible(shown) ? replaceInvisible(JSON.stringify(shown), spelled) : shown
}

function spelled(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/** One found entry. Its folder is held until the walk continues. */
export interface WalkedEntry extends HeldPlace {
  readonly kind: 'file' | 'folder' | 'link' | 'other'
}

/** Returns everything under a folder, sorted by name. Links are not followed; unreadable folders are skipped. */
export async function* walkFiles(folder: HeldFolder, shown: string, signal: AbortSignal): AsyncGenerator<WalkedEntry> {
  yield* walkEntries(await entriesOf(folder, shown), signal, 0)
}

async function* walkEntries(
  entries: readonly WalkedEntry[],
  signal: AbortSignal,
  depth: number,
): AsyncGenerator<WalkedEntry> {
  for (const entry of entries) {
    signal.throwIfAborted()
    yield entry
    if (entry.kind !== 'folder' || skippedFolders.includes(entry.name.toLowerCase()) || depth === depthLimit) continue
    const inner = await enterReadable(entry)
    if (inner === undefined) continue
    try {
      yield* walkEntries(inner.entries, signal, depth + 1)
    } finally {
      await inner.folder.close()
    }
  }
}

/** Returns the entries of one folder, sorted by name. */
export async function entriesOf(folder: HeldFolder, shown: string): Promise<readonly WalkedEntry[]> {
  const entries = await readdir(folder.path, { withFileTypes: true })
  await folder.recheck()
  return walked(entries, folder, shown)
}

/**
 * Returns the entries of one folder, sorted by name, or undefined without reading them if there are more than `most`.
 */
export async function entriesUpTo(most: number, folder: HeldFolder): Promise<readonly WalkedEntry[] | undefined> {
  const entries: Dirent[] = []
  for await (const entry of await opendir(folder.path)) {
    if (entries.length === most) return undefined
    entries.push(entry)
  }
  await folder.recheck()
  return walked(entries, folder, '.')
}

function walked(entries: Dirent[], folder: HeldFolder, shown: string): readonly WalkedEntry[] {
  return entries.sort(byName).map((entry) => ({
    folder,
    name: entry.name,
    shown: shown === '.' ? entry.name : `${shown}/${entry.name}`,
    kind: kindOf(entry),
  }))
}

/** Undefined for a folder that may not be read, is gone, or has been replaced meanwhile. */
async function enterReadable({ folder, name, shown }: HeldPlace) {
  let inner: HeldFolder | undefined
  try {
    inner = await folder.enter(name)
    return { folder: inner, entries: await entriesOf(inner, shown) }
  } catch (error) {
    await inner?.close()
    if (['EACCES', 'ENOENT', 'ENOTDIR', 'ELOOP', 'ESTALE'].includes(errorCode(error) ?? '')) return undefined
    throw error
  }
}

function byName(left: Dirent, right: Dirent): number {
  return left.name < right.name ? -1 : left.name > right.name ? 1 : 0
}

function kindOf(entry: Dirent): WalkedEntry['kind'] {
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isDirectory()) return 'folder'
  return entry.isFile() ? 'file' : 'other'
}
