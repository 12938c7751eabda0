import { access, constants, mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { CliIo } from './cli-io.ts'
import { CliError, exitCodes, misuse } from './cli-error.ts'
import { isFolder } from './run-home.ts'
import { oneLine } from './safe-text.ts'
import type { Options } from './parse-command.ts'

/** Where a command works. */
export interface Places {
  /** The folder the tools are confined to. */
  readonly root: string
  /** The SQLite file. */
  readonly file: string
}

/** The root folder and the store's file, both absolute. */
export function placesOf({ cwd }: CliIo, { root = '.', store }: Options): Places {
  if (root === '' || store === '') throw misuse('bad_option', 'An empty path was given.', 'Name a folder or a file.')
  const folder = resolve(cwd, root)
  return { root: folder, file: store === undefined ? join(folder, '.statewright', 'runs.db') : resolve(cwd, store) }
}

/** Refuses a root that is no folder. */
export async function requireFolder({ root }: Places): Promise<void> {
  if (await isFolder(root)) return
  throw misuse('bad_root', `There is no folder ${oneLine(root, 500)}.`, 'Name one that exists: --root <folder>')
}

/** Refuses a store that is not there, so that reading a run never makes an empty one. */
export async function requireFile({ file }: Places): Promise<void> {
  if (await isThere(file)) return
  const hints = ['Start a run with: statewright run "<prompt>"', 'Or name the file of another one: --store <file>']
  throw new CliError(exitCodes.unusable, 'no_store', `There is no store at ${oneLine(file, 500)}.`, hints)
}

/** True where a file can be read, false where there is none; any other failure says why. */
export async function isThere(file: string): Promise<boolean> {
  try {
    await access(file, constants.R_OK)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    const why = codeOf(error) ?? 'unknown reason'
    throw new CliError(exitCodes.unusable, 'no_store', `The store ${oneLine(file, 500)} cannot be read: ${why}.`, [
      'Check the path and its permissions, or name another file: --store <file>',
    ])
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

/** Makes the store's folder, readable by its owner alone and ignored by git. */
export async function makeFolder({ file }: Places): Promise<void> {
  const folder = dirname(file)
  try {
    const made = await mkdir(folder, { recursive: true, mode: 0o700 })
    if (made !== undefined && basename(folder) === '.statewright') await writeFile(join(folder, '.gitignore'), '*\n')
  } catch (error) {
    const why = error instanceof Error ? oneLine(error.message, 500) : 'unknown reason'
    throw new CliError(exitCodes.unusable, 'no_store', `The folder ${oneLine(folder, 500)} cannot be made: ${why}.`, [
      'Name another file: --store <file>',
    ])
  }
}
