import { relative, resolve, sep } from 'node:path'
import { confinePath, confineToAny } from './confine-path.ts'

/** Returns a path as the file tools resolve it: from the root, or absolute for a folder beside the root. */
export function resolvedPath(root: string, readable?: () => readonly string[]): (path: string) => Promise<string> {
  return async (path) => {
    const inside = await confinePath(root, path)
    if (inside.ok) return inside.shown
    const beside = await confineToAny(root, readable?.() ?? [], path)
    if (beside.ok) return beside.path.split(sep).join('/')
    return relative(resolve(root), resolve(root, path)).split(sep).join('/') || '.'
  }
}
