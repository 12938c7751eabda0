import { chmod, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { Tool } from '../../../src/core/ports/tool.ts'
import { fileTools } from '../../../src/adapters/tools/files.ts'
import { callTool, textOf } from './call-tool.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'

let root: string
let tools: readonly Tool[]

beforeEach(async () => {
  root = join(await temporaryFolder(), 'root')
  await mkdir(root)
  tools = fileTools({ root })
})

const edit = (path: string, ...edits: readonly (readonly [oldText: string, newText: string])[]) =>
  callTool(tools, 'edit_file', { path, edits: edits.map(([oldText, newText]) => ({ oldText, newText })) })
const put = (name: string, content: string | Uint8Array) => writeFile(join(root, name), content)

test('TOOL-03 asks once before it edits, unless configured otherwise', () => {
  const find = (list: readonly Tool[]) => list.find(({ name }) => name === 'edit_file')
  expect(find(tools)).toMatchObject({ needs: 'approval', effects: 'once' })
  expect(find(fileTools({ root, write: 'allow' }))).not.toHaveProperty('needs')
})

test('TOOL-02 edits several places at once, keeps the mode and shows a diff in the details', async () => {
  await put('run.sh', 'one\ntwo\nthree\n')
  await chmod(join(root, 'run.sh'), 0o750)
  expect(await edit('run.sh', ['three', '3'], ['one', '1'])).toEqual({
    content: [{ type: 'text', text: 'Replaced run.sh (8 bytes).' }],
    details: {
      path: 'run.sh',
      bytes: 8,
      diff: '--- a/run.sh\n+++ b/run.sh\n@@ -1,3 +1,3 @@\n-one\n+1\n two\n-three\n+3\n',
    },
  })
  expect(await readFile(join(root, 'run.sh'), 'utf8')).toBe('1\ntwo\n3\n')
  expect((await stat(join(root, 'run.sh'))).mode & 0o777).toBe(0o750)
  expect(await readdir(root)).toEqual(['run.sh'])
})

test('TOOL-02 makes no edit if one of them cannot be made', async () => {
  await put('a', 'one\ntwo\n')
  expect(await edit('a', ['one', '1'], ['zebra', ''])).toMatchObject({
    status: 'error',
    content: [{ text: expect.stringMatching(/^"a": oldText of edit 2 was found 0 times\. .* Nothing was changed\.$/) }],
  })
  expect(await readFile(join(root, 'a'), 'utf8')).toBe('one\ntwo\n')
})

test('TOOL-02 keeps a byte order mark and line endings', async () => {
  await put('a', '\uFEFFone\r\ntwo\r\n')
  await edit('a', ['two', '2'])
  expect(await readFile(join(root, 'a'), 'utf8')).toBe('\uFEFFone\r\n2\r\n')
})

test('TOOL-02 refuses files that it could not write back unchanged: binary, other encodings, over the limit', async () => {
  await put('binary', Buffer.from('a\0b'))
  await put('latin1', Buffer.from('gr\xfc\xdfe', 'latin1'))
  await put('huge', 'a')
  await truncate(join(root, 'huge'), 5 * 2 ** 30)
  for (const path of ['binary', 'latin1', 'huge']) {
    expect(textOf(await edit(path, ['a', 'b']))).toBe(`"${path}" is not UTF-8 text, or has more than 5000000 bytes.`)
  }
})

test('TOOL-02 edits only existing files, and creates no folder', async () => {
  expect(textOf(await edit('missing', ['a', 'b']))).toBe('"missing": no such file. Create it with write_file.')
  expect(textOf(await edit('no/such/folder', ['a', 'b']))).toContain('no such file or folder')
  expect(textOf(await edit('.', ['a', 'b']))).toBe('"." is a folder or a special file. Name a file.')
  expect(await readdir(root)).toEqual([])
})

test('TOOL-03 refuses to edit outside the root, by any path or link, and files that no tool may access', async () => {
  await writeFile(join(dirname(root), 'secret'), 'a')
  await symlink(join(dirname(root), 'secret'), join(root, 'link'))
  await mkdir(join(root, '.git'))
  await put('.git/config', 'a')
  for (const path of ['../secret', join(dirname(root), 'secret'), 'link']) {
    expect(textOf(await edit(path, ['a', 'b']))).toContain('outside the root folder')
  }
  expect(textOf(await edit('.git/config', ['a', 'b']))).toBe('Tools may not access ".git/config". Choose another path.')
  expect(await readFile(join(dirname(root), 'secret'), 'utf8')).toBe('a')
})
