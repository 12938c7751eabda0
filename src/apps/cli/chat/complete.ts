import { readdir, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** The completions of a draft at its cursor. */
export interface Completion {
  /** The text to insert at the cursor; empty if what fits differs from there. */
  readonly added: string
  /** All that fits. */
  readonly all: readonly string[]
}

/** Returns the completions of the word before the cursor: a command after `/`, a path in the folder after `@`. */
export async function completionOf(before: string, root: string, commands: readonly string[]): Promise<Completion> {
  const command = /^\/([a-z]*)$/.exec(before)?.[1]
  if (command !== undefined) return completed(command, commands)
  const [, folder = '', name] = /(?:^|\s)@((?:[^\s@/]*\/)*)([^\s@/]*)$/.exec(before) ?? []
  return name === undefined ? completed('', []) : completed(name, await namesIn(root, folder, name))
}

function completed(begun: string, names: readonly string[]): Completion {
  const all = names.filter((name) => name.startsWith(begun)).toSorted()
  const [first = '', last = ''] = [all[0], all.at(-1)]
  let length = begun.length
  while (length < first.length && first[length] === last[length]) length++
  const end = all.length === 1 && !first.endsWith('/') ? ' ' : ''
  return { added: all.length === 0 ? '' : first.slice(begun.length, length) + end, all }
}

/** Returns the names in a folder below the root, folders with a slash; none if it cannot be read or is outside. */
async function namesIn(root: string, folder: string, begun: string): Promise<readonly string[]> {
  try {
    const [top, path] = await Promise.all([realpath(root), realpath(join(root, folder))])
    const inside = relative(top, path)
    if (inside === '..' || inside.startsWith(`..${sep}`)) return []
    const entries = await readdir(path, { withFileTypes: true })
    // A name with a blank cannot be mentioned.
    return entries
      .filter(({ name }) => !/[\s@]/.test(name) && (begun.startsWith('.') || !name.startsWith('.')))
      .map((entry) => `${entry.name}${entry.isDirectory() ? '/' : ''}`)
  } catch {
    return []
  }
}
