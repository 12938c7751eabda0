import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { parseRule } from '../../../src/core/domain/permission-rule.ts'
import { matchRules } from '../../../src/core/domain/match-rules.ts'
import { resolvedPath } from '../../../src/adapters/tools/resolved-path.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'

test('TOOL-03 rules see a path as the file tools resolve it, links followed, from the root', async () => {
  const root = await temporaryFolder()
  await mkdir(join(root, 'secrets'))
  await mkdir(join(root, 'src'))
  await writeFile(join(root, 'secrets', 'x'), '')
  await symlink(join(root, 'secrets'), join(root, 'src', 'link'))
  const shown = resolvedPath(root)
  const paths = ['src/link/x', './secrets/x', 'src/../secrets/x', join(root, 'secrets/x')]
  const rules = [parseRule('deny', 'read(path ~ "secrets/**")'), parseRule('allow', 'read(path ~ "src/**")')]
  for (const path of paths) {
    const call = { toolName: 'read', arguments: { path }, fields: { path: shown } }
    expect([path, (await matchRules(rules, call))?.effect]).toEqual([path, 'deny'])
  }
  expect(await shown('../out')).toBe('../out')
  expect(await shown('src/new/file')).toBe('src/new/file')
  expect(await shown('.env')).toBe('.env')
  expect(await shown('.')).toBe('.')
  const outside = await temporaryFolder()
  await symlink(outside, join(root, 'src', 'out'))
  await symlink(join(outside, 'none'), join(root, 'src', 'broken'))
  expect(await shown('src/out/x')).toBe(relative(root, join(outside, 'x')))
  await expect(shown('src/broken')).rejects.toThrow('points nowhere')
})
