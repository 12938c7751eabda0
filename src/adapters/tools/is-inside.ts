import { isAbsolute, relative, sep } from 'node:path'

/** Returns true if a path is a folder or lies in it, by the names alone. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return !isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`)
}
