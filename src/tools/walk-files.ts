import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { errorCode } from './file-failure.ts'

/** Folders that listing and searching do not enter, in any case of letters. */
function isSkippedFolder(name: string): boolean {
  return ['node_modules', '.git', '.statewright'].includes(name.toLowerCase())
}

/** A name as shown to the model: JSON where it holds control characters, so that it cannot pass for two. */
export function quoteName(shown: string): string {
  return /\p{Cc}/u.test(shown) ? JSON.stringify(shown) : shown
}

/** A place under the root; `path` is absolute, `shown` is from the root. */
export interface Place {
  readonly path: string
  readonly shown: string
}

/** One entry met on the way. */
export interface WalkedEntry extends Place {
  readonly kind: 'file' | 'folder' | 'link' | 'other'
}

/**
 * Everything under a folder, sorted by name, a folder before what it holds. Links are named, not followed,
 * so a walk ends and never leaves the root; a folder below the first that may not be read is passed over.
 */
export async function* walkFiles(folder: Place, signal: AbortSignal): AsyncGenerator<WalkedEntry> {
  const pending = (await entriesOf(folder)).toReversed()
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    signal.throwIfAborted()
    yield entry
    if (entry.kind !== 'folder' || isSkippedFolder(basename(entry.path))) continue
    const children = await entriesOf(entry).catch(passOver)
    for (const child of children.toReversed()) pending.push(child)
  }
}

/** The entries of one folder, sorted by name. */
export async function entriesOf(folder: Place): Promise<readonly WalkedEntry[]> {
  const entries = await readdir(folder.path, { withFileTypes: true })
  return entries.sort(byName).map((entry) => ({
    path: join(folder.path, entry.name),
    shown: folder.shown === '.' ? entry.name : `${folder.shown}/${entry.name}`,
    kind: kindOf(entry),
  }))
}

function passOver(error: unknown): readonly WalkedEntry[] {
  if (errorCode(error) === 'EACCES' || errorCode(error) === 'ENOENT') return []
  throw error
}

function byName(left: Dirent, right: Dirent): number {
  return left.name < right.name ? -1 : left.name > right.name ? 1 : 0
}

function kindOf(entry: Dirent): WalkedEntry['kind'] {
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isDirectory()) return 'folder'
  return entry.isFile() ? 'file' : 'other'
}
