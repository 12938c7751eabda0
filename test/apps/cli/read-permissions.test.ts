import { execFileSync } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { readPermissions } from '../../../src/apps/cli/setup/read-permissions.ts'

async function rootWith(text: string): Promise<string> {
  const root = await temporaryFolder()
  await mkdir(join(root, '.statewright'))
  await writeFile(join(root, '.statewright', 'permissions.json'), text)
  return root
}

test('PERM-05 the command line reads its rules file, and has no rules without it', async () => {
  const untrusted = { isTrusted: false }
  const read = readPermissions(await rootWith('{"deny":["shell"]}'), untrusted)
  expect(read).toEqual({ permissions: { rules: { deny: ['shell'] } }, leftOut: 0 })
  expect(readPermissions(await temporaryFolder(), untrusted)).toEqual({ permissions: undefined, leftOut: 0 })
})

test.each(['', '{', '[]', 'null', '5', `"${'x'.repeat(1_000_000)}"`, '{"rules":[]}', '{"allow":"x"}', '{"deny":{}}'])(
  'PERM-05 a rules file that cannot be read is an error, never an empty list: %#',
  async (text) => {
    const root = await rootWith(text)
    const refused = expect.objectContaining({ code: 'bad_permissions', exitCode: 2 })
    for (const isTrusted of [true, false]) expect(() => readPermissions(root, { isTrusted })).toThrow(refused)
  },
)

test("PERM-05 a folder's allowing rules apply only if the person trusts the folder", async () => {
  const root = await rootWith('{"allow":["shell","write_file"],"ask":["mcp__*"]}')
  const ask = ['mcp__*']
  expect(readPermissions(root, { isTrusted: false })).toEqual({ permissions: { rules: { ask } }, leftOut: 2 })
  const trusted = { permissions: { rules: { ask, allow: ['shell', 'write_file'] } }, leftOut: 0 }
  expect(readPermissions(root, { isTrusted: true })).toEqual(trusted)
})

test('PERM-05 refuses a folder or a pipe as the rules file, without waiting for it', async () => {
  const root = await temporaryFolder()
  const file = join(root, '.statewright', 'permissions.json')
  await mkdir(file, { recursive: true })
  const refused = expect.objectContaining({ code: 'bad_permissions', exitCode: 2 })
  expect(() => readPermissions(root, { isTrusted: false })).toThrow(refused)
  await rm(file, { recursive: true })
  execFileSync('mkfifo', [file])
  expect(() => readPermissions(root, { isTrusted: false })).toThrow(refused)
})
