import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { Tool } from '../../../src/core/ports/tool.ts'
import { fileTools } from '../../../src/adapters/tools/files.ts'
import { matchLimit, searchedFileLimit } from '../../../src/adapters/tools/search-files.ts'
import { asUnprivileged } from './as-unprivileged.ts'
import { callTool, textOf } from './call-tool.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'

let root: string
let tools: readonly Tool[]

beforeEach(async () => {
  root = await temporaryFolder()
  tools = fileTools({ root })
  await mkdir(join(root, 'src'))
  await writeFile(join(root, 'src', 'b.ts'), 'const Größe = 1\r\nconst other = 2\n')
  await writeFile(join(root, 'a.md'), 'größe and a.b\naxb\n')
})

const search = (query: string, given: object = {}) => callTool(tools, 'search_files', { query, ...given })

test.each([
  ['text', 'größe', {}, 'a.md:1: größe and a.b'],
  [
    'text of any case',
    'GRÖSSE'.replace('SS', 'ß'),
    { ignoreCase: true },
    'a.md:1: größe and a.b\nsrc/b.ts:1: const Größe = 1',
  ],
  ['text, not an expression', 'a.b', {}, 'a.md:1: größe and a.b'],
  ['an expression', '^a.b$', { regex: true }, 'a.md:2: axb'],
  [
    'an expression of any case',
    'CONST .*= \\d$',
    { regex: true, ignoreCase: true },
    'src/b.ts:1: const Größe = 1\nsrc/b.ts:2: const other = 2',
  ],
  ['one file', 'const', { path: 'src/b.ts' }, 'src/b.ts:1: const Größe = 1\nsrc/b.ts:2: const other = 2'],
  ['one folder', 'e', { path: 'src' }, 'src/b.ts:1: const Größe = 1\nsrc/b.ts:2: const other = 2'],
  ['nothing', 'no such text', {}, 'No match in 2 files.'],
])('TOOL-02 finds %s', async (_what, query, given, expected) => {
  const result = await search(query, given)
  expect(textOf(result)).toBe(expected)
  expect(result.status).toBe('success')
})

test('TOOL-02 skips node_modules, .git, .statewright, links and binary files', async () => {
  for (const folder of ['node_modules', '.git', '.statewright', 'src/node_modules']) {
    await mkdir(join(root, folder))
    await writeFile(join(root, folder, 'x'), 'needle')
  }
  await writeFile(join(root, 'binary'), Buffer.from('needle\0'))
  await symlink('/etc', join(root, 'out'))
  await symlink('a.md', join(root, 'again.md'))
  await writeFile(join(root, 'found'), 'needle')
  expect(textOf(await search('needle'))).toBe('found:1: needle')
})

test('TOOL-02 names the files that are too large to search', async () => {
  await writeFile(join(root, 'large'), 'x'.repeat(searchedFileLimit + 1))
  const result = await search('nothing of that')
  expect(result.status).toBe('warning')
  expect(textOf(result)).toBe('No match in 3 files.\n[Not searched, over 1000000 bytes: large]')
})

test('TOOL-02 cuts the matches at the limit and reports it', async () => {
  await writeFile(join(root, 'many'), 'hit\n'.repeat(matchLimit + 1))
  const result = await search('hit')
  expect(result).toMatchObject({ status: 'warning', details: { matches: matchLimit, isCut: true } })
  expect(textOf(result).split('\n')).toHaveLength(matchLimit + 1)
  await writeFile(join(root, 'many'), 'hit\n'.repeat(matchLimit))
  expect(await search('hit')).toMatchObject({ status: 'success', details: { matches: matchLimit, isCut: false } })
})

test('TOOL-02 shortens a long line without cutting a character in half', async () => {
  await writeFile(join(root, 'long'), `x${'🌍'.repeat(1_000)} needle`)
  expect(textOf(await search('needle'))).toBe(`long:1: x${'🌍'.repeat(149)} […]`)
})

test('TOOL-02 answers with an error for an invalid expression', async () => {
  const result = await search('(', { regex: true })
  expect(result.status).toBe('error')
  expect(textOf(result)).toMatch(/^Invalid regular expression: .* Correct it, or search for plain text\.$/)
})

test('TOOL-03 stops an expression that backtracks forever', async () => {
  await writeFile(join(root, 'bait'), `${'a'.repeat(60)}!`)
  const result = await search('(a+)+$', { regex: true, path: 'bait' })
  expect(result.status).toBe('error')
  expect(textOf(result)).toBe('The expression takes too long on "bait". Use a simpler one, or plain text.')
})

test('TOOL-02 reports progress and stops when cancelled', async () => {
  await mkdir(join(root, 'many'))
  await Promise.all(Array.from({ length: 250 }, (_, index) => writeFile(join(root, 'many', `${index}`), 'x')))
  const reported: string[] = []
  const cancel = new AbortController()
  const progress = (text: string) => {
    reported.push(text)
    cancel.abort()
  }
  const result = await callTool(tools, 'search_files', { query: 'größe' }, { signal: cancel.signal, progress })
  expect(textOf(result)).toBe('".": cancelled before it was done.')
  expect(reported).toEqual(['Searching: 200 files, 1 matches'])
})

test('TOOL-02 skips unreadable files and finds the rest', async () => {
  await chmod(root, 0o755)
  await mkdir(join(root, 'closed'))
  await writeFile(join(root, 'locked'), 'größe')
  await chmod(join(root, 'locked'), 0)
  await chmod(join(root, 'closed'), 0)
  expect(await asUnprivileged(root, 'search_files', { query: 'größe' })).toMatchObject({
    content: [{ text: 'a.md:1: größe and a.b' }],
    status: 'success',
  })
})

test('TOOL-03 refuses a path outside and a missing one', async () => {
  expect(textOf(await search('x', { path: '/etc' }))).toContain('outside the root folder')
  expect(textOf(await search('x', { path: 'missing' }))).toContain('no such file or folder')
})
