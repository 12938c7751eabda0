import { execFileSync } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import type { Tool } from '../../../src/core/ports/tool.ts'
import { fileTools } from '../../../src/adapters/tools/files.ts'
import { callTool, textOf } from './call-tool.ts'

let root: string
let tools: readonly Tool[]

beforeEach(async () => {
  root = await temporaryFolder()
  tools = fileTools({ root, write: 'allow' })
})

const answer = async (name: string, given: unknown) => textOf(await callTool(tools, name, given))
const edits = [{ oldText: 'a', newText: 'b' }]

/** The results of every tool for one path. */
async function answersOn(path: string): Promise<readonly string[]> {
  return [
    await answer('read_file', { path }),
    await answer('list_files', { path }),
    await answer('search_files', { path, query: 'a' }),
    await answer('write_file', { path, content: 'x' }),
    await answer('edit_file', { path, edits }),
  ]
}

const refusals = [
  '"odd" is not a regular file and cannot be read.',
  expect.stringContaining('a part of this path is a file, not a folder'),
  expect.stringContaining('a part of this path is a file, not a folder'),
  '"odd" is a folder or a special file. Name a file.',
  '"odd" is a folder or a special file. Name a file.',
]

test('TOOL-03 no file tool hangs on a named pipe or replaces it', async () => {
  execFileSync('mkfifo', [join(root, 'odd')])
  expect(await answersOn('odd')).toEqual(refusals)
  expect((await stat(join(root, 'odd'))).isFIFO()).toBe(true)
})

test.skipIf(process.getuid?.() !== 0)('TOOL-03 no file tool opens a device or replaces it', async () => {
  execFileSync('mknod', [join(root, 'odd'), 'c', '1', '5'])
  expect(await answersOn('odd')).toEqual(refusals)
  expect((await stat(join(root, 'odd'))).isCharacterDevice()).toBe(true)
})

describe('large files', () => {
  test('TOOL-02 no file tool reads 5 GB', async () => {
    await writeFile(join(root, 'huge'), 'a line\n')
    await truncate(join(root, 'huge'), 5 * 2 ** 30)
    const before = process.memoryUsage().arrayBuffers
    expect(await answer('read_file', { path: 'huge' })).toContain('is a binary file of 5368709120 bytes')
    expect(await answer('search_files', { query: 'a' })).toContain('[Not searched, over 1000000 bytes: huge]')
    expect(await answer('edit_file', { path: 'huge', edits })).toContain('has more than 5000000 bytes')
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000)
    expect(await answer('write_file', { path: 'huge', content: 'x' })).toBe('Replaced huge (1 bytes).')
  })

  test('TOOL-02 a file that grows while it is read is read up to the limit', async () => {
    const path = join(root, 'growing')
    await writeFile(path, 'x'.repeat(900_000))
    const grower = createWriteStream(path, { flags: 'a' })
    const grow = setInterval(() => grower.write('y'.repeat(500_000)), 1)
    try {
      for (let time = 0; time < 20; time++) {
        const length = (await answer('read_file', { path: 'growing', fromLine: 1 })).length
        expect(length).toBeLessThan(1_001_000)
      }
    } finally {
      clearInterval(grow)
      await new Promise((resolve) => grower.end(resolve))
    }
  })

  test('TOOL-02 an image that grows beyond the limit is refused', async () => {
    const file = await open(join(root, 'image.png'), 'w')
    await file.write(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
    await file.truncate(25_000_000)
    await file.close()
    expect(await answer('read_file', { path: 'image.png' })).toContain('at most 3750000 can be read')
  })
})

test('TOOL-03 shows a name with line breaks and control characters as one name', async () => {
  await mkdir(join(root, 'fol\nder'))
  await writeFile(join(root, 'fol\nder', 'a\u001b[2Jb\n.txt'), 'needle')
  const shown = String.raw`"fol\nder/a\u001b[2Jb\n.txt"`
  expect(await answer('list_files', { recursive: true })).toBe(`${String.raw`"fol\nder"`}/\n${shown}`)
  expect(await answer('search_files', { query: 'needle' })).toBe(`${shown}:1: needle`)
})

test('TOOL-03 refuses lone surrogates in texts and names, without any change', async () => {
  const [high, low] = ['\ud83d', '\ude00']
  await writeFile(join(root, 'a'), 'a😀b')
  const why = (code: string, at: number) =>
    `"a" would hold half of a character, U+${code} without its other half, at position ${at}. Nothing was written. Give whole characters.`
  expect(await answer('write_file', { path: 'a', content: `one${high}` })).toBe(why('D83D', 3))
  expect(await answer('edit_file', { path: 'a', edits: [{ oldText: 'b', newText: low }] })).toBe(why('DE00', 3))
  expect(await answer('edit_file', { path: 'a', edits: [{ oldText: low, newText: 'x' }] })).toBe(why('D83D', 1))
  for (const said of await answersOn(`a${high}`)) expect(said).toContain('contains half of a character')
  expect(await answer('read_file', { path: 'a' })).toBe('a😀b')
  expect(await readdir(root)).toEqual(['a'])
})

test('TOOL-03 spells out names with invisible characters', async () => {
  await writeFile(join(root, 'a\u200b\u202e\u{e0041}b'), 'needle')
  expect(await answer('list_files', {})).toBe(String.raw`"a\u200b\u202e\udb40\udc41b"`)
})

test('TOOL-03 shortens a path of a million characters in messages', async () => {
  for (const said of await answersOn('../../'.repeat(300_000))) expect(said.length).toBeLessThan(1_000)
})

test('TOOL-03 treats names only as names', async () => {
  for (const path of ['$(touch made)', '`touch made`', '; touch made', '-rf', '--help', '%s', '~', '*']) {
    await answer('write_file', { path, content: 'x' })
    expect(await answer('read_file', { path })).toBe('x')
  }
  expect(await readdir(root)).not.toContain('made')
})

test('TOOL-03 reads no arguments from a prototype', async () => {
  await writeFile(join(root, 'a'), 'a')
  const given: unknown = JSON.parse('{"path":"a","__proto__":{"fromLine":9},"constructor":{"prototype":{"lines":0}}}')
  expect(await answer('read_file', given)).toBe('a')
  expect(Object.keys(Object.prototype)).toEqual([])
})

test('TOOL-02 passes over folders nested too deeply for the walk', async () => {
  execFileSync('bash', ['-c', 'for i in $(seq 150); do mkdir d && cd d || exit; done; echo needle > deep'], {
    cwd: root,
  })
  await writeFile(join(root, 'e'), 'needle')
  expect(await answer('search_files', { query: 'needle' })).toBe('e:1: needle')
  expect((await answer('list_files', { recursive: true })).split('\n')).toHaveLength(102)
})
