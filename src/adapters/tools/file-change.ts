import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { access, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { hashText } from '../../core/domain/text/json.ts'
import { nextLoopTurn } from '../../core/domain/text/platform.ts'
import type { ToolContext } from '../../core/ports/tool.ts'
import { failed } from './file-failure.ts'
import { openIn } from './held-folder.ts'
import { type HeldPlace, kindAt } from './held-place.ts'
import { readAt } from './read-lines.ts'

/** The maximum bytes of a file whose text is compared before it is changed. */
export const changedFileLimit = 5_000_000

/** A file before a change. All fields of a missing file are absent. */
export interface FileState {
  /**
   * Distinguishes this state from any other: a hash of the content, or of the identity of a file that is too large for
   * that.
   */
  readonly stamp: string
  readonly bytes: number
  /** Permission bits without set-uid and set-gid, which are not kept. */
  readonly mode?: number
  /** Undefined if there is no file, and if it is not UTF-8 text of at most `changedFileLimit` bytes. */
  readonly text?: string
}

/** The state of a missing file. */
export const absentFile: FileState = { stamp: 'absent', bytes: 0 }

/** The planned change of one file. */
export interface FileChange {
  readonly before: FileState
  readonly after: string
}

/** Returns the state of a regular file, or undefined for anything else. */
export async function stateOf(place: HeldPlace): Promise<FileState | undefined> {
  const kind = await kindAt(place)
  if (kind === undefined) return absentFile
  if (kind !== 'file') return undefined
  const file = await openIn(place.folder, place.name, constants.O_RDONLY)
  try {
    const stats = await file.stat()
    const mode = stats.mode & 0o777
    if (stats.size > changedFileLimit)
      return { stamp: `${stats.ino}:${stats.size}:${stats.mtimeMs}`, bytes: stats.size, mode }
    const onDisk = await readAt(file, 0, changedFileLimit)
    const bytes = place.text === undefined || onDisk.includes(0) ? onDisk : Buffer.from(await place.text.read())
    const stamp = createHash('sha256').update(bytes).digest('hex')
    await nextLoopTurn()
    const text = textIn(bytes)
    return { stamp, bytes: bytes.length, mode, ...(text === undefined ? {} : { text }) }
  } finally {
    await file.close()
  }
}

/**
 * Writes beside the target and renames, or lets the editor write, unless the file has changed since. No reader sees
 * half a file.
 */
export async function applyChange(place: HeldPlace, { before, after }: FileChange, context: ToolContext) {
  const target = join(place.folder.path, place.name)
  const isUnchanged = async () => (await stateOf(place))?.stamp === before.stamp
  const meanwhile = `"${place.shown}" was changed meanwhile; nothing was written. Read it and try again.`
  if (place.text !== undefined) {
    if (!(await isUnchanged())) return failed(meanwhile)
    await place.folder.recheck()
    context.signal.throwIfAborted()
    await place.text.write(after)
    return undefined
  }
  const temporary = join(place.folder.path, `.write-${hashText(context.idempotencyKey)}.tmp`)
  if (before.mode !== undefined) await access(target, constants.W_OK)
  try {
    await rm(temporary, { force: true })
    await writeNew(place, temporary, after, before.mode)
    context.signal.throwIfAborted()
    if (!(await isUnchanged())) return failed(meanwhile)
    await place.folder.recheck()
    await rename(temporary, target)
    return undefined
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Strict, so that the text is written back exactly as it was read. */
function textIn(bytes: Uint8Array): string | undefined {
  try {
    return bytes.includes(0) ? undefined : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

async function writeNew({ folder }: HeldPlace, path: string, content: string, mode: number | undefined): Promise<void> {
  const { O_CREAT, O_EXCL, O_WRONLY } = constants
  const file = await openIn(folder, path.slice(folder.path.length + 1), O_CREAT | O_EXCL | O_WRONLY)
  try {
    await file.writeFile(content)
    if (mode !== undefined) await file.chmod(mode)
    await file.sync()
  } finally {
    await file.close()
  }
}
