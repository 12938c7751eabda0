import { access, constants, mkdir, realpath, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { createAgent, type Store } from '../../../index.ts'
import type { RunRecord } from '../../../ports.ts'
import { noModel } from './choose-model.ts'
import type { CliIo } from '../terminal/cli-io.ts'
import { type CliError, misuse, unusable } from '../terminal/cli-error.ts'
import type { Options } from './options.ts'
import { oneLine } from '../terminal/safe-text.ts'

/** The locations of a command. */
export interface Places {
  /** The folder that the tools are confined to. */
  readonly root: string
  /** The SQLite file. */
  readonly file: string
  /** The address of a Postgres database, in place of the file. */
  readonly database?: string
}

/** Returns the root folder and the store's file, both absolute. */
export function placesOf({ cwd }: CliIo, { root = '.', store }: Options): Places {
  if (root === '' || store === '') throw misuse('bad_option', 'An empty path was given.', 'Name a folder or a file.')
  const folder = resolve(cwd, root)
  if (store !== undefined && /^postgres(ql)?:\/\//.test(store))
    return { root: folder, file: '', database: checkedAddress(store) }
  return { root: folder, file: store === undefined ? join(folder, '.statewright', 'runs.db') : resolve(cwd, store) }
}

function checkedAddress(given: string): string {
  if (URL.canParse(given)) return given
  const wish = 'Expected postgres://user@host/database.'
  throw misuse('bad_option', 'The address of --store cannot be read.', wish)
}

/** Returns the address without its password, for printing; `PGPASSWORD` or a `.pgpass` file can provide it. */
export function printedAddress(database: string): string {
  const url = new URL(database)
  url.password = ''
  url.searchParams.delete('password')
  return url.href
}

/** Throws if the root is not a folder. */
export async function requireFolder({ root }: Places): Promise<void> {
  if (await isFolder(root)) return
  throw misuse('bad_root', `There is no folder ${oneLine(root, 500)}.`, 'Name one that exists: --root <folder>')
}

/** Throws if the store is missing, so that reading a run never creates an empty store. */
export async function requireFile({ file, database }: Places): Promise<void> {
  if (database !== undefined || (await isThere(file))) return
  const hints = ['Start a run with: statewright run "<prompt>"', 'Or name another store: --store <file>']
  throw unusable('no_store', `There is no store at ${oneLine(file, 500)}.`, ...hints)
}

/** Returns true if a file can be read, and false if it does not exist; throws for any other failure. */
export async function isThere(file: string): Promise<boolean> {
  try {
    await access(file, constants.R_OK)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    const why = codeOf(error) ?? 'unknown reason'
    const wish = 'Check the path and its permissions, or name another file: --store <file>'
    throw unusable('no_store', `The store ${oneLine(file, 500)} cannot be read: ${why}.`, wish)
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

/** Creates the store's folder, which only its owner can read and git ignores. */
export async function makeFolder({ file, database }: Places): Promise<void> {
  if (database !== undefined) return
  const folder = dirname(file)
  try {
    const made = await mkdir(folder, { recursive: true, mode: 0o700 })
    if (made !== undefined && basename(folder) === '.statewright') await writeFile(join(folder, '.gitignore'), '*\n')
  } catch (error) {
    const why = error instanceof Error ? oneLine(error.message, 500) : 'unknown reason'
    const message = `The folder ${oneLine(folder, 500)} cannot be created: ${why}.`
    throw unusable('no_store', message, 'Name another file: --store <file>')
  }
}

/** The agent's name of every run that the command line starts. */
export const agentName = 'statewright'

/** The data that the command line stores with a run that it starts. */
export interface RunHome {
  /** Absolute path of the folder that its tools work in. */
  readonly root: string
  /** The model as `provider/model`, as requested when the run started. */
  readonly model: string
  /** The name of the sandbox for its commands; undefined for a run without commands. */
  readonly shell?: string
}

/** Returns the home of a stored run, or undefined for a run of another program, whose tools are unknown here. */
export async function homeOf(store: Store, { id, agent }: RunRecord): Promise<RunHome | undefined> {
  if (agent !== agentName) return undefined
  const run = await createAgent({ name: agentName, model: noModel, store }).load(id)
  const { root, model, shell } = await run.labels()
  if (root === undefined || model === undefined) return undefined
  return { root, model, ...(shell === undefined ? {} : { shell }) }
}

/** Returns the folder in which a run works. Another folder may be given only if the run's own is gone. */
export async function rootOf(runId: string, { root }: RunHome, cwd: string, given: string | undefined) {
  if (given === undefined) return root
  const asked = resolve(cwd, given)
  const [real, realAsked] = await Promise.all([realPathOf(root), realPathOf(asked)])
  if (real === undefined || real === realAsked) return real === undefined ? asked : root
  const message = `Run ${runId} works in ${oneLine(root, 500)}, not in ${oneLine(asked, 500)}.`
  throw misuse('other_root', message, 'Leave out --root: the folder is stored with the run.')
}

/** Throws for a run whose folder is gone. */
export async function requireRoot(runId: string, root: string): Promise<void> {
  if (await isFolder(root)) return
  const message = `The folder ${oneLine(root, 500)} of run ${runId} does not exist any more.`
  throw unusable('no_root', message, 'Put it back, or say where it is now: --root <folder>')
}

/** Returns the error for driving a run of another program. */
export function foreignRun({ id, agent, status }: RunRecord): CliError {
  const message = `Run ${id} belongs to the agent "${oneLine(agent)}" of another program; its tools and its model are not known here.`
  const driveOn = 'Continue it with its agent: --agents <module>, or with the program that started it.'
  const store = 'To store a decision or a cancel for that program, add --no-drive to approve, deny, respond or cancel.'
  const goOn = 'Continue it with its agent: --agents <module>, or with the program that started it.'
  return unusable('foreign_run', message, ...(status === 'done' ? [goOn] : [driveOn, store]))
}

async function isFolder(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined)
  return stats?.isDirectory() ?? false
}

async function realPathOf(path: string): Promise<string | undefined> {
  return await realpath(path).catch(() => undefined)
}
