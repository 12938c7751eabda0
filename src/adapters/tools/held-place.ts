import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ToolResult } from '../../core/ports/tool.ts'
import { type ConfinedPath, confinePath } from './confine-path.ts'
import { errorCode, failed, withoutThrowing } from './file-failure.ts'
import type { TextFiles } from './text-files.ts'
import { type HeldFolder, holdFolder, inMadeFolder } from './held-folder.ts'

/** A name in a held folder; `shown` is its path from the root. */
export interface HeldPlace {
  readonly folder: HeldFolder
  readonly name: string
  readonly shown: string
  /** Reads and writes the text of the file instead of the file system. */
  readonly text?: HeldText
}

/** The text of one file in an editor. */
export interface HeldText {
  read(): Promise<string>
  write(text: string): Promise<void>
}

/** A path inside its root. */
export type InsidePath = Extract<ConfinedPath, { ok: true }>

/**
 * Performs an operation on the path of a tool call. The result is an error if `confine` or the file system rejects the
 * path.
 */
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

/** Performs an operation in the folder to which the path of a tool call leads. */
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

/** Returns the text of a file if something other than the file system has it, such as an editor. */
export function textAt({ path }: InsidePath, texts: TextFiles | undefined, signal: AbortSignal): { text?: HeldText } {
  if (texts === undefined) return {}
  return { text: { read: () => texts.read(path, signal), write: (after) => texts.write(path, after, signal) } }
}

/** Works on a name in its held folder, or returns undefined for the root. `makes` creates missing folders. */
export async function inFolderOf<T>(
  { root, shown }: InsidePath,
  work: (place: HeldPlace) => Promise<T>,
  { makes = false, text }: { readonly makes?: boolean; readonly text?: HeldText } = {},
): Promise<T | undefined> {
  const names = namesOf(shown)
  const name = names.pop()
  if (name === undefined) return undefined
  const workIn = (folder: HeldFolder) => work({ folder, name, shown, ...(text && { text }) })
  if (makes) return await inMadeFolder(root, names, workIn)
  const folder = await holdFolder(root, names)
  try {
    return await workIn(folder)
  } finally {
    await folder.close()
  }
}

/** Returns the kind of a name without opening it, or undefined if nothing has that name. */
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

/** Returns the names in a shown path; empty for the root. */
export function namesOf(shown: string): string[] {
  return shown === '.' ? [] : shown.split('/')
}
