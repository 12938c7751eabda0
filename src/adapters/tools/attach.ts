import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { mediaLimits } from '../../core/domain/media.ts'
import type { ShownContent } from '../../core/domain/message.ts'
import { readBlock } from '../../core/domain/read-block.ts'
import { base64Of } from '../../core/domain/text/base64.ts'
import { checkOptions, filledText, optional, type OptionShape, text } from '../../core/domain/text/option-shape.ts'
import { UsageError } from '../../core/domain/text/usage-error.ts'
import { errorCode } from './file-failure.ts'
import { cutText } from './foreign-text.ts'
import { readAt } from './read-lines.ts'

/** Options for attaching a file; both are optional. */
export interface AttachOptions {
  /** Default: that of the file. */
  readonly name?: string
  /** Default: what its first bytes say, else what its name says. */
  readonly mediaType?: string
}

const shape: OptionShape<AttachOptions> = { name: optional(text), mediaType: optional(text) }

/**
 * Reads a file as a block of a prompt or a result: a picture, a file such as a PDF, or a text. Use only paths that you
 * trust, because it follows links and opens whatever the process may read. Throws a `UsageError` `bad_prompt` that
 * names the problem.
 *
 * @example
 * await agent.run({ role: 'user', content: [{ type: 'text', text: 'Sum it up.' }, await attach('report.pdf')] })
 */
export async function attach(path: string, options: AttachOptions = {}): Promise<ShownContent> {
  filledText(path, { field: 'path', owner: 'attach' })
  checkOptions('attach', options, shape)
  const { name = basename(path), mediaType } = options
  const bytes = await readWhole(path)
  const label = mediaType === undefined ? {} : { mediaType }
  const { block, problem } = readBlock({ type: 'file', data: base64Of(bytes), name, ...label })
  if (block === undefined) throw refused(path, problem)
  return block
}

async function readWhole(path: string): Promise<Uint8Array> {
  let file: FileHandle
  try {
    // Without O_NONBLOCK, opening a pipe would wait for somebody to write to it.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    throw refused(path, `it cannot be opened: ${errorCode(error) ?? String(error)}`)
  }
  try {
    return await readBounded(file, path)
  } finally {
    await file.close()
  }
}

/** Reads no more than is kept, however large the file says it is and however it grows meanwhile. */
async function readBounded(file: FileHandle, path: string): Promise<Uint8Array> {
  const stats = await file.stat()
  if (!stats.isFile()) throw refused(path, 'it is not a regular file')
  const most = mediaLimits.file
  const bytes = stats.size > most ? undefined : await readAt(file, 0, stats.size + 1)
  if (bytes === undefined) throw refused(path, `it has ${stats.size} bytes, and at most ${most} are kept`)
  if (bytes.length > stats.size) throw refused(path, 'it grew while it was read')
  return bytes
}

function refused(path: string, problem: string): UsageError {
  const shown = JSON.stringify(cutText(path, 500, '…'))
  return new UsageError('bad_prompt', `The file ${shown} is refused: ${problem}. Give the path of another one.`)
}
