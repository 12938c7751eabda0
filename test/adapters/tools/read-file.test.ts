import { execFileSync } from 'node:child_process'
import { chmod, mkdir, open, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Tool } from '../../../src/core/ports/tool.ts'
import { fileTools } from '../../../src/adapters/tools/files.ts'
import { everywhere } from '../../../src/core/domain/media.ts'
import { textLimit } from '../../../src/adapters/tools/read-file.ts'
import { asUnprivileged } from './as-unprivileged.ts'
import { callTool, textOf } from './call-tool.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'

let root: string
let tools: readonly Tool[]

beforeEach(async () => {
  root = await temporaryFolder()
  tools = fileTools({ root })
})

const read = (path: string, range: object = {}) => callTool(tools, 'read_file', { path, ...range })

describe('text', () => {
  test('TOOL-02 reads a text file with any characters in its name and content', async () => {
    await writeFile(join(root, 'grüße 🌍.txt'), 'héllo\r\n世界 🌍\n')
    expect(await read('grüße 🌍.txt')).toEqual({
      content: [{ type: 'text', text: 'héllo\r\n世界 🌍\n' }],
      status: 'success',
      details: { path: 'grüße 🌍.txt', fromLine: 1, lines: 2 },
    })
  })

  test('TOOL-02 stops looking for a line at the first hole of a terabyte file', async () => {
    const path = join(root, 'holes')
    await writeFile(path, 'text\n'.repeat(2_000))
    await truncate(path, 2 ** 40)
    expect(await read('holes', { fromLine: 2_002 })).toEqual({
      content: [
        {
          type: 'text',
          text: '"holes" is not a text up to line 2002: it holds a zero byte before that. Ask for an earlier line.',
        },
      ],
      status: 'error',
    })
    expect(await read('holes', { fromLine: 2_000, lines: 1 })).toMatchObject({ details: { fromLine: 2_000, lines: 1 } })
  })

  test('TOOL-02 reports an empty file instead of sending empty text', async () => {
    await writeFile(join(root, 'empty'), '')
    expect(await read('empty')).toMatchObject({ content: [{ text: '[The file is empty.]' }], status: 'success' })
  })

  test.each([
    [{ fromLine: 2 }, '2\n3\n4', 3],
    [{ fromLine: 2, lines: 2 }, '2\n3\n', 2],
    [{ lines: 1 }, '1\n', 1],
    [{ fromLine: 4 }, '4', 1],
    [{ fromLine: 1, lines: 100 }, '1\n2\n3\n4', 4],
  ])('TOOL-02 reads the requested lines: %j', async (range, text, lines) => {
    await writeFile(join(root, 'four'), '1\n2\n3\n4')
    expect(await read('four', range)).toMatchObject({ content: [{ text }], details: { lines } })
  })

  test('TOOL-02 answers with an error when the first requested line does not exist', async () => {
    await writeFile(join(root, 'four'), '1\n2\n3\n4')
    expect(textOf(await read('four', { fromLine: 5 }))).toBe('"four" has fewer than 5 lines. Ask for an earlier line.')
  })

  test('TOOL-02 reads up to 1 MB completely and asks for a range above it', async () => {
    await writeFile(join(root, 'limit'), 'x'.repeat(textLimit))
    await writeFile(join(root, 'over'), 'x'.repeat(textLimit + 1))
    expect(textOf(await read('limit'))).toHaveLength(textLimit)
    const over = await read('over')
    expect(over.status).toBe('error')
    expect(textOf(over)).toContain('Give fromLine and lines')
  })

  test('TOOL-02 reads the end of a huge file piece by piece', async () => {
    const lines = Array.from({ length: 300_000 }, (_, index) => `line ${index + 1}`)
    await writeFile(join(root, 'huge'), lines.join('\n'))
    expect(textOf(await read('huge', { fromLine: 299_999 }))).toBe('line 299999\nline 300000')
  })

  test('TOOL-02 cuts a range of more than 1 MB after a whole line and reports the line', async () => {
    await writeFile(join(root, 'huge'), `${'y'.repeat(999)}\n`.repeat(3_000))
    const result = await read('huge', { fromLine: 11 })
    expect(result.status).toBe('warning')
    expect(result.details).toMatchObject({ fromLine: 11, lines: 1_000 })
    expect(result.content[1]).toEqual({
      type: 'text',
      text: '[Cut after line 1010: at most 1000000 bytes are read at once.]',
    })
  })

  test('TOOL-02 cuts one endless line after a whole character', async () => {
    await writeFile(join(root, 'long'), `a${'🌍'.repeat(400_000)}`)
    const { content } = await read('long', { fromLine: 1 })
    const [block] = content
    expect(block).toEqual({ type: 'text', text: `a${'🌍'.repeat(249_999)}` })
  })

  test('TOOL-02 shows bytes that are not UTF-8 as replacement characters and warns', async () => {
    await writeFile(join(root, 'latin'), Buffer.from([0x66, 0xfc, 0x72]))
    expect(await read('latin')).toMatchObject({ content: [{ text: 'f\uFFFDr' }, {}], status: 'warning' })
  })

  test('TOOL-02 refuses a binary file', async () => {
    await writeFile(join(root, 'binary'), Buffer.from([1, 2, 0, 4]))
    expect(await read('binary')).toEqual({
      content: [
        { type: 'text', text: '"binary" is a binary file of 4 bytes. Only text, images and PDFs can be read.' },
      ],
      status: 'error',
    })
  })
})

