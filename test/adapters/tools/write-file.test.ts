import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { hashText } from '../../../src/core/domain/text/json.ts'
import type { Tool } from '../../../src/core/ports/tool.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { fileTools } from '../../../src/adapters/tools/files.ts'
import { asUnprivileged } from './as-unprivileged.ts'
import { callTool, textOf } from './call-tool.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'

let root: string
let tools: readonly Tool[]

beforeEach(async () => {
  root = join(await temporaryFolder(), 'root')
  await mkdir(root)
  tools = fileTools({ root })
})

const write = (path: string, content: string) => callTool(tools, 'write_file', { path, content })
const detailsOf = async (path: string, content: string) => (await write(path, content)).details
const toolNamed = (name: string, from = tools) => from.find((tool) => tool.name === name)

test('TOOL-03 asks once before it writes, unless configured otherwise; the other tools only read', () => {
  expect(toolNamed('write_file')).toMatchObject({ needs: 'approval', effects: 'once' })
  expect(toolNamed('write_file', fileTools({ root, write: 'allow' }))).not.toHaveProperty('needs')
  for (const name of ['read_file', 'list_files', 'search_files']) {
    expect(toolNamed(name)).toMatchObject({ effects: 'none' })
    expect(toolNamed(name)).not.toHaveProperty('needs')
  }
})

test('TOOL-02 creates a file and its folders', async () => {
  expect(await write('new/deep/grüße.txt', 'hällo 🌍')).toEqual({
    content: [{ type: 'text', text: 'Created new/deep/grüße.txt (11 bytes).' }],
    details: {
      path: 'new/deep/grüße.txt',
      bytes: 11,
      diff: '--- /dev/null\n+++ b/new/deep/grüße.txt\n@@ -0,0 +1,1 @@\n+hällo 🌍\n\\ No newline at end of file\n',
    },
  })
  expect(await readFile(join(root, 'new/deep/grüße.txt'), 'utf8')).toBe('hällo 🌍')
})

test('TOOL-02 replaces a file completely, keeps its mode and leaves no other file', async () => {
  await writeFile(join(root, 'run.sh'), 'a long old content')
  await chmod(join(root, 'run.sh'), 0o750)
  expect(textOf(await write('run.sh', 'new'))).toBe('Replaced run.sh (3 bytes).')
  expect(await readFile(join(root, 'run.sh'), 'utf8')).toBe('new')
  expect((await stat(join(root, 'run.sh'))).mode & 0o777).toBe(0o750)
  expect(await readdir(root)).toEqual(['run.sh'])
})

test('TOOL-02 keeps a unified diff of the change in its details', async () => {
  await writeFile(join(root, 'a\nb'), 'one\ntwo\nthree\n')
  expect(await detailsOf('a\nb', 'one\n2\nthree\n')).toEqual({
    path: 'a\nb',
    bytes: 12,
    diff: '--- a/"a\\nb"\n+++ b/"a\\nb"\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
  })
})

