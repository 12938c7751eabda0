import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { z } from 'zod'
import { everywhere } from '../../core/domain/media.ts'
import { fileTypeOf } from '../../core/domain/media-type.ts'
import { readBlock } from '../../core/domain/read-block.ts'
import { base64Of } from '../../core/domain/text/base64.ts'
import type { Tool, ToolResult } from '../../core/ports/tool.ts'
import { tool } from '../../core/ports/define-tool.ts'
import type { TextFiles } from './text-files.ts'
import { resolvedPath } from './resolved-path.ts'
import { confineToAny } from './confine-path.ts'
import { failed } from './file-failure.ts'
import { openIn } from './held-folder.ts'
import { type HeldPlace, inFolderOf, kindAt, textAt, withPath } from './held-place.ts'
import { readAt, type ReadBytes, readLines, type ReadLines, searchLimit } from './read-lines.ts'

/** The maximum bytes of text in one call's result. */
export const textLimit = 1_000_000

const input = z.object({
  path: z.string().min(1).describe('File to read, from the root folder'),
  fromLine: z.int().min(1).optional().describe('First line to read, counted from 1. Default 1'),
  lines: z.int().min(1).optional().describe('How many lines to read. Default: all of a file up to 1 MB'),
})

/**
 * Returns the tool `read_file`: texts up to 1 MB, images up to 3.75 MB, PDFs up to 4.5 MB. `readable` lists more
 * folders.
 */
export function readFileTool(root: string, readable?: () => readonly string[], texts?: TextFiles): Tool {
  return tool({
    name: 'read_file',
    label: 'Read file',
    description:
      'Reads a text file, an image or a PDF inside the root folder. Give fromLine and lines to read a part of a large file.' +
      (readable === undefined ? '' : ' A file of a skill is named by its absolute path.'),
    input,
    ruleFields: { path: resolvedPath(root, readable) },
    effects: 'none',
    execute: (wanted, { signal }) =>
      withPath(
        wanted.path,
        signal,
        () => confineToAny(root, readable?.() ?? [], wanted.path),
        async (inside) => {
          const read = (place: HeldPlace) => readPlace(place, wanted, signal)
          const result = await inFolderOf(inside, read, textAt(inside, texts, signal))
          return result ?? folderRefused(inside.shown)
        },
      ),
  })
}

function folderRefused(shown: string): ToolResult {
  return failed(`"${shown}" is a folder. Use list_files to see what is in it.`)
}

function notRegular(shown: string): ToolResult {
  return failed(`"${shown}" is not a regular file and cannot be read.`)
}

/** Looks before it opens: opening a device can have effects. */
async function readPlace(place: HeldPlace, wanted: z.infer<typeof input>, signal: AbortSignal): Promise<ToolResult> {
  const kind = await kindAt(place)
  if (kind === 'folder') return folderRefused(place.shown)
  if (kind === 'other') return notRegular(place.shown)
  const file = await openIn(place.folder, place.name, constants.O_RDONLY)
  try {
    return await readOpened(file, place, wanted, signal)
  } finally {
    await file.close()
  }
}

async function readOpened(
  file: FileHandle,
  { shown, text }: HeldPlace,
  { fromLine, lines }: z.infer<typeof input>,
  signal: AbortSignal,
): Promise<ToolResult> {
  const stats = await file.stat()
  if (!stats.isFile()) return notRegular(shown)
  const head = await readAt(file, 0, 8192)
  const type = fileTypeOf(head)
  if (type !== undefined) return await readMedia(file, shown, type.startsWith('image/') ? 'image' : 'file')
  if (head.includes(0)) {
    return failed(`"${shown}" is a binary file of ${stats.size} bytes. Only text, images and PDFs can be read.`)
  }
  const held = text && bytesOf(await text.read())
  const { bytes, size } = held ?? { bytes: file, size: stats.size }
  if (size > textLimit && fromLine === undefined && lines === undefined) {
    return failed(
      `"${shown}" has ${size} bytes; at most ${textLimit} are read at once. Give fromLine and lines to read a part.`,
    )
  }
  const range = { from: fromLine ?? 1, count: lines ?? Number.POSITIVE_INFINITY }
  return textResult(await readLines(bytes, range, textLimit, signal), shown, range.from, size)
}

/** The text that an editor has of a file, to be read as a file is. */
function bytesOf(text: string) {
  const all = Buffer.from(text)
  const read: ReadBytes['read'] = async (buffer, offset, length, position) => ({
    bytesRead: all.copy(buffer, offset, position, position + length),
  })
  return { bytes: { read }, size: all.length }
}

/** Reads no more than the limit, however the file grows meanwhile. */
async function readMedia(file: FileHandle, shown: string, kind: 'image' | 'file'): Promise<ToolResult> {
  const { size } = await file.stat()
  const most = everywhere[kind]
  const bytes = size > most ? undefined : await readAt(file, 0, Math.min(size, most) + 1)
  const what = kind === 'image' ? 'an image' : 'a PDF'
  if (bytes === undefined || bytes.length > most) {
    const found = Math.max(size, bytes?.length ?? 0)
    return failed(`"${shown}" is ${what} of ${found} bytes; at most ${most} can be read. Use a smaller one.`)
  }
  const { block, problem } = readBlock({ type: 'file', data: base64Of(bytes), name: shown })
  if (block === undefined) return failed(`"${shown}" cannot be read: ${problem}.`)
  return { content: [block], details: { path: shown, bytes: bytes.length } }
}

function textResult(read: ReadLines | 'no text' | undefined, shown: string, from: number, size: number): ToolResult {
  if (read === 'no text') {
    return failed(
      `"${shown}" is not a text up to line ${from}: it holds a zero byte before that. Ask for an earlier line.`,
    )
  }
  if (read === undefined) {
    const where = size > searchLimit ? ` in the first ${searchLimit} of its ${size} bytes` : ''
    return failed(`"${shown}" has fewer than ${from} lines${where}. Ask for an earlier line.`)
  }
  const notes = [
    ...(read.isCut ? [`[Cut after line ${from + read.lines - 1}: at most ${textLimit} bytes are read at once.]`] : []),
    ...(read.isValid ? [] : ['[Not valid UTF-8: unreadable bytes are shown as U+FFFD.]']),
  ]
  const texts = [read.text === '' ? '[The file is empty.]' : read.text, ...notes]
  return {
    content: texts.map((text) => ({ type: 'text', text })),
    status: notes.length === 0 ? 'success' : 'warning',
    details: { path: shown, fromLine: from, lines: read.lines },
  }
}
