import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { errorCode } from './file-failure.ts'
import { cutText } from './foreign-text.ts'

/** A path inside the root, or the reason for its refusal. */
export type ConfinedPath =
  | {
      readonly ok: true
      /** Absolute; links are followed. */
      readonly root: string
      /** Absolute; the links of its existing part are followed. */
      readonly path: string
      /** From the root, with `/` between names; `.` for the root itself. */
      readonly shown: string
    }
  | { readonly ok: false; readonly message: string }

/** Resolves `path` against `root`, and refuses a path or a link that leads out of the root or nowhere. */
export async function confinePath(root: string, path: string): Promise<ConfinedPath> {
  if (path.includes('\0')) return refused(path, 'contains a NUL character, which file names cannot')
  if (!path.isWellFormed()) return refused(path.toWellFormed(), 'contains half of a character')
  const realRoot = await existing(root)
  if (realRoot === undefined) return { ok: false, message: 'The root folder does not exist any more. Tell the user.' }
  const candidate = resolve(realRoot, path)
  if (!isInside(realRoot, candidate) && !isInside(resolve(root), candidate)) return refused(path, outside)
  const found = candidate === realRoot ? realRoot : await followLinks(candidate)
  if (found === undefined) return refused(path, 'passes through a link that points nowhere')
  if (!isInside(realRoot, found)) return refused(path, outside)
  const shown = relative(realRoot, found).split(sep).join('/') || '.'
  return { ok: true, root: realRoot, path: found, shown }
}

/** Works as `confinePath`, but also accepts an absolute path in one of some read-only folders. */
export async function confineToAny(root: string, readable: readonly string[], path: string): Promise<ConfinedPath> {
  const confined = await confinePath(root, path)
  if (confined.ok || !isAbsolute(path)) return confined
  for (const folder of readable.filter((each) => isInside(each, resolve(path)))) {
    const other = await confinePath(folder, path)
    if (other.ok) return other
  }
  return confined
}

const outside = 'is outside the root folder'

/** Follows the links of the existing part of an absolute path; returns undefined if one of them points nowhere. */
export async function followLinks(candidate: string): Promise<string | undefined> {
  let present = candidate
  let missing = ''
  for (;;) {
    const real = await existing(present)
    if (real !== undefined) return join(real, missing)
    if (await isLink(present)) return undefined
    missing = join(basename(present), missing)
    present = dirname(present)
  }
}

async function existing(path: string): Promise<string | undefined> {
  return await unlessMissing(() => realpath(path))
}

async function isLink(path: string): Promise<boolean> {
  const stats = await unlessMissing(() => lstat(path))
  return stats?.isSymbolicLink() ?? false
}

async function unlessMissing<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look()
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function refused(path: string, why: string): ConfinedPath {
  const message = `Path ${JSON.stringify(cutText(path, 500, '…'))} ${why}. Use a path inside the root folder, such as "src/index.ts".`
  return { ok: false, message }
}

/** Returns true if a path is a folder or lies in it, judged only by the names. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return !isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`)
}