test.each([
  ['what it replaces is binary', Buffer.from([0, 1, 2]), 'x', /^\[No diff: what is replaced is not text/],
  ['thousands of lines change their places', mixed(1), mixed(2), /^\[No diff: too many lines change, or change their/],
  ['it is long', '', `${'x'.repeat(99)}\n`.repeat(1_000), /\n\[Cut after 499\d\d of 1010\d\d characters\.\]$/],
])('TOOL-02 says why it shows no complete diff if %s', async (_what, before, after, expected) => {
  await writeFile(join(root, 'a'), before)
  expect(await detailsOf('a', after)).toMatchObject({ diff: expect.stringMatching(expected) })
})

test('TOOL-02 replaces by renaming, so that an open reader keeps the old content', async () => {
  await writeFile(join(root, 'a'), 'old')
  const before = await stat(join(root, 'a'))
  await write('a', 'new')
  expect((await stat(join(root, 'a'))).ino).not.toBe(before.ino)
})

test('TOOL-02 writes again after a kill left its temporary file, and follows no link in its place', async () => {
  const outside = join(dirname(root), 'outside')
  await writeFile(outside, 'kept')
  await symlink(outside, join(root, `.write-${hashText('run-1/write_file/1')}.tmp`))
  expect(textOf(await write('a', 'new'))).toBe('Created a (3 bytes).')
  expect(await readdir(root)).toEqual(['a'])
  expect(await readFile(outside, 'utf8')).toBe('kept')
})

test('TOOL-02 writes nothing once cancelled', async () => {
  const given = { path: 'a', content: 'new' }
  const result = await callTool(tools, 'write_file', given, { signal: AbortSignal.abort() })
  expect(textOf(result)).toBe('"a": cancelled before it was done.')
  expect(await readdir(root)).toEqual([])
})

test('TOOL-03 writes through a link inside the root to its real file', async () => {
  await mkdir(join(root, 'real'))
  await writeFile(join(root, 'real/a'), 'old')
  await symlink('real/a', join(root, 'link'))
  expect(textOf(await write('link', 'new'))).toBe('Replaced real/a (3 bytes).')
  expect(await readFile(join(root, 'real/a'), 'utf8')).toBe('new')
})

test('TOOL-03 refuses to write outside by any path or link and creates nothing there', async () => {
  const outside = dirname(root)
  await symlink(join(outside, 'target'), join(root, 'dangling'))
  await symlink(outside, join(root, 'folder'))
  for (const path of ['../x', join(outside, 'x'), 'dangling', 'folder/x', 'folder/new/x']) {
    expect(await write(path, 'x')).toMatchObject({ status: 'error' })
  }
  expect(await readdir(outside)).toEqual(['root'])
})

test.each(['.git/hooks/pre-commit', '.statewright/runs.db', 'sub/.GIT/config'])(
  'TOOL-03 refuses to write %s, which no tool may access',
  async (path) => {
    expect(textOf(await write(path, 'x'))).toBe(`Tools may not access "${path}". Choose another path.`)
    expect(await readdir(root)).toEqual([])
  },
)

test.each(['runs.db', 'runs.db-wal', 'runs.db-shm', 'runs.db-journal', 'link'])(
  'TOOL-03 refuses to overwrite %s of one of our stores, whatever its name and however new it is',
  async (path) => {
    const store = sqliteStore(join(root, 'runs.db'))
    await symlink('runs.db', join(root, 'link'))
    const before = await readdir(root)
    const shown = path === 'link' ? 'runs.db' : path
    expect(textOf(await write(path, 'x'))).toBe(`Tools may not access "${shown}". Choose another path.`)
    expect(textOf(await callTool(tools, 'edit_file', { path, edits: [{ oldText: 'a', newText: 'b' }] }))).toContain(
      'may not access',
    )
    expect(await readdir(root)).toEqual(before)
    expect(await store.list()).toEqual([])
    await store.close()
    expect(textOf(await write('runs.db', 'x'))).toContain('Tools may not access')
    expect(textOf(await write('notes-wal', 'x'))).toBe('Created notes-wal (1 bytes).')
  },
)

test('TOOL-03 clears set-uid and set-gid bits', async () => {
  await writeFile(join(root, 'run.sh'), 'old')
  await chmod(join(root, 'run.sh'), 0o6755)
  expect(textOf(await write('run.sh', 'new'))).toBe('Replaced run.sh (3 bytes).')
  expect((await stat(join(root, 'run.sh'))).mode & 0o7777).toBe(0o755)
})

test('TOOL-03 removes the folders that it created for a refused write', async () => {
  const before = await readdir(root)
  expect(textOf(await write(`new/deep/${'x'.repeat(300)}`, 'x'))).toContain('too long')
  expect(textOf(await write(`new/${'x'.repeat(300)}/a`, 'x'))).toContain('too long')
  expect(await readdir(root)).toEqual(before)
})

test('TOOL-02 answers with an error for a folder, a file used as a folder and a name too long', async () => {
  await mkdir(join(root, 'folder'))
  await writeFile(join(root, 'file'), 'kept')
  expect(textOf(await write('folder', 'x'))).toBe('"folder" is a folder or a special file. Name a file.')
  expect(textOf(await write('.', 'x'))).toBe('"." is a folder or a special file. Name a file.')
  expect(textOf(await write('file/x', 'x'))).toContain('a part of this path is a file')
  expect(textOf(await write('x'.repeat(300), 'x'))).toContain('too long')
  expect(await readFile(join(root, 'file'), 'utf8')).toBe('kept')
})

test('TOOL-02 answers with an error without permission and leaves the file unchanged', async () => {
  await chmod(dirname(root), 0o755)
  await chmod(root, 0o777)
  await writeFile(join(root, 'locked'), 'kept')
  await chmod(join(root, 'locked'), 0o444)
  expect(await asUnprivileged(root, 'write_file', { path: 'locked', content: 'x' })).toMatchObject({
    content: [{ text: expect.stringContaining('no permission') }],
    status: 'error',
  })
  expect(await readFile(join(root, 'locked'), 'utf8')).toBe('kept')
})

/** Lines of three kinds, in an order of its own for each step. */
function mixed(step: number): string {
  return Array.from({ length: 6_000 }, (_, index) => `${((index * index * step) % 7) % 3}\n`).join('')
}
