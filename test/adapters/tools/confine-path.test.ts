import { link, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { confinePath } from '../../../src/adapters/tools/confine-path.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'

let root: string
let beside: string

beforeEach(async () => {
  const folder = await temporaryFolder()
  root = join(folder, 'root')
  beside = join(folder, 'root-beside')
  await mkdir(join(root, 'inner'), { recursive: true })
  await mkdir(beside)
  await writeFile(join(root, 'inner', 'a.txt'), 'a')
  await writeFile(join(beside, 'secret.txt'), 'secret')
})

test.each([
  ['inner/a.txt', 'inner/a.txt'],
  ['./inner//a.txt', 'inner/a.txt'],
  ['inner/../inner/a.txt', 'inner/a.txt'],
  ['.', '.'],
  ['new/deep/file.txt', 'new/deep/file.txt'],
  ['..notes', '..notes'],
  ['~/x', '~/x'],
  ['früh/日本.txt', 'früh/日本.txt'],
])('TOOL-03 accepts %j, which stays inside the root', async (path, shown) => {
  expect(await confinePath(root, path)).toEqual({ ok: true, root, path: join(root, shown), shown })
})

test('TOOL-03 accepts an absolute path inside the root, also through a link to the root', async () => {
  await symlink(root, join(dirname(root), 'alias'))
  const alias = join(dirname(root), 'alias')
  const expected = { ok: true, root, path: join(root, 'inner/a.txt'), shown: 'inner/a.txt' }
  expect(await confinePath(root, join(root, 'inner/a.txt'))).toEqual(expected)
  expect(await confinePath(alias, join(alias, 'inner/a.txt'))).toEqual(expected)
  expect(await confinePath(alias, 'inner/a.txt')).toEqual(expected)
})

test.each(['..', '../root-beside/secret.txt', 'inner/../../x', '/etc/passwd', '/', '../new/deep', '../root-beside'])(
  'TOOL-03 refuses %j, which leads outside',
  async (path) => {
    expect(await confinePath(root, path)).toEqual({
      ok: false,
      message: `Path ${JSON.stringify(path)} is outside the root folder. Use a path inside the root folder, such as "src/index.ts".`,
    })
  },
)

test.each([
  ['a link to a file outside', 'out', ['out']],
  ['a link to a folder outside', 'out-folder', ['out-folder', 'out-folder/secret.txt', 'out-folder/new.txt']],
  ['a link over a link', 'twice', ['twice', 'twice/new/file.txt']],
  ['a relative link upwards', 'up', ['up/root-beside/secret.txt', 'up/new.txt']],
])('TOOL-03 refuses %s', async (_what, _name, paths) => {
  await symlink(join(beside, 'secret.txt'), join(root, 'out'))
  await symlink(beside, join(root, 'out-folder'))
  await symlink(join(root, 'out-folder'), join(root, 'twice'))
  await symlink('..', join(root, 'up'))
  for (const path of paths) {
    expect(await confinePath(root, path)).toMatchObject({ ok: false, message: expect.stringContaining('outside') })
  }
})

test('TOOL-03 refuses a dangling link wherever it points, so that writing cannot make its target', async () => {
  await symlink(join(beside, 'not-yet.txt'), join(root, 'dangling'))
  await symlink('not-yet.txt', join(root, 'inner', 'dangling'))
  for (const path of ['dangling', 'dangling/x', 'inner/dangling']) {
    const message = expect.stringContaining('a link that points nowhere')
    expect(await confinePath(root, path)).toMatchObject({ ok: false, message })
  }
})

test('TOOL-03 follows a link that stays inside to the real place', async () => {
  await symlink('inner', join(root, 'shortcut'))
  expect(await confinePath(root, 'shortcut/new.txt')).toEqual({
    ok: true,
    root,
    path: join(root, 'inner/new.txt'),
    shown: 'inner/new.txt',
  })
})

test('TOOL-03 treats a hard link as the file that it is', async () => {
  await link(join(root, 'inner/a.txt'), join(root, 'hard.txt'))
  expect(await confinePath(root, 'hard.txt')).toMatchObject({ ok: true, shown: 'hard.txt' })
})

test('TOOL-03 refuses a NUL character and a missing root', async () => {
  expect(await confinePath(root, 'a\0b')).toMatchObject({ ok: false, message: expect.stringContaining('NUL') })
  await rm(root, { recursive: true })
  expect(await confinePath(root, 'a')).toEqual({
    ok: false,
    message: 'The root folder does not exist any more. Tell the user.',
  })
})
