import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileTools } from '../../src/adapters/tools/files.ts'
import { callTool } from '../call-tool.ts'

/** Previews the replacement of every one of so many lines. */
export async function previewReplaced(lines: number): Promise<void> {
  await inFolder(async (root) => {
    writeFileSync(join(root, 'a'), linesFrom(0, lines))
    const preview = fileTools({ root }).find(({ name }) => name === 'write_file')?.preview
    if (preview === undefined) throw new Error('write_file has no preview.')
    const run = { id: 'r', subject: 'r', labels: {} }
    const context = {
      runId: 'r',
      run,
      callId: 'c',
      toolName: 'write_file',
      state: null,
      signal: new AbortController().signal,
    }
    await preview({ path: 'a', content: linesFrom(lines, lines) } as never, context)
  })
}

/** Reads both texts of such a replacement, line by line. */
export async function readReplaced(lines: number): Promise<void> {
  await inFolder(async (root) => {
    writeFileSync(join(root, 'a'), linesFrom(0, lines))
    linesFrom(lines, lines)
      .split('\n')
      .concat(readFileSync(join(root, 'a'), 'utf8').split('\n'))
  })
}

/** Makes an edit whose text is not in a file of so many bytes, but nearly so everywhere. */
export async function editMissing(bytes: number): Promise<void> {
  await inFolder(async (root) => {
    writeFileSync(join(root, 'a'), fileOf(bytes))
    const oldText = `${'one two '.repeat(25_000)}three`
    const tool = fileTools({ root, write: 'allow' }).find(({ name }) => name === 'edit_file')
    if (tool === undefined) throw new Error('There is no edit_file.')
    const { status } = await callTool(tool, { path: 'a', edits: [{ oldText, newText: '' }] })
    if (status !== 'error') throw new Error('The edit was made.')
  })
}

/** Looks in such a file for a word. */
export async function lookInFile(bytes: number): Promise<void> {
  await inFolder(async (root) => {
    writeFileSync(join(root, 'a'), fileOf(bytes))
    readFileSync(join(root, 'a'), 'utf8').includes('three')
  })
}

function linesFrom(first: number, count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${first + index}\n`).join('')
}

function fileOf(bytes: number): string {
  return 'one two '.repeat(bytes / 8)
}

/** Does something in a new folder, which is gone afterwards. */
export async function inFolder(work: (root: string) => Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'statewright-bench-'))
  try {
    await work(root)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
