import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A copy of a project: the temporary folder that holds it, the project in it, and a folder for what its tests write. */
export interface TreeCopy {
  readonly folder: string
  readonly root: string
  readonly temporary: string
}

/** The files that a copy omits: build results, installed packages, version control. */
const leftOut = /(^|\/)(node_modules|\.git|dist|coverage)(\/|$)/

/**
 * Copies a project into a new temporary folder, its installed packages as a link. Mutants are written there, so that
 * a process that is killed leaves nothing behind in the working tree.
 */
export function copyTree(from: string): TreeCopy {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mutants-')))
  // Tests hand files to users without rights: they must be able to come this far.
  chmodSync(folder, 0o755)
  const copy = { folder, root: join(folder, 'tree'), temporary: join(folder, 'tmp') }
  cpSync(from, copy.root, { recursive: true, filter: (path) => !leftOut.test(path.slice(from.length)) })
  symlinkSync(join(from, 'node_modules'), join(copy.root, 'node_modules'))
  mkdirSync(copy.temporary)
  return copy
}

/** Removes a copy; the packages behind its link stay. */
export function removeTree({ folder }: TreeCopy): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
