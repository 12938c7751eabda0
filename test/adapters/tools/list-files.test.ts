import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { Tool } from '../../../src/core/ports/tool.ts'
import { fileTools } from '../../../src/adapters/tools/files.ts'
import { listLimit } from '../../../src/adapters/tools/list-files.ts'
import { callTool, textOf } from './call-tool.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'

let root: string
let tools: readonly Tool[]

beforeEach(async () => {
  root = await temporaryFolder()
  tools = fileTools({ root })
  for (const folder of ['src/deep', 'node_modules/zod', '.git/refs', '.statewright']) {
    await mkdir(join(root, folder), { recursive: true })
  }
  for (const file of ['b.txt', 'a.txt', 'src/deep/ü.ts', 'node_modules/zod/index.js', '.git/HEAD', '.gitignore']) {
    await writeFile(join(root, file), '')
  }
  await symlink('src', join(root, 'link'))
})

const list = (given: object = {}) => callTool(tools, 'list_files', given)

test('TOOL-02 lists the root folder by default, sorted, with folders and links marked', async () => {
  expect(await list()).toEqual({
    content: [
      {
        type: 'text',
        text: ['.git/', '.gitignore', '.statewright/', 'a.txt', 'b.txt', 'link (link)', 'node_modules/', 'src/'].join(
          '\n',
        ),
      },
    ],
    status: 'success',
  })
})

test('TOOL-02 lists recursively without entering links, node_modules, .git and .statewright', async () => {
  expect(textOf(await list({ recursive: true })).split('\n')).toEqual([
    '.git/',
    '.gitignore',
    '.statewright/',
    'a.txt',
    'b.txt',
    'link (link)',
    'node_modules/',
    'src/',
    'src/deep/',
    'src/deep/ü.ts',
  ])
})

test('TOOL-02 lists a skipped folder when it is named', async () => {
  expect(textOf(await list({ path: 'node_modules', recursive: true }))).toBe(
    'node_modules/zod/\nnode_modules/zod/index.js',
  )
})

test('TOOL-02 reports an empty folder', async () => {
  expect(textOf(await list({ path: '.statewright' }))).toBe('[The folder is empty.]')
})

test('TOOL-02 cuts a long list, warns and reports progress on the way', async () => {
  await mkdir(join(root, 'many'))
  await Promise.all(Array.from({ length: listLimit + 1 }, (_, index) => writeFile(join(root, 'many', `${index}`), '')))
  const reported: string[] = []
  const progress = (text: string) => reported.push(text)
  const result = await callTool(tools, 'list_files', { path: 'many' }, { progress })
  expect(result.status).toBe('warning')
  expect(textOf(result).split('\n')).toHaveLength(listLimit + 1)
  expect(textOf(result)).toContain('[Cut after 1000 entries. List a folder further down.]')
  expect(reported).toEqual([200, 400, 600, 800, 1_000].map((count) => `Listing: ${count} entries`))
})

test('TOOL-02 does not cut a list of exactly the limit', async () => {
  await mkdir(join(root, 'many'))
  await Promise.all(Array.from({ length: listLimit }, (_, index) => writeFile(join(root, 'many', `${index}`), '')))
  expect((await list({ path: 'many' })).status).toBe('success')
})

test('TOOL-03 shows a name with a line feed as JSON, so that it cannot look like two entries', async () => {
  await mkdir(join(root, 'odd'))
  await writeFile(join(root, 'odd', 'a\nb.txt'), '')
  expect(textOf(await list({ path: 'odd' }))).toBe('"odd/a\\nb.txt"')
})

test('TOOL-02 answers with an error for a file, a missing folder and a path outside', async () => {
  expect(textOf(await list({ path: 'a.txt' }))).toContain('a part of this path is a file')
  expect(textOf(await list({ path: 'missing' }))).toContain('no such file or folder')
  expect(textOf(await list({ path: '../../' }))).toContain('outside the root folder')
})

test('TOOL-02 stops listing when cancelled', async () => {
  const cancel = new AbortController()
  await mkdir(join(root, 'many'))
  await Promise.all(Array.from({ length: 250 }, (_, index) => writeFile(join(root, 'many', `${index}`), '')))
  const progress = () => cancel.abort()
  const result = await callTool(tools, 'list_files', { recursive: true }, { signal: cancel.signal, progress })
  expect(textOf(result)).toBe('".": cancelled before it was done.')
})

test('TOOL-02 shortens names in deep folders by their characters', async () => {
  const deep = Array.from({ length: 12 }, () => 'd'.repeat(200)).join('/')
  await mkdir(join(root, deep), { recursive: true })
  for (let at = 0; at < 100; at++) await writeFile(join(root, deep, `f${at}`), '')
  const text = textOf(await list({ recursive: true }))
  expect(text.length).toBeLessThan(101_000)
  expect(text).toMatch(/\n\[Cut after \d\d entries\. List a folder further down\.\]$/)
})
