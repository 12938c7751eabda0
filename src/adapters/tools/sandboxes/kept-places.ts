import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { gitProblem } from './git-problem.ts'

/** Mounts that protect places of a root from commands in the box, and the files that must stay open meanwhile. */
export interface KeptPlaces {
  readonly parameters: readonly string[]
  /** Descriptors of this process; the parameters name them as 3, 4 and so on. */
  readonly descriptors: readonly number[]
}

/**
 * Hides `.statewright` and mounts `.git` read-only; with `write`, everything except its hooks and configuration is
 * writable. Each mount uses a descriptor that followed no link. Throws if git outside would still obey files that a
 * command can change.
 */
export function keepPlaces(root: string, git: 'read' | 'write'): KeptPlaces {
  const problem = gitProblem(root, join(root, '.git'))
  if (problem !== undefined) throw new Error(`${problem}, so that git would run what a command writes. ${wish}`)
  const kept = { parameters: new Array<string>(), descriptors: new Array<number>() }
  const engine = join(root, '.statewright')
  const opened = openAt(engine, 'folder')
  if (opened !== undefined) {
    closeSync(opened)
    kept.parameters.push('--tmpfs', engine, '--remount-ro', engine)
  }
  keepGit(join(root, '.git'), git, kept)
  return kept
}

const wish = 'Ask the user to change that, then run the command.'

/** A file in place of `.git` names the real folder. */
function keepGit(git: string, mode: 'read' | 'write', kept: { parameters: string[]; descriptors: number[] }): void {
  const keep = (flag: string, descriptor: number, path: string) => {
    kept.parameters.push(flag, String(3 + kept.descriptors.length), path)
    kept.descriptors.push(descriptor)
  }
  const file = openAt(git, 'file')
  if (file !== undefined) keep('--ro-bind-fd', file, git)
  const folder = openAt(git, 'folder')
  if (folder === undefined) return
  keep(mode === 'read' ? '--ro-bind-fd' : '--bind-fd', folder, git)
  if (mode === 'read') return
  const held = `/proc/${process.pid}/fd/${folder}`
  const hooks = openAt(join(held, 'hooks'), 'folder')
  if (hooks !== undefined) keep('--ro-bind-fd', hooks, join(git, 'hooks'))
  else kept.parameters.push('--tmpfs', join(git, 'hooks'), '--remount-ro', join(git, 'hooks'))
  for (const name of ['config', 'config.worktree']) {
    const config = openAt(join(held, name), 'file')
    if (config !== undefined) keep('--ro-bind-fd', config, join(git, name))
  }
}

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
