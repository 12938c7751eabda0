import { relative, resolve, sep } from 'node:path'
import { confinePath, confineToAny, followLinks } from './confine-path.ts'

/**
 * Returns a function that resolves a path as the file tools do: relative to the root, or absolute for another readable
 * folder. It follows even a link out of the root, and rejects if a link points nowhere, so that a person is asked.
 */
export function resolvedPath(root: string, readable?: () => readonly string[]): (path: string) => Promise<string> {
  return async (path) => {
    const inside = await confinePath(root, path)
    if (inside.ok) return inside.shown
    const beside = await confineToAny(root, readable?.() ?? [], path)
    if (beside.ok) return beside.path.split(sep).join('/')
    const [from, to] = [await followLinks(resolve(root)), await followLinks(resolve(root, path))]
    if (from === undefined || to === undefined) throw new Error('A link of the path points nowhere.')
    return relative(from, to).split(sep).join('/') || '.'
  }
}
