import { closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs'
import { join } from 'node:path'

/** Mounts that keep places of a root from commands in the box, and the files they need open meanwhile. */
export interface KeptPlaces {
  readonly parameters: readonly string[]
  /** Descriptors of this process; the parameters name them as 3, 4 and so on. */
  readonly descriptors: readonly number[]
}

/**
 * Hides `.statewright`. Mounts `.git` on itself, so that it cannot be moved away, and its hooks and configuration so that
 * they can only be read; where there are no hooks, an empty folder in their place. Each is opened without following a
 * link, and mounted by its descriptor: a command that put a link there would else have its target mounted.
 */
export function keepPlaces(root: string): KeptPlaces {
  const kept = { parameters: new Array<string>(), descriptors: new Array<number>() }
  const engine = join(root, '.statewright')
  const opened = openAt(engine, 'folder')
  if (opened !== undefined) {
    closeSync(opened)
    kept.parameters.push('--tmpfs', engine, '--remount-ro', engine)
  }
  keepGit(join(root, '.git'), kept)
  return kept
}

/** A file in the place of `.git` says where the real one is. */
function keepGit(git: string, kept: { parameters: string[]; descriptors: number[] }): void {
  const keep = (flag: string, descriptor: number, path: string) => {
    kept.parameters.push(flag, String(3 + kept.descriptors.length), path)
    kept.descriptors.push(descriptor)
  }
  const file = openAt(git, 'file')
  if (file !== undefined) keep('--ro-bind-fd', file, git)
  const folder = openAt(git, 'folder')
  if (folder === undefined) return
  keep('--bind-fd', folder, git)
  const held = `/proc/${process.pid}/fd/${folder}`
  const hooks = openAt(join(held, 'hooks'), 'folder')
  if (hooks !== undefined) keep('--ro-bind-fd', hooks, join(git, 'hooks'))
  else if (lstatSync(join(held, 'hooks'), { throwIfNoEntry: false }) !== undefined) throw blocked(kept.descriptors)
  else kept.parameters.push('--tmpfs', join(git, 'hooks'), '--remount-ro', join(git, 'hooks'))
  const config = openAt(join(held, 'config'), 'file')
  if (config !== undefined) keep('--ro-bind-fd', config, join(git, 'config'))
}

/** To mount something on a link makes its target, wherever that is. */
function blocked(descriptors: readonly number[]): Error {
  for (const descriptor of descriptors) closeSync(descriptor)
  return new Error('".git/hooks" in the root is no folder, so that it cannot be kept. Remove it, then run the command.')
}

/** Undefined where there is nothing of the kind; a link is nothing. */
function openAt(path: string, kind: 'file' | 'folder'): number | undefined {
  const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
  try {
    const descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | (kind === 'folder' ? O_DIRECTORY : 0))
    if (kind === 'folder' || fstatSync(descriptor).isFile()) return descriptor
    closeSync(descriptor)
    return undefined
  } catch {
    return undefined
  }
}