describe('images', () => {
  test.each([
    ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 1]],
    ['image/jpeg', [0xff, 0xd8, 0xff, 0xe0, 0]],
    ['image/gif', [...Buffer.from('GIF89a'), 0]],
    ['image/webp', [...Buffer.from('RIFF'), 1, 0, 0, 0, ...Buffer.from('WEBP')]],
  ])('TOOL-02 returns %s as image content, recognised by its bytes and not its name', async (mimeType, bytes) => {
    await writeFile(join(root, 'picture.txt'), Buffer.from(bytes))
    const data = Buffer.from(bytes).toString('base64')
    expect((await read('picture.txt')).content).toEqual([{ type: 'image', data, mimeType }])
  })

  test('TOOL-02 refuses an image that some models refuse', async () => {
    const path = join(root, 'large.png')
    await writeFile(path, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
    await truncate(path, everywhere.image)
    expect((await read('large.png')).status).toBeUndefined()
    await truncate(path, everywhere.image + 1)
    expect(textOf(await read('large.png'))).toContain('at most 3750000 can be read')
  })
})

describe('what cannot be read', () => {
  test('TOOL-02 answers with an error for a missing file, a folder and a file used as a folder', async () => {
    await mkdir(join(root, 'folder'))
    await writeFile(join(root, 'file'), '')
    const answers = await Promise.all([read('missing'), read('folder'), read('file/x'), read('x'.repeat(300))])
    expect(answers.map(({ status }) => status)).toEqual(['error', 'error', 'error', 'error'])
    expect(answers.map(textOf)).toEqual([
      '"missing": no such file or folder. List the folder to see what there is.',
      '"folder" is a folder. Use list_files to see what is in it.',
      '"file/x": a part of this path is a file, not a folder. List the folder to see what there is.',
      `"${'x'.repeat(300)}": the name is too long for this file system. Choose a shorter one.`,
    ])
  })

  test('TOOL-02 answers with an error without permission', async () => {
    await chmod(root, 0o755)
    await writeFile(join(root, 'locked'), 'secret')
    await chmod(join(root, 'locked'), 0)
    expect(await asUnprivileged(root, 'read_file', { path: 'locked' })).toMatchObject({
      content: [{ text: expect.stringContaining('no permission') }],
      status: 'error',
    })
  })

  test('TOOL-03 does not hang on a named pipe', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')])
    expect(textOf(await read('pipe'))).toBe('"pipe" is not a regular file and cannot be read.')
  })

  test('TOOL-03 refuses links out of the root and circular links', async () => {
    await symlink('/etc/hostname', join(root, 'out'))
    await symlink('circle', join(root, 'circle'))
    expect(textOf(await read('out'))).toContain('outside the root folder')
    expect(textOf(await read('circle'))).toContain('lead in a circle')
  })

  test('TOOL-02 stops when cancelled', async () => {
    const file = await open(join(root, 'file'), 'w')
    await file.close()
    const result = await callTool(tools, 'read_file', { path: 'file' }, { signal: AbortSignal.abort() })
    expect(textOf(result)).toBe('"file": cancelled before it was done.')
  })
})
