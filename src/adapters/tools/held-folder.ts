import { closeSync, constants, existsSync, openSync } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from './file-failure.ts'
import { readAt } from './read-lines.ts'

/** A folder that is certainly the checked one: held open by a descriptor (Linux), or compared by device and inode. */
export interface HeldFolder {
  /** A path by which this process reaches the folder while it is held. */
  readonly path: string
  /** Holds a folder in this one; a link in its place is refused. */
  enter(name: string): Promise<HeldFolder>
  /** Throws with code `ESTALE` if the path leads elsewhere by now. */
  recheck(): Promise<void>
  /** Throws with code `ESTALE` if the opened file is not the one of this name in this folder. */
  confirm(name: string, file: FileHandle): Promise<void>
  close(): Promise<void>
}

/** The way to hold a folder: by a file descriptor, or by its identity. */
export type HoldingWay = 'descriptor' | 'identity'

const platformWay: HoldingWay = process.platform === 'linux' && existsSync('/proc/self/fd') ? 'descriptor' : 'identity'

/** Holds the folder to which `names` lead from `root`, step by step and without following links. */
export async function holdFolder(
  root: string,
  names: readonly string[],
  way: HoldingWay = platformWay,
): Promise<HeldFolder> {
  let folder = await holdRoot(root, way)
  for (const name of names) {
    const outer = folder
    try {
      folder = await outer.enter(name)
    } finally {
      await outer.close()
    }
  }
  return folder
}

/**
 * Holds a folder as `holdFolder` does and works in it, after creating missing folders. Created folders that stay empty
 * are removed again.
 */
export async function inMadeFolder<Result>(
  root: string,
  names: readonly string[],
  work: (folder: HeldFolder) => Promise<Result>,
  way: HoldingWay = platformWay,
): Promise<Result> {
  return await inFolders(await holdRoot(root, way), names, work)
}

async function inFolders<Result>(
  folder: HeldFolder,
  [name, ...deeper]: readonly string[],
  work: (folder: HeldFolder) => Promise<Result>,
): Promise<Result> {
  try {
    if (name === undefined) return await work(folder)
    const isMade = await makeMissing(folder, name)
    try {
      return await inFolders(await folder.enter(name), deeper, work)
    } finally {
      if (isMade) await removeEmpty(folder, name)
    }
  } finally {
    await folder.close()
  }
}

async function makeMissing(folder: HeldFolder, name: string): Promise<boolean> {
  const path = join(folder.path, name)
  try {
    await lstat(path)
    return false
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
  await folder.recheck()
  try {
    await mkdir(path)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

async function removeEmpty(folder: HeldFolder, name: string): Promise<void> {
  try {
    await folder.recheck()
    await rmdir(join(folder.path, name))
  } catch {
    return
  }
}

async function holdRoot(root: string, way: HoldingWay): Promise<HeldFolder> {
  return way === 'descriptor' ? await heldByDescriptor(root) : await heldByIdentity(root)
}

/** Opens the folder at once, because a turn of the event loop for each folder is most of the cost of a walk. */
async function heldByDescriptor(path: string): Promise<HeldFolder> {
  const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants
  const descriptor = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  const held = `/proc/${process.pid}/fd/${descriptor}`
  return {
    path: held,
    enter: (name) => heldByDescriptor(join(held, name)),
    recheck: async () => {},
    confirm: async () => {},
    close: async () => closeSync(descriptor),
  }
}

async function heldByIdentity(path: string, outer?: HeldFolder): Promise<HeldFolder> {
  const first = await identityOf(path)
  const recheck = async () => {
    await outer?.recheck()
    if ((await identityOf(path)) !== first) throw stale()
  }
  const held: HeldFolder = {
    path,
    enter: async (name) => {
      const inner = await heldByIdentity(join(path, name), held)
      await inner.recheck()
      return inner
    },
    recheck,
    confirm: async (name, file) => {
      await recheck()
      const [opened, present] = await Promise.all([
        file.stat({ bigint: true }),
        lstat(join(path, name), { bigint: true }),
      ])
      if (opened.dev !== present.dev || opened.ino !== present.ino) throw stale()
      await recheck()
    },
    close: async () => {},
  }
  return held
}

async function identityOf(path: string): Promise<string> {
  const stats = await lstat(path, { bigint: true })
  if (!stats.isDirectory()) throw Object.assign(new Error('A part of the path is not a folder.'), { code: 'ENOTDIR' })
  return `${stats.dev}:${stats.ino}`
}

function stale(): Error {
  return Object.assign(new Error('The path leads elsewhere by now.'), { code: 'ESTALE' })
}

/** Opens a file in a held folder, without following a link or blocking on a pipe. `flags` are those of `open`. */
export async function openIn(folder: HeldFolder, name: string, flags: number): Promise<FileHandle> {
  const file = await open(join(folder.path, name), flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    await folder.confirm(name, file)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Reads at most `most` bytes from the beginning of a file in a held folder. */
export async function readIn(folder: HeldFolder, name: string, most: number): Promise<Buffer> {
  const file = await openIn(folder, name, constants.O_RDONLY)
  try {
    const bytes = await readAt(file, 0, Math.min((await file.stat()).size, most))
    return Buffer.from(bytes.buffer, 0, bytes.length)
  } finally {
    await file.close()
  }
}
