import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ToolResult } from '../../core/ports/tool.ts'
import { type ConfinedPath, confinePath } from './confine-path.ts'
import { errorCode, failed, withoutThrowing } from './file-failure.ts'
import { type HeldFolder, holdFolder, inMadeFolder } from './held-folder.ts'

/** One name in a folder that is held open; `shown` is its path from the root. */
export interface HeldPlace {
  readonly folder: HeldFolder
  readonly name: string
  readonly shown: string
}

/** A path that stays inside its root. */
export type InsidePath = Extract<ConfinedPath, { ok: true }>

/** Works on the path of a tool call. The result is an error if `confine` or the file system refuses the path. */
export async function withPath<T>(
  path: string,
  signal: AbortSignal,
  confine: () => Promise<ConfinedPath>,
  work: (inside: InsidePath) => Promise<T>,
): Promise<T | ToolResult> {
  return await withoutThrowing(path, signal, async () => {
    const confined = await confine()
    return confined.ok ? await work(confined) : failed(confined.message)
  })
}

/** Does work on the folder a path of a tool call leads to. */
export async function withFolder(
  root: string,
  path: string,
  signal: AbortSignal,
  work: (folder: HeldFolder, inside: InsidePath) => Promise<ToolResult>,
): Promise<ToolResult> {
  return await withPath(
    path,
    signal,
    () => confinePath(root, path),
    async (inside) => {
      const folder = await holdFolder(inside.root, namesOf(inside.shown))
      try {
        return await work(folder, inside)
      } finally {
        await folder.close()
      }
    },
  )
}

/** Works on a name in its held folder, or returns undefined for the root. `makes` creates missing folders. */
export async function inFolderOf<T>(
  { root, shown }: InsidePath,
  work: (place: HeldPlace) => Promise<T>,
  { makes = false }: { readonly makes?: boolean } = {},
): Promise<T | undefined> {
  const names = namesOf(shown)
  const name = names.pop()
  if (name === undefined) return undefined
  if (makes) return await inMadeFolder(root, names, (folder) => work({ folder, name, shown }))
  const folder = await holdFolder(root, names)
  try {
    return await work({ folder, name, shown })
  } finally {
    await folder.close()
  }
}

/** Returns the kind of a name without opening it; undefined if there is nothing. */
export async function kindAt({ folder, name }: HeldPlace): Promise<'file' | 'folder' | 'link' | 'other' | undefined> {
  try {
    const stats = await lstat(join(folder.path, name))
    if (stats.isFile()) return 'file'
    if (stats.isDirectory()) return 'folder'
    return stats.isSymbolicLink() ? 'link' : 'other'
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** The names a shown path is made of; none for the root. */
export function namesOf(shown: string): string[] {
  return shown === '.' ? [] : shown.split('/')
}
