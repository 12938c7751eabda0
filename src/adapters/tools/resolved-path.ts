import { relative, resolve, sep } from 'node:path'
import { confinePath, confineToAny } from './confine-path.ts'

/**
 * Gives a path as the file tools resolve it, links followed, from the root; one of a folder beside the root in full. A path
 * that they refuse is given as it is written, from the root.
 */
export function resolvedPath(root: string, readable?: () => readonly string[]): (path: string) => Promise<string> {
  return async (path) => {
    const inside = await confinePath(root, path)
    if (inside.ok) return inside.shown
    const beside = await confineToAny(root, readable?.() ?? [], path)
    if (beside.ok) return beside.path.split(sep).join('/')
    return relative(resolve(root), resolve(root, path)).split(sep).join('/') || '.'
  }
}
