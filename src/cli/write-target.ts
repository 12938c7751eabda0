import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Json } from './stored.ts'

/** The file a suspended write is about. */
export interface WriteTarget {
  /** Absolute; links are followed. */
  readonly path: string
  /** Size of the file it replaces; null where it creates one. */
  readonly replaces: number | null
}

/** The file a call would write; undefined for any other call. */
export async function writeTargetOf(toolName: string, given: Json, root: string): Promise<WriteTarget | undefined> {
  if (toolName !== 'write_file' || typeof given !== 'object' || given === null || !('path' in given)) return undefined
  if (typeof given.path !== 'string' || given.path.includes('\0')) return undefined
  const path = await followLinks(resolve(root, given.path))
  const present = await stat(path).catch(() => undefined)
  return { path, replaces: present?.isFile() === true ? present.size : null }
}

/** Follows the links of the part that exists. */
async function followLinks(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined)
  const above = dirname(path)
  return real ?? (above === path ? path : join(await followLinks(above), basename(path)))
}
